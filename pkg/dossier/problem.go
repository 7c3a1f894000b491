package dossier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ProblemCode is a word for one kind of mistake in a request, which a program can compare.
type ProblemCode string

// The problem codes.
const (
	ProblemRequired ProblemCode = "required" // a value is missing or blank
	ProblemNull     ProblemCode = "null"     // null where only a value is possible
	// an optional text or the content is empty
	ProblemTooShort   ProblemCode = "tooShort"
	ProblemTooLong    ProblemCode = "tooLong"    // too many characters or bytes
	ProblemTooMany    ProblemCode = "tooMany"    // too many elements or members
	ProblemTooDeep    ProblemCode = "tooDeep"    // nested too deep
	ProblemOutOfRange ProblemCode = "outOfRange" // a number or moment beyond its bounds
	// a text for a number, the id of a form for that of a preset
	ProblemWrongType ProblemCode = "wrongType"
	ProblemMalformed ProblemCode = "malformed" // a text that breaks its syntax
	// a word, member or id that names nothing
	ProblemUnknown   ProblemCode = "unknown"
	ProblemDuplicate ProblemCode = "duplicate" // stands there twice
	ProblemReadOnly  ProblemCode = "readOnly"  // the service sets it
	// not together with the rest, or not for this caller
	ProblemNotAllowed      ProblemCode = "notAllowed"
	ProblemContentMismatch ProblemCode = "contentMismatch" // a file is not of the announced type
	ProblemIncomplete      ProblemCode = "incomplete"      // an announced file did not arrive
	ProblemInUse           ProblemCode = "inUse"           // names what is to be deleted
	ProblemTestFailed      ProblemCode = "testFailed"      // a test of the rules
)

// ProblemCodes lists every problem code.
var ProblemCodes = []ProblemCode{ProblemRequired, ProblemNull, ProblemTooShort, ProblemTooLong,
	ProblemTooMany, ProblemTooDeep, ProblemOutOfRange, ProblemWrongType, ProblemMalformed,
	ProblemUnknown, ProblemDuplicate, ProblemReadOnly, ProblemNotAllowed, ProblemContentMismatch,
	ProblemIncomplete, ProblemInUse, ProblemTestFailed}

// FieldError describes a mistake at one place of a request. Pointer is an RFC 6901 JSON pointer
// into the body, `?name` for a query parameter, or `#header/name` for a header.
type FieldError struct {
	Pointer string      `json:"pointer"`
	Code    ProblemCode `json:"code"`
	Message string      `json:"message"`
}

// Problems collects the mistakes of one request.
type Problems struct{ list []FieldError }

// Add records a mistake with its message, a complete sentence.
func (p *Problems) Add(pointer string, code ProblemCode, format string, args ...any) {
	p.list = append(p.list, FieldError{Pointer: pointer, Code: code,
		Message: fmt.Sprintf(format, args...)})
}

// AddAll records mistakes that another check found.
func (p *Problems) AddAll(list []FieldError) { p.list = append(p.list, list...) }

// Say records a mistake whose message is the name of the place and a predicate: Say("/name",
// ProblemRequired, "is missing") reads "The name is missing."
func (p *Problems) Say(pointer string, code ProblemCode, predicate string, args ...any) {
	p.Add(pointer, code, "%s %s.", Subject(pointer), fmt.Sprintf(predicate, args...))
}

// Err returns nil, or one VALIDATION_FAILED with every mistake.
func (p *Problems) Err() error {
	if len(p.list) == 0 {
		return nil
	}
	return &Error{Code: CodeValidation, Detail: "Some fields of the request are not valid.",
		Fields: p.list}
}

// List returns the mistakes so far.
func (p *Problems) List() []FieldError { return p.list }

// Len returns the number of mistakes.
func (p *Problems) Len() int { return len(p.list) }

// Text records a text that is missing or blank, or that OptionalText records.
func (p *Problems) Text(pointer, text string, limit int) {
	if strings.TrimSpace(text) == "" {
		p.Say(pointer, ProblemRequired, "is missing")
		return
	}
	p.OptionalText(pointer, text, limit)
}

// OptionalText records a text with more than limit characters, or with a control character that
// does not separate words and lines: such characters upset terminals and spreadsheets.
func (p *Problems) OptionalText(pointer, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		p.Say(pointer, ProblemTooLong, "has more than %d characters", limit)
	} else if HasControl(textBreaks.Replace(text)) {
		p.Say(pointer, ProblemMalformed, "contains a control character")
	}
}

// Line records what Text records, and every control character: the text is one line.
func (p *Problems) Line(pointer, text string, limit int) {
	if HasControl(text) {
		p.Say(pointer, ProblemMalformed, "contains a control character")
		return
	}
	p.Text(pointer, text, limit)
}

var textBreaks = strings.NewReplacer("\n", "", "\r", "", "\t", "")

// HasControl reports whether a text contains a control character, a line break included.
func HasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// Word records a text that is not one of a closed list.
func (p *Problems) Word(pointer, word string, list []string) {
	switch {
	case slices.Contains(list, word):
	case word == "":
		p.Add(pointer, ProblemRequired, "%s is missing. %s", Subject(pointer),
			Possible(word, list))
	default:
		p.Add(pointer, ProblemUnknown, "%s", wrongWord(pointer, word, list))
	}
}

func wrongWord(pointer, word string, list []string) string {
	return fmt.Sprintf("%s cannot be %q. %s", Subject(pointer), Clip(word), Possible(word, list))
}

// Count records a list with more than limit elements. It returns how many of them to look at.
func (p *Problems) Count(pointer string, n, limit int) int {
	if n > limit {
		p.Say(pointer, ProblemTooMany, "has more than %d elements", limit)
	}
	return min(n, limit)
}

// IDs records a list with too many ids, or with one that can't be an id.
func (p *Problems) IDs(pointer string, ids []string, limit int) {
	for n := range p.Count(pointer, len(ids), limit) {
		p.ID(Element(pointer, n), ids[n])
	}
}

// Distinct records what stands twice among the elements of a list that are looked at.
func (p *Problems) Distinct(pointer string, list []string, limit int) {
	for n := range min(len(list), limit) {
		if slices.Contains(list[:n], list[n]) {
			p.Say(Element(pointer, n), ProblemDuplicate, "repeats an earlier one")
		}
	}
}

// ID records an id that is missing or too long for one.
func (p *Problems) ID(pointer, id string) { p.Text(pointer, id, MaxID) }

// Element returns the pointer of an element of a list.
func Element(list string, n int) string { return list + "/" + strconv.Itoa(n) }

// Member returns the pointer of a member of an object.
func Member(object, name string) string { return object + "/" + pointerEscape.Replace(name) }

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// Subject names the place of a pointer at the beginning of a sentence.
func Subject(pointer string) string {
	if name, ok := strings.CutPrefix(pointer, "?"); ok {
		return "The parameter " + Clip(name)
	}
	if name, ok := strings.CutPrefix(pointer, "#header/"); ok {
		return "The header " + name
	}
	if pointer == "" {
		return "The body"
	}
	parent, last := cutLast(pointer)
	if _, err := strconv.Atoi(last); err == nil && parent != "" {
		_, list := cutLast(parent)
		return fmt.Sprintf("Element %s of %s", last, Clip(pointerUnescape.Replace(list)))
	}
	return "The " + Clip(pointerUnescape.Replace(last))
}

func cutLast(pointer string) (parent, last string) {
	i := strings.LastIndexByte(pointer, '/')
	return pointer[:max(i, 0)], pointer[i+1:]
}

const maxEcho = 100 // bytes of a client's text that a message repeats

// Clip shortens a client's text for a message and makes it valid UTF-8.
func Clip(text string) string {
	if len(text) > maxEcho {
		text = strings.ToValidUTF8(text[:maxEcho], "") + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
