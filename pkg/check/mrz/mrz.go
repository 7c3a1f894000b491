// Package mrz reads machine readable zones as ICAO Doc 9303 lays them down: TD1 (three lines of
// 30), TD2 (two of 36) and TD3 (two of 44), with every check digit. Pure; it links no parser.
package mrz

import (
	"slices"
	"strings"
)

// The formats, named as the standard does.
const (
	TD1 = "TD1"
	TD2 = "TD2"
	TD3 = "TD3"
)

// Zone is a machine readable zone as it is printed.
type Zone struct {
	Format string   `json:"format"`
	Lines  []string `json:"lines"`
}

// formats holds the number and length of the lines of each format.
var formats = []struct {
	name         string
	lines, width int
}{{TD3, 2, 44}, {TD2, 2, 36}, {TD1, 3, 30}}

// Find looks for a zone in the lines of a text, nil if there is none. Spaces within a line don't
// matter. Of several zones the first whose check digits hold is taken, or else the first.
func Find(text []string) *Zone {
	var lines []string
	for _, t := range text {
		if line := strings.Join(strings.Fields(t), ""); line != "" {
			lines = append(lines, line)
		}
	}
	var first *Zone
	for i := range lines {
		for _, f := range formats {
			if i+f.lines > len(lines) || !shaped(lines[i:i+f.lines], f.width) {
				continue
			}
			zone := &Zone{Format: f.name, Lines: slices.Clone(lines[i : i+f.lines])}
			if len(zone.split().failed) == 0 {
				return zone
			}
			if first == nil {
				first = zone
			}
		}
	}
	return first
}

// shaped reports whether lines can be a zone: as wide as it, of its alphabet, and with a letter in
// front.
func shaped(lines []string, width int) bool {
	for _, l := range lines {
		if len(l) != width || strings.Trim(l, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<") != "" {
			return false
		}
	}
	return lines[0][0] >= 'A' && lines[0][0] <= 'Z' &&
		strings.Contains(strings.Join(lines, ""), "<")
}

// fields are the raw fields of a zone, and the names of the check digits that don't hold.
type fields struct {
	kind, issuer, number, names, nationality, birth, sex, expiry, optional string

	failed []string
}

func (z Zone) split() fields {
	if z.Format == TD1 {
		return z.splitTD1()
	}
	first, second := z.Lines[0], z.Lines[1]
	f := fields{
		kind: first[:2], issuer: first[2:5], names: first[5:],
		number: second[:9], nationality: second[10:13], birth: second[13:19], sex: second[20:21],
		expiry: second[21:27],
	}
	// has neither a digit of its optional data nor a composite one
	visa := strings.HasPrefix(first, "V")
	end := len(second) - 1
	switch {
	case visa:
		f.optional = second[28:]
		f.verify("mrz.documentNumber", f.number, second[9])
	case z.Format == TD3:
		f.optional = second[28:42]
		f.verify("mrz.documentNumber", f.number, second[9])
		if strings.Trim(f.optional, "<") != "" || second[42] != '<' {
			f.verify("mrz.optionalData", f.optional, second[42])
		}
	default:
		f.optional = second[28:end]
		f.documentNumber(second[9])
	}
	f.verify("mrz.birthDate", f.birth, second[19])
	f.verify("mrz.expiryDate", f.expiry, second[27])
	if !visa {
		f.verify(Composite, second[:10]+second[13:20]+second[21:end], second[end])
	}
	return f
}

func (z Zone) splitTD1() fields {
	first, second := z.Lines[0], z.Lines[1]
	f := fields{
		kind: first[:2], issuer: first[2:5], number: first[5:14], names: z.Lines[2],
		optional: first[15:],
		birth:    second[:6], sex: second[7:8], expiry: second[8:14], nationality: second[15:18],
	}
	f.documentNumber(first[14])
	if more := strings.Trim(second[18:29], "<"); more != "" {
		f.optional = strings.Trim(f.optional, "<") + "<" + more
	}
	f.verify("mrz.birthDate", f.birth, second[6])
	f.verify("mrz.expiryDate", f.expiry, second[14])
	f.verify(Composite, first[5:]+second[:7]+second[8:15]+second[18:29], second[29])
	return f
}

// documentNumber verifies the number. A filler in place of its check digit says that the number is
// longer than nine characters: its rest and the digit then begin the optional data.
func (f *fields) documentNumber(digit byte) {
	rest, optional, found := strings.Cut(f.optional, "<")
	if digit != '<' || !found && len(f.optional) < 2 || len(rest) < 2 {
		f.verify("mrz.documentNumber", f.number, digit)
		return
	}
	f.number += rest[:len(rest)-1]
	f.optional = optional
	f.verify("mrz.documentNumber", f.number, rest[len(rest)-1])
}

// Composite is the reference of the digit over several fields of the zone.
const Composite = "mrz"

func (f *fields) verify(name, data string, digit byte) {
	if digit != Digit(data) {
		f.failed = append(f.failed, name)
	}
}

// Digit is the check digit of data ('0' to '9'): weights 7, 3, 1; letters count from 10, fillers 0.
func Digit(data string) byte {
	sum := 0
	for i := range len(data) {
		n := 0
		switch c := data[i]; {
		case c >= '0' && c <= '9':
			n = int(c - '0')
		case c >= 'A' && c <= 'Z':
			n = int(c-'A') + 10
		}
		sum += n * [3]int{7, 3, 1}[i%3]
	}
	return '0' + byte(sum%10)
}
