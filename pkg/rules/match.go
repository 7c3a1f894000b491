package rules

import (
	"strconv"
	"strings"
)

// Match reports which rules match the facts as they are: bit i is rule i. It decides only, keeps no trace and allocates nothing for
// plain values; no action is applied, so no rule sees what another one changes. Rules after the 64th are not reported.
func (p *Program) Match(f *Facts) uint64 {
	var matched uint64
	for i := range p.rules {
		if p.rules[i].match(f) {
			matched |= 1 << i
		}
	}
	return matched
}

// match decides one rule and stops at the condition that decides.
func (r *rule) match(f *Facts) bool {
	var read reading
	for i := range r.conditions {
		c := &r.conditions[i]
		if c.match(f, &read) != r.and {
			return !r.and
		}
	}
	return r.and
}

// match is read and holds in one, with a short way for what most conditions read: a text at the top of the parsed document.
func (c *condition) match(f *Facts, r *reading) bool {
	if c.source == fromParsed && !c.dotted {
		v := f.Parsed[c.key]
		if s, ok := v.(string); ok {
			return c.holdsText(s) != c.not
		}
		r.set(v)
	} else {
		c.read(f, r)
	}
	return c.holds(r)
}

// holds reports whether the condition is true of what was read.
func (c *condition) holds(r *reading) bool {
	if r.kind == isText {
		return c.holdsText(r.text) != c.not
	}
	switch c.op {
	case opEmpty:
		return r.empty() != c.not
	case opEqual:
		return c.values.equal(r) != c.not
	case opContain:
		return c.values.contained(r) != c.not
	}
	return false
}

// holdsText reports whether the operator without its not is true of a text.
func (c *condition) holdsText(s string) bool {
	switch c.op {
	case opEmpty:
		return trim(s) == ""
	case opEqual:
		return c.values.equalText(s)
	case opContain:
		return c.values.within(canonical(s))
	}
	return false
}

// empty reports whether what was read, other than a text, reads as empty.
func (r *reading) empty() bool {
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

// equal reports whether a scalar other than a text is one of the values, or a list has exactly the values as a set.
func (vs *values) equal(r *reading) bool {
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
		return vs.sameSet(len(r.raw.([]any)), func(i int) (int, bool) { return vs.findAny(r.raw.([]any)[i]) })
	case isIDs:
		return vs.sameSet(len(r.ids), func(i int) (int, bool) {
			text := canonical(r.ids[i])
			return vs.find(text), text == ""
		})
	}
	return false
}

// equalText compares without normalizing first: what is equal as it stands is equal, and the values are canonical.
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

// sameSet reports whether n elements, each found by its position among the values, are all of the values and nothing else.
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

// contained reports whether any value is a part of the text of a number or boolean, or an element of a list.
func (vs *values) contained(r *reading) bool {
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
