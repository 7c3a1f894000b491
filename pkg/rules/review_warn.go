package rules

import (
	"fmt"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// warn finds the rules of a valid submission that can't take effect.
func warn(rules []dossier.Rule, k Catalog) []dossier.Warning {
	w := warner{known: k, rules: rules, program: Compile(rules), budget: maxTrials}
	w.presets = slices.ContainsFunc(rules, func(r dossier.Rule) bool {
		return slices.ContainsFunc(r.Actions, func(a dossier.Action) bool {
			return actionNamed(a.Type).presets
		})
	})
	if k.Shared && len(rules) > 0 {
		w.add(dossier.WarningShared, "/submission/rules", ruleIDs(rules),
			"The document type is shared between companies of the group. Its rules are not applied outside the company that owns it.")
	}
	w.dead = make([]bool, len(rules))
	for i := range rules {
		if rules[i].Mode == dossier.ModeOff {
			w.dead[i] = true
			continue
		}
		if w.dead[i] = !w.canMatch(w.clauses(i)); w.dead[i] {
			message := "The conditions exclude each other, so the rule never matches."
			if len(rules[i].Conditions) == 0 {
				message = "A rule with the conditionsType \"or\" and no conditions never matches."
			}
			w.add(dossier.WarningNeverMatches, fmt.Sprintf("/submission/rules/%d/conditions", i),
				ruleIDs(rules[i:i+1]), "%s", message)
		}
		w.dead[i] = w.dead[i] || !rules[i].Live()
	}
	w.undone()
	w.cycles()
	return w.warnings
}

// warner gathers the warnings of one submission.
type warner struct {
	known    Catalog
	rules    []dossier.Rule
	program  *Program
	presets  bool   // some rule applies a preset, which may set what later rules read
	dead     []bool // rules that never match, or change nothing because of their mode
	budget   int    // conditions that may still be tried
	warnings []dossier.Warning
}

// maxTrials bounds the work of one review. Beyond it every rule counts as one that can match.
const maxTrials = 1_000_000

func (w *warner) add(code, pointer string, ids []string, format string, args ...any) {
	w.warnings = append(w.warnings,
		dossier.Warning{Code: code, Pointer: pointer, Message: fmt.Sprintf(format, args...),
			Rules: ids})
}

func ruleIDs(rules []dossier.Rule) []string {
	var ids []string
	for _, r := range rules {
		if r.ID != "" && !slices.Contains(ids, r.ID) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// clauses returns the sets of conditions any one of which makes the rule match.
func (w *warner) clauses(rule int) [][]condition {
	r := w.program.rules[rule]
	if r.and {
		return [][]condition{r.conditions}
	}
	out := make([][]condition, len(r.conditions))
	for i := range r.conditions {
		out[i] = r.conditions[i : i+1]
	}
	return out
}

func (w *warner) canMatch(clauses [][]condition) bool {
	return slices.ContainsFunc(clauses, w.possible)
}

// possible reports whether all conditions can be true at once: for each reference there is a value
// that satisfies its conditions.
func (w *warner) possible(clause []condition) bool {
	type read struct {
		source source
		key    string
	}
	groups := make(map[read][]condition, len(clause))
	for _, c := range clause {
		if c.source != fromNowhere {
			groups[read{c.source, c.key}] = append(groups[read{c.source, c.key}], c)
		}
	}
	for _, g := range groups {
		if w.budget <= 0 {
			return true
		}
		tried := witnessesOf(g, w.domain(&g[0]))
		w.budget -= len(tried) * len(g)
		if !satisfiable(g, tried) {
			return false
		}
	}
	return true
}

// canMatchBoth reports whether two rules can match in one run. Conditions on values that actions
// can change are ignored.
func (w *warner) canMatchBoth(i, j int) bool {
	if i == j {
		return true
	}
	later := w.clauses(j)
	for _, a := range w.clauses(i) {
		for _, b := range later {
			both := slices.Concat(w.lasting(a), w.lasting(b))
			if w.possible(both) {
				return true
			}
		}
	}
	return false
}

// lasting returns the conditions on values that no action changes.
func (w *warner) lasting(clause []condition) []condition {
	return slices.DeleteFunc(slices.Clone(clause), func(c condition) bool {
		switch c.source {
		case fromDocumentTypes, fromForms, fromPresets:
			return true
		case fromCandidate, fromCustomFields:
			return w.presets
		}
		return false
	})
}

// step is one document type that an action adds or removes.
type step struct {
	rule, action int
	adds         bool
	id           string
}

// steps lists the additions and removals of the rules that can match, in order, for each rule once.
func (w *warner) steps() []step {
	var steps []step
	note := func(s step) {
		if !slices.ContainsFunc(steps, func(o step) bool {
			return o.rule == s.rule && o.adds == s.adds && o.id == s.id
		}) {
			steps = append(steps, s)
		}
	}
	for i, r := range w.rules {
		if w.dead[i] {
			continue
		}
		for j, a := range r.Actions {
			for _, id := range added(w.known, a) {
				note(step{i, j, true, id})
			}
			for _, id := range removed(w.known, a) {
				note(step{i, j, false, id})
			}
		}
	}
	return steps
}

// undone finds actions that a later one takes back, and rules that remove the type they belong to.
func (w *warner) undone() {
	steps := w.steps()
	looked := make(map[[2]int]bool) // pairs of rules
	for n, a := range steps {
		if !a.adds && a.id == w.known.TypeID {
			w.add(dossier.WarningUndone, pointerOf(a.rule, a.action),
				ruleIDs(w.rules[a.rule:a.rule+1]),
				"The rule removes its own document type, so that the validated document is no longer requested.")
		}
		for _, b := range steps[n+1:] {
			pair := [2]int{a.rule, b.rule}
			if a.id != b.id || a.adds == b.adds || looked[pair] {
				continue
			}
			looked[pair] = true
			if !w.canMatchBoth(a.rule, b.rule) {
				continue
			}
			does, undoes := "adds", "removes"
			if b.adds {
				does, undoes = undoes, does
			}
			w.add(dossier.WarningUndone, pointerOf(b.rule, b.action),
				ruleIDs([]dossier.Rule{w.rules[a.rule], w.rules[b.rule]}),
				"Rule %d %s the document type %s, and rule %d, which can match in the same run, %s it again.",
				a.rule+1, does, quoted(a.id), b.rule+1, undoes)
		}
	}
}

func pointerOf(rule, action int) string {
	return fmt.Sprintf("/submission/rules/%d/actions/%d", rule, action)
}
