package web

import (
	"net/http"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// decide sends a reviewer's decision. Whoever decides first wins; the other is told what happened.
// body returns the request and the word of the sentence that confirms it, or adds to the form what
// is wrong.
func (p *page) decide(name, path string,
	body func(*form, dossier.CandidateDocumentType) (any, string)) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("id")
	var now dossier.CandidateDocumentType
	if _, err := p.api.get("/candidateDocumentTypes/"+id, &now); err != nil {
		return err
	}
	now = now.Newest()
	if seen := f.Get("_state"); seen != now.State ||
		now.Document != nil && f.Get("_document") != now.Document.ID {
		return p.review(nil, tooLate(now))
	}
	in := call{method: http.MethodPost, path: "/candidateDocumentTypes/" + id + path, key: f.Key}
	var doneWord string
	if in.body, doneWord = body(f, now); f.Bad() {
		return p.review(map[string]*form{name: f}, "")
	}
	_, err = p.api.do(in, nil)
	if isStatus(err, http.StatusConflict) {
		before := now
		if _, err := p.api.get("/candidateDocumentTypes/"+id, &now); err != nil {
			return err
		}
		if now = now.Newest(); now.State != before.State || now.Document == nil ||
			now.Document.ID != before.Document.ID {
			return p.review(nil, tooLate(now))
		}
	}
	if err != nil {
		if err := f.refused(err, valuePointers(now)); err != nil {
			return err
		}
		f.label(now)
		return p.review(map[string]*form{name: f}, "")
	}
	if waits, _ := decidable(now); !waits {
		return p.done("/console/review/"+id+"?of="+id, doneWord) // a decision was changed
	}
	return p.done("/console/review?of="+id, doneWord)
}

// label names values by their labels in what is wrong.
func (f *form) label(c dossier.CandidateDocumentType) {
	if c.Document == nil {
		return
	}
	fields := valueFields(c)
	for _, messages := range f.errors {
		for i := range messages {
			messages[i] = labelled(messages[i], fields)
		}
	}
	for i := range f.Top {
		f.Top[i] = labelled(f.Top[i], fields)
	}
}

// valuePointers leads from the API's pointers to the fields of the values.
func valuePointers(c dossier.CandidateDocumentType) map[string]string {
	names := map[string]string{}
	if c.Document != nil {
		for _, f := range valueFields(c) {
			names["/parsed/"+strings.ReplaceAll(strings.TrimPrefix(f.Name, "v."), ".",
				"/")] = f.Name
		}
	}
	return names
}

// tooLate explains why a decision came too late: the document has changed meanwhile.
func tooLate(now dossier.CandidateDocumentType) string {
	if now.State == dossier.StateInReview {
		return "The candidate has sent a newer version meanwhile. Your decision was not taken; this is the new version."
	}
	if now.Document != nil && now.Document.DecidedBy != nil && now.Document.DecidedBy.Name != "" {
		return now.Document.DecidedBy.Name + " was faster: the state is “" +
			badgeOf(now.State).Word + "” now. Your decision was not taken."
	}
	return "Somebody was faster: the state is “" + badgeOf(now.State).Word +
		"” now. Your decision was not taken."
}

// validateDocument validates a document, with the values that the reviewer entered or corrected. An
// expired one is validated only when the reviewer was told.
func validateDocument(p *page) error {
	return p.decide("validate", "/validate",
		func(f *form, now dossier.CandidateDocumentType) (any, string) {
			f.values.Del("_confirm")
			parsed, doneWord := correctedValues(f, now), "validated"
			if date := passed(f, now, p.today()); date != "" {
				doneWord = "validatedExpired"
				if f.Get("_expired") != date {
					f.values.Set("_confirm", date)
					f.Top = append(f.Top, "It is not validated yet: its date of expiry has passed.")
				}
			}
			if len(parsed) == 0 {
				return nil, doneWord
			}
			return map[string]any{"parsed": parsed}, doneWord
		})
}

// correctedValues returns the values of the form that differ from what was read, nested by their
// references. One that was emptied is null.
func correctedValues(f *form, now dossier.CandidateDocumentType) map[string]any {
	parsed := map[string]any{}
	for _, field := range valueFields(now) {
		if _, sent := f.values[field.Name]; !sent {
			continue
		}
		value, readable := field.value(f)
		switch {
		case !readable:
			f.add(field.Name, "“"+field.Label+
				"” is not a date. Write day.month.year or year-month-day; the day comes first.")
		case value == field.Read:
		case value == "":
			nest(parsed, field.reference(), nil)
		default:
			nest(parsed, field.reference(), typedValue(value, field.Type))
		}
	}
	return parsed
}

// nest sets a value at a dotted reference.
func nest(values map[string]any, ref string, value any) {
	head, rest, nested := strings.Cut(ref, ".")
	if !nested {
		values[head] = value
		return
	}
	inner, ok := values[head].(map[string]any)
	if !ok {
		inner = map[string]any{}
		values[head] = inner
	}
	nest(inner, rest, value)
}

func askAgain(p *page) error {
	return p.decide("ask", "/reject",
		func(f *form, now dossier.CandidateDocumentType) (any, string) {
			return p.reasonBody(f, now, true), "again"
		})
}

func rejectDocument(p *page) error {
	return p.decide("reject", "/reject",
		func(f *form, now dossier.CandidateDocumentType) (any, string) {
			return p.reasonBody(f, now, false), "rejected"
		})
}
