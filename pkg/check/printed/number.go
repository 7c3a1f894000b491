package printed

import (
	"strconv"
	"strings"
)

// money is a number with an optional currency before it and an optional unit or currency after it.
var money = pattern(
	`^(?:\p{Sc}|[A-Z]{3}\b)?\s*([+-]?)\s*(\d[\d.,'’ \x{a0}\x{202f}]*?)\s*(?:\p{Sc}|%|\p{L}{1,10}\.?)?$`)

// grouped is a whole number whose thousands are set apart.
var grouped = pattern(`^\d{1,3}([.,'’ \x{a0}\x{202f}])\d{3}(?:[.,'’ \x{a0}\x{202f}]\d{3})*$`)

// Number reads 1234.5, 1.234,56, 1,234.56, 1 234,56 and 1'234.56, with a currency or unit around
// it. Of two kinds of separator the last is the decimal one. A single separator before exactly
// three digits sets thousands apart (1.234 and 1,234 are 1234), unless the number begins with 0
// (0.125).
func Number(s string) (float64, bool) {
	m := money().FindStringSubmatch(Text(s))
	if m == nil {
		return 0, false
	}
	whole, fraction, ok := split(strings.TrimSpace(m[2]))
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1]+whole+"."+fraction, 64)
	return n, err == nil
}

// split parts a number into its digits before and after the decimal separator.
func split(s string) (whole, fraction string, ok bool) {
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		whole, ok = ungroup(s)
		return whole, "0", ok
	}
	whole, fraction = s[:last], s[last+1:]
	repeated := strings.Count(s, s[last:last+1]) > 1
	if repeated || (len(fraction) == 3 && len(whole) <= 3 && s[0] != '0' &&
		!strings.ContainsAny(whole, ".,'’ \u00a0\u202f")) {
		whole, ok = ungroup(s)
		return whole, "0", ok
	}
	if fraction == "" || strings.Trim(fraction, "0123456789") != "" {
		return "", "", false
	}
	whole, ok = ungroup(whole)
	return whole, fraction, ok
}

// ungroup drops the separators of thousands; all of them must be the same.
func ungroup(s string) (string, bool) {
	if s != "" && strings.Trim(s, "0123456789") == "" {
		return s, true
	}
	m := grouped().FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	s = strings.ReplaceAll(s, m[1], "")
	return s, strings.Trim(s, "0123456789") == ""
}
