package rules

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// everyNeed returns a value for each reference with a false condition. Where one reference leads
// into the value of another, the values are chosen together.
func everyNeed(results []dossier.ConditionResult) ([]need, bool) {
	groups := needs(results)
	var found []need
	for _, part := range overlapping(groups) {
		solved, ok := solveTogether(part)
		if !ok {
			return nil, false
		}
		found = append(found, solved...)
	}
	slices.SortFunc(found, func(a, b need) int { return cmp.Compare(first(a), first(b)) })
	return found, true
}

// first returns the position of the first condition of a need, so that needs come in their order.
func first(n need) int {
	if len(n.positions) == 0 {
		return 0
	}
	return n.positions[0]
}

// overlapping parts the needs so that only those of one part can touch each other.
func overlapping(groups []need) [][]need {
	var parts [][]need
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(a, b need) int {
		return cmp.Compare(a.reference, b.reference)
	})
	for _, g := range sorted {
		at := slices.IndexFunc(parts, func(p []need) bool {
			return slices.ContainsFunc(p, func(o need) bool {
				return g.kind == dossier.ConditionFields && o.kind == g.kind &&
					strings.HasPrefix(g.reference, o.reference+".")
			})
		})
		if at < 0 {
			parts = append(parts, []need{g})
		} else {
			parts[at] = append(parts[at], g)
		}
	}
	return parts
}

// solveTogether finds values for the needs of one part, the outermost reference first: those within
// it, or else a single value in the place of all of them.
func solveTogether(part []need) ([]need, bool) {
	if len(part) == 1 {
		if len(part[0].positions) == 0 {
			return nil, true
		}
		ok := part[0].solve(nil)
		return part, ok
	}
	if len(positions(part)) == 0 {
		return nil, true
	}
	var within []need
	possible := true
	for _, inner := range overlapping(part[1:]) {
		solved, ok := solveTogether(inner)
		within, possible = append(within, solved...), possible && ok
	}
	if possible && works(part, within) {
		within[0].positions = append(within[0].positions, part[0].positions...)
		slices.Sort(within[0].positions)
		return within, true
	}
	outer := part[0]
	if outer.solve(func(v any) bool {
		try := outer
		try.value = v
		return works(part, []need{try})
	}) {
		outer.positions = positions(part)
		return []need{outer}, true
	}
	return nil, false
}

// positions lists the false conditions of all needs of a part.
func positions(part []need) []int {
	var all []int
	for _, n := range part {
		all = append(all, n.positions...)
	}
	slices.Sort(all)
	return all
}

// works reports whether all conditions of a part are true after some changes.
func works(part, changes []need) bool {
	document := map[string]any{}
	for _, n := range part {
		put(document, n.reference, n.read)
	}
	for _, n := range changes {
		put(document, n.reference, n.value)
	}
	facts := Facts{Parsed: document}
	var r operand
	for _, n := range part {
		for _, c := range n.conditions {
			if c.read(&facts, &r); !c.holds(&r) {
				return false
			}
		}
	}
	return true
}

// put sets a value at a dotted reference, nil to take it away. What is no object and in the way is
// replaced.
func put(document map[string]any, reference string, value any) {
	name, rest, more := strings.Cut(reference, ".")
	switch {
	case more:
		inner, ok := document[name].(map[string]any)
		if !ok && value == nil {
			return
		}
		copied := maps.Clone(inner)
		if copied == nil {
			copied = map[string]any{}
		}
		document[name] = copied
		put(copied, rest, value)
	case value == nil:
		delete(document, name)
	default:
		document[name] = value
	}
}
