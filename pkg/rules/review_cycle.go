package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// edge is a rule of one document type that can add another.
type edge struct {
	to   string
	rule dossier.Rule
}

// cycles warns of paths on which the rules of the saved type lead back to it, one for each rule.
func (w *warner) cycles() {
	if w.known.TypeID == "" {
		return // nothing can name what does not exist yet
	}
	names := map[string]string{w.known.TypeID: w.known.TypeName}
	next := make(map[string][]edge)
	for _, t := range w.known.Others {
		if t.ID != w.known.TypeID {
			names[t.ID] = t.Name
			next[t.ID] = w.edges(t.Submission.Rules, nil)
		}
	}
	for i, r := range w.rules {
		for _, first := range w.edges(w.rules[i:i+1], w.dead[i:i+1]) {
			path := wayBack(next, first, w.known.TypeID)
			if path == nil {
				continue
			}
			way := []string{nameOf(names, w.known.TypeID)}
			involved := []dossier.Rule{r}
			for _, e := range path {
				way = append(way, nameOf(names, e.to))
				involved = append(involved, e.rule)
			}
			w.add(dossier.WarningCycle, fmt.Sprintf("/submission/rules/%d/actions", i),
				ruleIDs(involved),
				"The rules of these document types can set each other off: %s.",
				strings.Join(way, " → "))
			break
		}
	}
}

func nameOf(names map[string]string, id string) string {
	if name := names[id]; name != "" {
		return name
	}
	return id
}

// edges lists what rules can add. A rule that is dead or not live, or adds nothing, has none.
func (w *warner) edges(rules []dossier.Rule, dead []bool) []edge {
	var out []edge
	for i, r := range rules {
		if dead != nil && dead[i] || !r.Live() {
			continue
		}
		for _, a := range r.Actions {
			for _, id := range added(w.known, a) {
				out = append(out, edge{id, r})
			}
		}
	}
	return out
}

// wayBack returns the shortest path of edges from first to the document type home, or nil.
func wayBack(next map[string][]edge, first edge, home string) []edge {
	from := map[string][]edge{first.to: {first}}
	for queue := []string{first.to}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == home {
			return from[at]
		}
		for _, e := range next[at] {
			if _, seen := from[e.to]; !seen {
				from[e.to] = append(slices.Clip(from[at]), e)
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}
