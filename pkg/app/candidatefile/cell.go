package candidatefile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// formula are the characters at which a spreadsheet takes a cell for a formula.
const formula = "=+-@\t\r"

// escaped returns a text that a spreadsheet does not run: it begins with an apostrophe if it would
// be a formula, or is one that unescaped would take off.
func escaped(text string) string {
	if strings.ContainsAny(first(strings.TrimLeft(text, "'")), formula) {
		return "'" + text
	}
	return text
}

// unescaped is the inverse of escaped.
func unescaped(text string) string {
	rest, found := strings.CutPrefix(text, "'")
	if found && strings.ContainsAny(first(strings.TrimLeft(rest, "'")), formula) {
		return rest
	}
	return text
}

func first(text string) string { return text[:min(1, len(text))] }

// value reads a cell that is not empty as a value of a type.
func value(valueType, text string) (any, error) {
	switch valueType {
	case dossier.FieldNumber:
		if !strings.Contains(text, ".") {
			text = strings.Replace(text, ",", ".", 1)
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, errors.New("is not a number")
		}
		return n, nil
	case dossier.FieldBoolean:
		switch strings.ToLower(text) {
		case "yes", "y", "true", "1", "x":
			return true, nil
		case "no", "n", "false", "0":
			return false, nil
		}
		return nil, errors.New("is neither yes nor no")
	case dossier.FieldDate:
		return date(text)
	case dossier.FieldList:
		list := strings.Split(text, "|")
		for n := range list {
			list[n] = strings.TrimSpace(list[n])
		}
		return slices.DeleteFunc(list, func(v string) bool { return v == "" }), nil
	}
	return text, nil
}

// date reads a date as ISO 8601 writes it, or day first with dots, as spreadsheets of much of
// Europe do. With slashes nobody can tell the day from the month.
func date(text string) (string, error) {
	for _, layout := range []string{dossier.DateLayout, "2.1.2006"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Format(dossier.DateLayout), nil
		}
	}
	return "", errors.New("is not a date such as 2031-05-01 or 1.5.2031")
}

// text writes a value into a cell, as value reads it.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		words := make([]string, len(v))
		for n, word := range v {
			words[n] = fmt.Sprint(word)
		}
		return escaped(strings.Join(words, "|"))
	}
	return escaped(fmt.Sprint(v))
}
