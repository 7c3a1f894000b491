package rules

import "strings"

// kind is the type of a value.
type kind uint8

const (
	isMissing kind = iota
	isText
	isNumber
	isBoolean
	isList   // raw is a []any
	isIDs    // ids
	isObject // raw is an object, or a type that no JSON has
)

// operand is a value that a condition reads, taken apart without allocating.
type operand struct {
	kind   kind
	truth  bool
	text   string
	number float64
	ids    []string
	raw    any // as it was found; nil for a candidate's text and for ids
}

// read fills r with the value at the condition's reference.
func (c *condition) read(f *Facts, r *operand) {
	switch c.source {
	case fromParsed:
		if !c.dotted {
			r.set(f.Parsed[c.key])
			return
		}
		v, _ := follow(f.Parsed, c.key)
		r.set(v)
	case fromCandidate:
		r.kind, r.raw = isMissing, nil
		if r.text = f.Candidate[c.key]; r.text != "" {
			r.kind = isText
		}
	case fromCustomFields:
		r.set(f.CustomFields[c.key])
	case fromDocumentCustomFields:
		r.set(f.DocumentCustomFields[c.key])
	case fromDocumentTypes:
		r.setIDs(f.DocumentTypes)
	case fromForms:
		r.setIDs(f.Forms)
	case fromPresets:
		r.setIDs(f.Presets)
	default:
		r.kind = isMissing
	}
}

func (r *operand) setIDs(ids []string) { r.kind, r.ids, r.raw = isIDs, ids, nil }

func (r *operand) set(v any) {
	r.raw = v
	if s, ok := v.(string); ok { // most are: a switch would ask for its type later
		r.kind, r.text = isText, s
		return
	}
	switch x := v.(type) {
	case nil:
		r.kind = isMissing
	case float64:
		r.kind, r.number = isNumber, x
	case bool:
		r.kind, r.truth = isBoolean, x
	case []any:
		r.kind = isList
	case []string:
		r.kind, r.ids = isIDs, x
	default:
		r.kind = isObject
	}
}

// follow reads a dotted reference below v. The shortest key that leads to a value wins.
func follow(v any, reference string) (any, bool) {
	switch x := v.(type) {
	case map[string]any:
		for end := 0; end <= len(reference); end++ {
			if next := strings.IndexByte(reference[end:], '.'); next >= 0 {
				end += next
			} else {
				end = len(reference)
			}
			found, ok := x[reference[:end]]
			if ok && end < len(reference) {
				found, ok = follow(found, reference[end+1:])
			}
			if ok {
				return found, true
			}
		}
	case []any:
		return followList(x, reference)
	}
	return nil, false
}

// followList reads one element where the reference goes on with a number, and else the rest of it
// from every element. What is a list in an element adds its own elements.
func followList(list []any, reference string) (any, bool) {
	segment, rest, more := strings.Cut(reference, ".")
	if i, ok := index(segment); ok {
		switch {
		case i >= len(list):
			return nil, false
		case !more:
			return list[i], true
		}
		return follow(list[i], rest)
	}
	var all []any
	for _, e := range list {
		v, ok := follow(e, reference)
		if !ok {
			continue
		}
		if inner, nested := v.([]any); nested {
			all = append(all, inner...)
		} else {
			all = append(all, v)
		}
	}
	return all, all != nil
}

// index reads a segment as the position of an element: digits without a leading zero, and few of
// them.
func index(segment string) (int, bool) {
	if segment == "" || len(segment) > 9 || len(segment) > 1 && segment[0] == '0' {
		return 0, false
	}
	n := 0
	for _, d := range []byte(segment) {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}
