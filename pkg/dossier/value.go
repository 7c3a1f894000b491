package dossier

import (
	"strconv"
	"strings"
)

// ValidValue reports whether a value can be that of a custom or form field of a type.
func ValidValue(fieldType string, v any) bool {
	var p Problems
	p.Value("", fieldType, v)
	return p.Len() == 0
}

// Value records a value that a custom or form field of a type can't have.
func (p *Problems) Value(pointer, fieldType string, v any) {
	is := ""
	switch x := v.(type) {
	case string:
		switch {
		case fieldType == FieldDate:
			if !ValidDate(x) {
				p.Say(pointer, ProblemMalformed, "is not a date of the form YYYY-MM-DD")
			}
			return
		case fieldType == FieldText:
			p.OptionalText(pointer, x, MaxText)
			return
		}
		is = FieldText
	case float64:
		is = FieldNumber
	case bool:
		is = FieldBoolean
	case []any:
		if fieldType == FieldList {
			p.textList(pointer, x)
			return
		}
		is = FieldList
	default:
		is = "null or an object"
	}
	if is != fieldType {
		p.Say(pointer, ProblemWrongType, "must be of type %s, not %s", fieldType, is)
	}
}

func (p *Problems) textList(pointer string, list []any) {
	for n := range p.Count(pointer, len(list), MaxListValues) {
		if text, ok := list[n].(string); ok {
			p.OptionalText(Element(pointer, n), text, MaxText)
		} else {
			p.Say(Element(pointer, n), ProblemWrongType, "must be a text")
		}
	}
}

// ScalarText returns a scalar as text: a number in its shortest decimal form. ok is false for lists
// and objects.
func ScalarText(v any) (text string, ok bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(x), true
	}
	return "", false
}

// Coerce brings a parsed value to the type of the field it is written back to; ok is false where
// that can't be done.
func Coerce(t string, v any) (value any, ok bool) {
	if t == FieldList {
		if s, scalar := ScalarText(v); scalar {
			v = []any{s}
		}
		return v, ValidValue(FieldList, v)
	}
	text, scalar := ScalarText(v)
	if !scalar {
		return nil, false
	}
	text = strings.TrimSpace(text)
	switch t {
	case FieldNumber:
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil
	case FieldBoolean:
		b, err := strconv.ParseBool(text)
		return b, err == nil
	case FieldText, FieldDate:
		return text, ValidValue(t, text)
	}
	return nil, false
}

// Lookup follows the dots of a reference through nested objects.
func Lookup(parsed map[string]any, reference string) (any, bool) {
	var v any = parsed
	for name := range strings.SplitSeq(reference, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[name]; !ok {
			return nil, false
		}
	}
	return v, true
}
