package dossier

import "unicode/utf8"

// Limits of parsed values: a check cuts its texts, and refuses more values.
const (
	MaxParsed     = 64 << 10 // bytes of all names and texts together, and 8 for each other value
	MaxParsedText = 2000     // characters of a text
)

// Parsed records values that no check can have read: a text that is too long, or too many values.
func (p *Problems) Parsed(pointer string, values map[string]any) {
	left := MaxParsed
	if p.parsed(pointer, values, &left); left < 0 {
		p.Say(pointer, ProblemTooLong, "has more than %d bytes", MaxParsed)
	}
}

// parsed stops where nothing is left of the bytes.
func (p *Problems) parsed(pointer string, v any, left *int) {
	if *left -= 8; *left < 0 {
		return
	}
	switch v := v.(type) {
	case string:
		if *left -= len(v); utf8.RuneCountInString(v) > MaxParsedText {
			p.Say(pointer, ProblemTooLong, "has more than %d characters", MaxParsedText)
		}
	case []any:
		for n := range v {
			p.parsed(Element(pointer, n), v[n], left)
		}
	case map[string]any:
		for name, member := range v {
			*left -= len(name)
			p.parsed(Member(pointer, name), member, left)
		}
	}
}
