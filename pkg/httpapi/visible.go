package httpapi

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// visible removes from a result what the caller must not see. It is the one place for that, so that
// no route can forget it: a candidate's token and a company that a document type is shared with see
// neither its rules nor the address of its parser service, and a token sees no internal metadata.
func (r *request) visible(result any) any {
	switch v := result.(type) {
	case entityResult:
		v.value = r.visible(v.value)
		return v
	case pageResult:
		v.items = r.visible(v.items)
		return v
	case dossier.DocumentType:
		return r.visibleType(v)
	case []dossier.DocumentType:
		return r.visibleTypes(v)
	case dossier.CandidateDocumentType:
		return r.visibleRequest(v)
	case []dossier.CandidateDocumentType:
		return each(v, r.visibleRequest)
	case dossier.Preset:
		v.DocumentTypes = r.visibleTypes(v.DocumentTypes)
		return v
	case []dossier.Preset:
		return each(v, func(p dossier.Preset) dossier.Preset {
			return r.visible(p).(dossier.Preset)
		})
	case dossier.Scenario:
		v.DocumentTypes = r.visibleTypes(v.DocumentTypes)
		return v
	case []dossier.Scenario:
		return each(v, func(s dossier.Scenario) dossier.Scenario {
			return r.visible(s).(dossier.Scenario)
		})
	case dossier.RegistrationPage:
		v.Documents = each(v.Documents, func(d dossier.RelatedDocument) dossier.RelatedDocument {
			d.DocumentType = r.visibleType(d.DocumentType)
			return d
		})
		return v
	case []dossier.RegistrationPage:
		return each(v, func(p dossier.RegistrationPage) dossier.RegistrationPage {
			return r.visible(p).(dossier.RegistrationPage)
		})
	case []dossier.Document:
		return each(v, r.visibleDocument)
	}
	return result
}

// each returns the elements changed, in a new list: those of the store may be shared.
func each[T any](list []T, change func(T) T) []T {
	changed := make([]T, len(list))
	for n, v := range list {
		changed[n] = change(v)
	}
	return changed
}

func (r *request) isCandidate() bool { return r.principal.Kind == dossier.KindCandidate }

func (r *request) visibleTypes(types []dossier.DocumentType) []dossier.DocumentType {
	return each(types, r.visibleType)
}

func (r *request) visibleType(dt dossier.DocumentType) dossier.DocumentType {
	switch {
	case r.isCandidate():
		return dt.WithoutInternals()
	case dt.Owner.CompanyID != r.company():
		return dt.ForPartner()
	}
	dt.ParserConfirmation = nil // the owner needs none
	return dt
}

func (r *request) visibleRequest(c dossier.CandidateDocumentType) dossier.CandidateDocumentType {
	if !r.isCandidate() {
		c.DocumentType = r.visibleType(c.DocumentType)
		return c
	}
	c = c.WithoutInternals()
	if c.Document != nil {
		d := r.visibleDocument(*c.Document)
		c.Document = &d
	}
	if c.Replacement != nil {
		newer := *c.Replacement
		d := r.visibleDocument(*newer.Document)
		newer.Document = &d
		c.Replacement = &newer
	}
	return c
}

// visibleDocument removes parsed values, who decided, and why a check failed, for candidate tokens,
// which lack documents:read.
func (r *request) visibleDocument(d dossier.Document) dossier.Document {
	if r.isCandidate() {
		d.Parsed, d.Confidence, d.Corrections, d.DecidedBy, d.Comment = nil, 0, nil, nil, ""
		d.Readings = nil
		d.Reasons = slices.DeleteFunc(slices.Clone(d.Reasons), dossier.Reason.Internal)
	}
	return d
}

// visibleStored removes the same from a stored response, which holds the result as it was before.
func (r *request) visibleStored(body []byte) ([]byte, error) {
	if !bytes.Contains(body, []byte(`"submission"`)) {
		return body, nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, fmt.Errorf("decode a stored response: %w", err)
	}
	has := func(name string) bool { return members[name] != nil }
	switch {
	case has("documentType"):
		return visibleAs[dossier.CandidateDocumentType](r, body)
	case has("documents"):
		return visibleAs[dossier.RegistrationPage](r, body)
	case has("eventName"):
		return visibleAs[dossier.Scenario](r, body)
	case has("set"):
		return visibleAs[dossier.Preset](r, body)
	case has("submission"):
		return visibleAs[dossier.DocumentType](r, body)
	}
	return body, nil
}

func visibleAs[T any](r *request, body []byte) ([]byte, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("decode a stored response: %w", err)
	}
	return json.Marshal(r.visible(v), json.Deterministic(true))
}
