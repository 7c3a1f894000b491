package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// solve chooses the value nearest to the one that was read of those that make all conditions true,
// and of which also reports true.
func (n *need) solve(also func(any) bool) bool {
	solved := false
	for _, v := range n.proposals() {
		var r operand
		r.set(v)
		if slices.ContainsFunc(n.conditions, func(c condition) bool { return !c.holds(&r) }) ||
			also != nil && !also(v) {
			continue
		}
		if cost := distance(n.read, v); !solved || cost < n.cost {
			n.value, n.cost, solved = v, cost, true
		}
	}
	return solved
}

// containment is the comparison of contains and notContains.
var containment = comparisons[dossier.OpContains]

// anything stands for a value where any would do.
const anything = "…"

// proposals lists values worth trying, the plainest first. The last ones are the witnesses of
// satisfiable, which are enough if any value is.
func (n *need) proposals() []any {
	d := n.domain()
	values := []any{nil}
	if d.only != nil {
		values = d.only
	}
	if !d.scalars && !d.lists {
		return values
	}
	kept, _ := n.read.([]any)
	wanted := slices.Clone(kept) // the elements that no condition forbids
	for i := range n.conditions {
		c := &n.conditions[i]
		if c.comparison == containment && c.negated {
			wanted = slices.DeleteFunc(wanted, func(e any) bool {
				at, _ := c.values.findAny(e)
				return at >= 0
			})
		}
	}
	if d.scalars {
		values = append(append(values, n.compared...), anything)
	}
	if d.lists {
		values = append(values, n.lists(wanted)...)
	}
	for _, w := range witnessesOf(n.conditions, d) {
		values = append(values, plainer(w, "…"), plainer(w, " "), w)
	}
	return values
}

// lists returns what was read with one value more for each contains, and lists that are new.
func (n *need) lists(kept []any) []any {
	out := []any{kept, append(slices.Clone(kept), anything)}
	grown := slices.Clone(kept)
	for i := range n.conditions {
		c := &n.conditions[i]
		if c.comparison != containment || c.negated {
			continue
		}
		for _, v := range c.values.list {
			out = append(out, []any{v.text}, append(slices.Clone(kept), v.text))
		}
		if v, ok := allowed(n.conditions, c, func(a, b string) bool { return a == b }); ok {
			grown = append(grown, v)
		}
	}
	return append(out, grown, []any{anything})
}

// domain returns what a reference can hold, as far as the condition tells.
func (n *need) domain() domain {
	c := n.conditions[0]
	switch c.source {
	case fromDocumentTypes, fromForms, fromPresets:
		return domain{lists: true}
	case fromCandidate:
		w := warner{}
		d := w.domain(&c)
		if c.key == keyPassVerification {
			d.only = append([]any{nil}, d.only...)
		}
		return d
	}
	return domain{scalars: true, lists: true}
}

// plainer replaces the private character in a witness.
func plainer(v any, with string) any {
	switch x := v.(type) {
	case string:
		return strings.TrimSuffix(strings.ReplaceAll(x, unused, with), " ")
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = plainer(e, with)
		}
		return out
	}
	return v
}

// distance returns how far a value is from what was read: changed characters of a text, and of a
// list those of the elements that come and go. Another kind of value is further than any text.
func distance(read, v any) int {
	before, wasList := read.([]any)
	after, isList := v.([]any)
	switch {
	case isList || wasList && v == nil:
		return listDistance(before, after) + kindCost(!wasList && read != nil)
	case wasList:
		return listDistance(before, nil) + length(textOf(v)) + kindCost(true)
	}
	_, object := read.(map[string]any)
	return levenshtein.ComputeDistance(short(textOf(read)), short(textOf(v))) + kindCost(object)
}

// farther is more than any two texts differ by.
const farther = 10_000

func kindCost(other bool) int {
	if other {
		return farther
	}
	return 0
}

func listDistance(before, after []any) int {
	sum := 0
	for _, pair := range [][2][]any{{before, after}, {after, before}} {
		for _, e := range pair[0] {
			if !slices.ContainsFunc(pair[1], func(o any) bool { return textOf(o) == textOf(e) }) {
				sum += 1 + length(short(textOf(e)))
			}
		}
	}
	return sum
}

func textOf(v any) string {
	text, _ := dossier.ScalarText(v)
	return canonical(text)
}

// short bounds the work of comparing texts.
func short(text string) string {
	if utf8.RuneCountInString(text) <= maxRead {
		return text
	}
	return string([]rune(text)[:maxRead])
}
