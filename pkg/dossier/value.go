package dossier

import (
	"fmt"
	"strconv"
	"strings"
)

// ValidateValue reports what is wrong with a value of a custom or form field of type t, "" where nothing is.
func ValidateValue(t string, v any) string {
	switch x := v.(type) {
	case string:
		switch {
		case t == FieldDate && !ValidDate(x):
			return "is not a date as YYYY-MM-DD"
		case t != FieldText && t != FieldDate:
			return fmt.Sprintf("is a text, not a %s", t)
		case len([]rune(x)) > MaxText:
			return fmt.Sprintf("is longer than %d characters", MaxText)
		}
	case float64:
		if t != FieldNumber {
			return fmt.Sprintf("is a number, not a %s", t)
		}
	case bool:
		if t != FieldBoolean {
			return fmt.Sprintf("is a boolean, not a %s", t)
		}
	case []any:
		if t != FieldList {
			return fmt.Sprintf("is a list, not a %s", t)
		}
		if len(x) > 100 {
			return "has more than 100 values"
		}
		for _, e := range x {
			if s, ok := e.(string); !ok || len([]rune(s)) > MaxText {
				return fmt.Sprintf("is not a list of texts of at most %d characters", MaxText)
			}
		}
	default:
		return fmt.Sprintf("is not a %s", t)
	}
	return ""
}

// TextOf returns a scalar as text: a number in its shortest decimal form. ok is false for lists and objects.
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

// Coerce brings a parsed value to the type of the field it is written back to; ok is false where that can't be done.
func Coerce(t string, v any) (value any, ok bool) {
	if t == FieldList {
		if s, scalar := ScalarText(v); scalar {
			v = []any{s}
		}
		return v, ValidateValue(FieldList, v) == ""
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
		return text, ValidateValue(t, text) == ""
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
