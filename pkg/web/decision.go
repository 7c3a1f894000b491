package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// decide sends a reviewer's decision. Whoever decides first wins; the other is told what happened.
func (p *page) decide(name, path, doneWord string,
	body func(*form, dossier.CandidateDocumentType) any) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("id")
	var now dossier.CandidateDocumentType
	if _, err := p.api.get("/candidateDocumentTypes/"+id, &now); err != nil {
		return err
	}
	if seen := f.Get("_state"); seen != now.State ||
		now.Document != nil && f.Get("_document") != now.Document.ID {
		return p.review(nil, tooLate(now))
	}
	in := call{method: http.MethodPost, path: "/candidateDocumentTypes/" + id + path, key: f.Key}
	if body != nil {
		in.body = body(f, now)
	}
	_, err = p.api.do(in, nil)
	var e *apiError
	if errors.As(err, &e) && e.Status == http.StatusConflict {
		if _, err := p.api.get("/candidateDocumentTypes/"+id, &now); err != nil {
			return err
		}
		return p.review(nil, tooLate(now))
	}
	if err != nil {
		if err := f.refused(err, valuePointers(now)); err != nil {
			return err
		}
		return p.review(map[string]*form{name: f}, "")
	}
	return p.done("/console/review", doneWord)
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

// validateDocument validates a document, with the values that the reviewer entered or corrected.
func validateDocument(p *page) error {
	return p.decide("validate", "/validate", "validated",
		func(f *form, now dossier.CandidateDocumentType) any {
			parsed, changed := correctedValues(f, now)
			if !changed {
				return nil
			}
			return map[string]any{"parsed": parsed}
		})
}

// correctedValues returns the values of the form that differ from what was read, nested by their
// references. One that was emptied is null.
func correctedValues(f *form, now dossier.CandidateDocumentType) (map[string]any, bool) {
	parsed, changed := map[string]any{}, false
	for _, field := range valueFields(now) {
		ref := strings.TrimPrefix(field.Name, "v.")
		if _, sent := f.values[field.Name]; !sent {
			continue
		}
		value := f.Get(field.Name)
		if value == plainText(lookup(now.Document.Parsed, ref)) {
			continue
		}
		changed = true
		if value == "" {
			nest(parsed, ref, nil)
			continue
		}
		nest(parsed, ref, typedValue(value, field.Type))
	}
	return parsed, changed
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
	return p.decide("ask", "/reject", "again", func(f *form, _ dossier.CandidateDocumentType) any {
		return map[string]any{"reason": f.Get("reason"), "resubmit": true}
	})
}

func rejectDocument(p *page) error {
	return p.decide("reject", "/reject", "rejected",
		func(f *form, _ dossier.CandidateDocumentType) any {
			return map[string]any{"reason": f.Get("reason"), "resubmit": false}
		})
}
