package rules

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// values holds the texts that a condition compares with: distinct, canonical, not empty.
type values struct {
	list  []scalar
	index map[string]int // text to position in list, where the list is long
	empty bool           // an empty text was among them
}

// scalar is a value in its canonical text. numeric is set if that text is a number as numberText
// writes it.
type scalar struct {
	text    string
	number  float64
	numeric bool
}

// longList is the number of values from which a look-up is faster than a walk.
const longList = 8

func newValues(v any) values {
	var out values
	out.add(v)
	if len(out.list) < longList {
		return out
	}
	out.index = make(map[string]int, len(out.list))
	for i, s := range out.list {
		out.index[s.text] = i
	}
	return out
}

func (vs *values) add(v any) {
	switch x := v.(type) {
	case string:
		vs.addText(canonical(x))
	case float64:
		vs.addText(numberText(x))
	case bool:
		vs.addText(strconv.FormatBool(x))
	case []any:
		for _, e := range x {
			vs.add(e)
		}
	case []string:
		for _, e := range x {
			vs.add(e)
		}
	}
}

func (vs *values) addText(text string) {
	if text == "" {
		vs.empty = true
		return
	}
	if vs.find(text) >= 0 {
		return
	}
	s := scalar{text: text}
	if n, err := strconv.ParseFloat(text, 64); err == nil && numberText(n) == text {
		s.number, s.numeric = n, true
	}
	vs.list = append(vs.list, s)
}

// numberText returns the shortest decimal text that reads back as the number, without an exponent.
func numberText(n float64) string {
	if n == 0 {
		return "0" // also for -0, which equals 0
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// canonical returns the text as it is compared: trimmed and in NFC. ASCII is in NFC already.
func canonical(s string) string {
	s = trim(s)
	if ascii(s) || norm.NFC.IsNormalString(s) {
		return s
	}
	return norm.NFC.String(s)
}

// trim is strings.TrimSpace with a fast path for texts without outer white space.
func trim(s string) string {
	if n := len(s); n == 0 || plain(s[0]) && plain(s[n-1]) {
		return s
	}
	return strings.TrimSpace(s)
}

// plain reports whether c is printable ASCII other than a space.
func plain(c byte) bool { return c > ' ' && c < utf8.RuneSelf }

// ascii compares eight bytes at a time: most values are long and plain.
func ascii(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|
			uint64(s[7])<<56)&0x8080808080808080 != 0 {
			return false
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// find returns the position of a canonical text, -1 where it is not among the values.
func (vs *values) find(text string) int {
	if vs.index != nil {
		if i, ok := vs.index[text]; ok {
			return i
		}
		return -1
	}
	for i := range vs.list {
		if vs.list[i].text == text {
			return i
		}
	}
	return -1
}

func (vs *values) findNumber(n float64) int {
	for i := range vs.list {
		if vs.list[i].numeric && vs.list[i].number == n {
			return i
		}
	}
	return -1
}

// findAny returns the position of an element of a list. blank reports an element that does not
// count.
func (vs *values) findAny(e any) (at int, blank bool) {
	switch x := e.(type) {
	case string:
		text := canonical(x)
		return vs.find(text), text == ""
	case float64:
		return vs.findNumber(x), false
	case bool:
		return vs.find(strconv.FormatBool(x)), false
	}
	return -1, emptyValue(e)
}

// emptyValue reports whether a value of a parsed document reads as empty.
func emptyValue(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case string:
		return trim(x) == ""
	case []any:
		for _, e := range x {
			if !emptyValue(e) {
				return false
			}
		}
		return true
	case []string:
		return emptyIDs(x)
	case map[string]any:
		return len(x) == 0
	}
	return false
}

func emptyIDs(ids []string) bool {
	for _, id := range ids {
		if trim(id) != "" {
			return false
		}
	}
	return true
}
