package rules

import (
	"maps"
	"slices"
)

// Bounds of the read values that a trace keeps. A rule run is one item of the table, so all of them
// together are bounded.
const (
	maxRead      = 256    // characters of one value
	minRead      = 20     // characters of one value where there are very many conditions
	maxReads     = 30_000 // characters of all values of a run
	maxReadItems = 20     // elements of a list, members of an object
	maxReadDepth = 4      // lists and objects within each other
)

// clipMark ends a text that was cut.
const clipMark = "…"

// readLimit returns the characters of each value that a trace of so many conditions keeps.
func readLimit(conditions int) int {
	if conditions == 0 {
		return maxRead
	}
	return max(minRead, min(maxRead, maxReads/conditions))
}

// clipped returns the value for the trace, cut to so many characters in all. It shares no list or
// object with the facts.
func (r *operand) clipped(limit int) any {
	switch r.kind {
	case isMissing:
		return nil
	case isText:
		if r.raw != nil && len(r.text) <= limit {
			return r.raw
		}
		return clipText(r.text, &limit)
	case isIDs:
		out := make([]any, 0, min(len(r.ids), maxReadItems))
		for _, id := range r.ids[:cap(out)] {
			if limit <= 0 {
				break
			}
			out = append(out, clipText(id, &limit))
		}
		return out
	}
	return clip(r.raw, &limit, maxReadDepth)
}

// clip copies a value and subtracts the kept characters from left.
func clip(v any, left *int, depth int) any {
	switch x := v.(type) {
	case string:
		return clipText(x, left)
	case nil, bool, float64:
		*left -= 8
		return v
	case []any:
		if depth == 0 {
			return clipMark
		}
		out := make([]any, 0, min(len(x), maxReadItems))
		for _, e := range x[:cap(out)] {
			if *left <= 0 {
				break
			}
			out = append(out, clip(e, left, depth-1))
		}
		return out
	case map[string]any:
		if depth == 0 {
			return clipMark
		}
		out := make(map[string]any, min(len(x), maxReadItems))
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if *left <= 0 || len(out) == maxReadItems {
				break
			}
			out[clipText(k, left)] = clip(x[k], left, depth-1)
		}
		return out
	}
	return clipMark // a type that no JSON has
}

// clipText keeps as many characters as are left; a text costs two more than it has.
func clipText(s string, left *int) string {
	room := max(*left, 0)
	if len(s) <= room {
		*left -= len(s) + 2
		return s
	}
	n := 0
	for i := range s {
		if n == room {
			*left = 0
			return s[:i] + clipMark
		}
		n++
	}
	*left -= n + 2
	return s
}
