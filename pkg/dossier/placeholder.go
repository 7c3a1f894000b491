package dossier

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The placeholders of notifications: {{firstName}} in a text stands for the candidate's first name.
const (
	PlaceholderFirstName    = "firstName"    // of the candidate
	PlaceholderDocumentType = "documentType" // name of the type of the event's document
	PlaceholderReason       = "reason"       // for which the document was rejected
	PlaceholderDueAt        = "dueAt"        // moment at which the document is due, in UTC
)

// Placeholders lists every placeholder in the order that clients are shown.
var Placeholders = []string{PlaceholderFirstName, PlaceholderDocumentType, PlaceholderReason,
	PlaceholderDueAt}

// RulePlaceholders lists those that have a value where a rule sends the notification.
var RulePlaceholders = []string{PlaceholderFirstName, PlaceholderDocumentType}

// Marked writes placeholders as texts have them, separated by commas.
func Marked(placeholders []string) string {
	return "{{" + strings.Join(placeholders, "}}, {{") + "}}"
}

// cutPlaceholder returns the text before the first {{, the name up to the next }}, and the text
// after it. open says that there is a {{ without }}, which ends the search.
func cutPlaceholder(text string) (before, name, after string, found, open bool) {
	before, rest, found := strings.Cut(text, "{{")
	if !found {
		return text, "", "", false, false
	}
	name, after, found = strings.Cut(rest, "}}")
	if !found {
		return text, "", "", false, true
	}
	return before, strings.TrimSpace(name), after, true, false
}

// Uses lists the placeholders of a notification, in the order of Placeholders.
func (n Notification) Uses() []string {
	used := map[string]bool{}
	for _, text := range []string{n.Subject, n.Text} {
		for {
			_, name, after, found, _ := cutPlaceholder(text)
			if !found {
				break
			}
			used[name], text = true, after
		}
	}
	return slices.DeleteFunc(slices.Clone(Placeholders), func(p string) bool { return !used[p] })
}

// Without lists the placeholders of a notification that are not among some.
func (n Notification) Without(some []string) []string {
	return slices.DeleteFunc(n.Uses(), func(p string) bool { return slices.Contains(some, p) })
}

// placeholders records each mistake in the placeholders of a text. where says in what kind of
// notification allowed are those that have a value.
func (p *Problems) placeholders(pointer, text, where string, allowed []string) {
	possible := fmt.Sprintf("The possible placeholders are: %s.", Marked(allowed))
	for {
		_, name, after, found, open := cutPlaceholder(text)
		switch {
		case open:
			p.Add(pointer, ProblemMalformed, "%s contains {{ without }} after it. %s",
				Subject(pointer), possible)
			return
		case !found:
			return
		case !slices.Contains(Placeholders, name):
			p.Add(pointer, ProblemUnknown, "%s contains the unknown placeholder {{%s}}. %s",
				Subject(pointer), Clip(name), possible)
			return
		case !slices.Contains(allowed, name):
			p.Add(pointer, ProblemNotAllowed,
				"%s contains the placeholder {{%s}}, which has no value %s. %s",
				Subject(pointer), name, where, possible)
			return
		}
		text = after
	}
}

// RulePlaceholders records the placeholders of a text that have no value in the rule that sends it.
// action is the pointer of its action.
func (p *Problems) RulePlaceholders(pointer, text, action string) {
	p.placeholders(pointer, text, "in a rule, and "+action+" sends this notification",
		RulePlaceholders)
}

// Filled returns the notification with values in place of its placeholders. Values are plain text:
// what looks like a placeholder in one stays. A subject or text beyond its limit is cut and ends in
// an ellipsis. What an earlier version let through as a placeholder stays as it is.
func (n Notification) Filled(values map[string]string) Notification {
	subject := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, filled(n.Subject, values))
	return Notification{Subject: shortened(subject, MaxName),
		Text: shortened(filled(n.Text, values), MaxText)}
}

// filled replaces the placeholders of a text. One without a value takes the blank before it along,
// where none is needed: "Dear {{firstName}}," becomes "Dear,".
func filled(text string, values map[string]string) string {
	var out strings.Builder
	for {
		before, name, after, found, _ := cutPlaceholder(text)
		if !found {
			out.WriteString(text)
			return out.String()
		}
		value := strings.TrimSpace(values[name])
		switch {
		case !slices.Contains(Placeholders, name):
			value = text[len(before) : len(text)-len(after)]
		case value == "" && !startsWord(after):
			before = strings.TrimSuffix(before, " ")
		}
		out.WriteString(before)
		out.WriteString(value)
		text = after
	}
}

// startsWord reports whether a text begins with what needs a blank before it.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) ||
		strings.ContainsRune("{([\"'", r))
}

// shortened cuts a text to a number of characters.
func shortened(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
