package mrz

import (
	"fmt"
	"strings"
	"time"
)

// Failure is a check digit that does not hold.
type Failure struct {
	Reference string // of the value that it guards, "mrz" for the composite digit
	Name      string // of the digit, in words
}

// digits names the check digits by the reference that each guards.
var digits = map[string]string{
	"mrz.documentNumber": "document number",
	"mrz.birthDate":      "date of birth",
	"mrz.expiryDate":     "date of expiry",
	"mrz.optionalData":   "personal number",
	Composite:            "composite check digit",
}

// Read gives the values of a zone by the last part of their reference, without those that are
// empty, and the check digits that don't hold. Dates are YYYY-MM-DD.
//
// The zone has years of two digits. A birth is the last possible one up to today (YYYY-MM-DD); an
// expiry is the one from 50 years before to 49 years after the present year. A date with unknown
// parts is left out.
func (z Zone) Read(today string) (map[string]any, []Failure, error) {
	now, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return nil, nil, fmt.Errorf("today: %w", err)
	}
	if !z.valid() {
		return nil, nil, fmt.Errorf("no machine readable zone")
	}
	f := z.split()
	surname, given, _ := strings.Cut(f.names, "<<")
	values := map[string]any{}
	for name, text := range map[string]string{
		"documentType": words(f.kind), "issuingState": words(f.issuer),
		"documentNumber": strings.Trim(f.number, "<"),
		"surname":        words(surname), "givenNames": words(given),
		"nationality": words(f.nationality),
		"birthDate":   date(f.birth, now.Year(), func(t time.Time) bool { return !t.After(now) }),
		"expiryDate":  date(f.expiry, now.Year()+49, func(time.Time) bool { return true }),
		"sex":         sex(f.sex), "optionalData": words(f.optional),
	} {
		if text != "" {
			values[name] = text
		}
	}
	var failed []Failure
	for _, reference := range f.failed {
		failed = append(failed, Failure{reference, digits[reference]})
	}
	return values, failed, nil
}

// valid reports whether the zone has the lines of its format.
func (z Zone) valid() bool {
	for _, f := range formats {
		if f.name == z.Format {
			return len(z.Lines) == f.lines && shaped(z.Lines, f.width)
		}
	}
	return false
}

// words turns fillers into spaces.
func words(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '<' }), " ")
}

// sex is M, F or, not told, X.
func sex(s string) string {
	if s == "<" {
		return "X"
	}
	return s
}

// date reads YYMMDD in the last year up to the given one whose day the calendar has and that is
// accepted.
func date(yymmdd string, last int, accept func(time.Time) bool) string {
	if len(yymmdd) != 6 || strings.Trim(yymmdd, "0123456789") != "" {
		return ""
	}
	for century := last / 100; century >= last/100-2; century-- {
		t, err := time.Parse("20060102", fmt.Sprintf("%02d%s", century, yymmdd))
		if err == nil && t.Year() <= last && accept(t) {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}
