package web

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// funcs are the functions of the templates.
func (s *Site) funcs() template.FuncMap {
	return template.FuncMap{
		"asset": s.assets.url,
		"ago":   func(t dossier.Time) template.HTML { return ago(s.cfg.Now(), t) },
		"due":   func(t dossier.Time) string { return until(s.cfg.Now(), t) },
		"day":   day,
		"id":    shortID,
		"badge": badgeOf,
		"word":  word,
		"dict":  dict,
		"key":   formKey,
		"value": plainText,
		"count": count,
		"key1":  func(n int) int { return n + 1 },
		"join":  strings.Join,
		"size":  size,

		"statuses": func() []option { return wordOptions(dossier.Statuses) },
		"passes": func() []option {
			return wordOptions([]string{dossier.PassVerified, dossier.PassFailed,
				dossier.PassPending})
		},
		"write":     writeTo,
		"operators": operatorOptions,
		"parsers":   func() []option { return options(dossier.ParserNames()...) },
		"decisions": func() []option {
			return options(dossier.DecisionAutomatic, dossier.DecisionManual)
		},
		"fieldTypes": func() []option {
			return options(dossier.FieldText, dossier.FieldNumber, dossier.FieldDate)
		},
		"replaceables": func() []option { return replaceables },
		"replaceable":  replaceable,
		"questionTypes": func() []option {
			return options(dossier.FieldText, dossier.FieldNumber, dossier.FieldDate,
				dossier.FieldBoolean, dossier.FieldList)
		},
		"say":       say,
		"part":      partLabel,
		"reasons":   reasonOptions,
		"emptyRow":  func() typeRow { return typeRow{Type: dossier.FieldText} },
		"emptyBack": func() backRow { return backRow{} },
		"author":    authorOf,
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// dict makes a map of names and values, for components that take several.
func dict(pairs ...any) (map[string]any, error) {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is not a name", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}

// formKey makes the Idempotency-Key of a form: sent twice, it acts once.
func formKey() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// ago renders a moment as the time since then, with the exact time on hover. The script writes it
// in the reader's zone.
func ago(now time.Time, t dossier.Time) template.HTML {
	if t.IsZero() {
		return ""
	}
	u := t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`,
		u.Format(time.RFC3339),
		u.Format("2 January 2006, 15:04:05 MST"), since(now.Sub(t.Time))))
}

// since describes the time that has passed since something.
func since(d time.Duration) string {
	switch {
	case d < 0:
		return inFuture(-d)
	case d < 10*time.Second:
		return "just now"
	}
	return span(d) + " ago"
}

func inFuture(d time.Duration) string {
	if d < time.Second {
		return "now"
	}
	return "in " + span(d)
}

// span renders a length of time in its largest unit.
func span(d time.Duration) string {
	const dayLong = 24 * time.Hour
	switch {
	case d < time.Minute:
		return count(int(d/time.Second), "second")
	case d < time.Hour:
		return count(int(d/time.Minute), "minute")
	case d < dayLong:
		return count(int(d/time.Hour), "hour")
	case d < 60*dayLong:
		return count(int(d/dayLong), "day")
	case d < 2*365*dayLong:
		return count(int(d/(30*dayLong)), "month")
	}
	return count(int(d/(365*dayLong)), "year")
}

// count renders a number with its noun.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "day"):
		return strconv.Itoa(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// until describes the time at which something is due.
func until(now time.Time, t dossier.Time) string {
	d := t.Sub(now)
	if d < 0 {
		return "overdue since " + t.Format("2 January")
	}
	return "due in " + span(d)
}

// day renders a date, or a moment, as a day.
func day(v any) string {
	switch x := v.(type) {
	case dossier.Time:
		if x.IsZero() {
			return ""
		}
		return x.UTC().Format("2 January 2006")
	case string:
		if d, err := time.Parse(time.DateOnly, x); err == nil {
			return d.Format("2 January 2006")
		}
		return x
	}
	return ""
}

// shortID shortens an id to its prefix and its end.
func shortID(id string) string {
	prefix, rest, ok := strings.Cut(id, "_")
	if !ok || len(rest) <= 8 {
		return id
	}
	return prefix + "_…" + rest[len(rest)-6:]
}

// plainText renders a value of the API as text.
func plainText(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		if x {
			return "yes"
		}
		return "no"
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = plainText(e)
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}

func size(n int64) string {
	switch {
	case n < 1000:
		return count(int(n), "byte")
	case n < 1_000_000:
		return strconv.FormatInt(n/1000, 10) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// wordOptions makes choices of states.
func wordOptions(states []string) []option {
	all := make([]option, len(states))
	for i, state := range states {
		all[i] = option{state, badgeOf(state).Word}
	}
	return all
}

// operatorOptions makes choices of the operators, those that compare with a value first.
func operatorOptions() []option {
	var comparing, others []string
	for _, o := range dossier.Operators {
		if o.NeedsValue {
			comparing = append(comparing, o.Name)
		} else {
			others = append(others, o.Name)
		}
	}
	return options(append(comparing, others...)...)
}

// replaceables says who may send a newer version of a document that is in force.
var replaceables = []option{
	{dossier.ReplaceableCandidate, "The candidate and your company"},
	{dossier.ReplaceableAdministrator, "Your company only"},
	{dossier.ReplaceableNever, "Nobody, until it expires or is rejected"},
}

// replaceable returns the words for one of them.
func replaceable(value string) string {
	for _, o := range replaceables {
		if o.Value == value {
			return o.Label
		}
	}
	return value
}

func writeTo(firstName string) string {
	if firstName == "" {
		return "Write to the candidate"
	}
	return "Write to " + firstName
}

// authorOf describes the author of a message.
func authorOf(a dossier.Author) string {
	switch {
	case a.Type == dossier.AuthorSystem:
		return "Sent by a rule or scenario"
	case a.Name != "":
		return a.Name
	case a.Type == dossier.KindCandidate:
		return "The candidate"
	}
	return "An administrator"
}

// capital returns a text with a capital first letter.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
