package rules

import (
	"strconv"
	"strings"
)

// holds reports whether the condition is true of a reading.
func (c *condition) holds(r *operand) bool {
	switch {
	case c.comparison == nil:
		return false
	case r.kind == isText:
		return c.comparison.text(&c.values, r.text) != c.negated
	}
	return c.comparison.other(&c.values, r) != c.negated
}

// empty reports whether a reading other than a text is empty.
func (r *operand) empty() bool {
	switch r.kind {
	case isMissing:
		return true
	case isIDs:
		return emptyIDs(r.ids)
	case isList, isObject:
		return emptyValue(r.raw)
	}
	return false
}

// equal reports whether a scalar other than a text is one of the values, or a list has exactly the
// values as a set.
func (vs *values) equal(r *operand) bool {
	switch r.kind {
	case isNumber:
		return vs.findNumber(r.number) >= 0
	case isBoolean:
		return vs.find(strconv.FormatBool(r.truth)) >= 0
	}
	if r.empty() {
		return vs.empty
	}
	switch r.kind {
	case isList:
		return vs.sameSet(len(r.raw.([]any)), func(i int) (int, bool) {
			return vs.findAny(r.raw.([]any)[i])
		})
	case isIDs:
		return vs.sameSet(len(r.ids), func(i int) (int, bool) {
			text := canonical(r.ids[i])
			return vs.find(text), text == ""
		})
	}
	return false
}

// equalText compares before it normalizes, which is cheaper: the values are canonical, so an exact
// match needs no normalizing.
func (vs *values) equalText(s string) bool {
	s = trim(s)
	if s == "" {
		return vs.empty
	}
	if vs.find(s) >= 0 {
		return true
	}
	return !ascii(s) && vs.find(canonical(s)) >= 0
}

// sameSet reports whether n elements are exactly the values as a set. at returns the position of an
// element among the values, and whether it is blank.
func (vs *values) sameSet(n int, at func(int) (int, bool)) bool {
	var few [32]bool
	seen := few[:]
	if len(vs.list) > len(few) {
		seen = make([]bool, len(vs.list))
	}
	found := 0
	for i := range n {
		j, blank := at(i)
		switch {
		case blank:
		case j < 0:
			return false
		case !seen[j]:
			seen[j] = true
			found++
		}
	}
	return found == len(vs.list)
}

// contained reports whether any value is part of the text of a number or boolean, or an element of
// a list.
func (vs *values) contained(r *operand) bool {
	switch r.kind {
	case isNumber:
		return vs.within(numberText(r.number))
	case isBoolean:
		return vs.within(strconv.FormatBool(r.truth))
	case isIDs:
		for _, id := range r.ids {
			if vs.find(canonical(id)) >= 0 {
				return true
			}
		}
	case isList:
		for _, e := range r.raw.([]any) {
			if at, _ := vs.findAny(e); at >= 0 {
				return true
			}
		}
	}
	return false
}

func (vs *values) within(text string) bool {
	for i := range vs.list {
		if strings.Contains(text, vs.list[i].text) {
			return true
		}
	}
	return false
}
