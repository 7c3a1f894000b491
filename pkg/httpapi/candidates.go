package httpapi

import (
	"errors"
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) candidateRoutes() []route {
	const read, write = dossier.ScopeCandidatesRead, dossier.ScopeCandidatesWrite
	return []route{
		{method: http.MethodGet, path: "/candidates", scope: read, paging: paged,
			filters: []string{"status[]", "externalId", "search", "missing"},
			sorts:   []string{sortCreated, sortNewest, sortName, sortNameReverse},
			handle:  a.listCandidates},
		{method: http.MethodPost, path: "/candidates", scope: write, handle: a.createCandidate},
		{method: http.MethodPost, path: "/candidates/import", scope: write,
			handle: a.importCandidate},
		{method: http.MethodGet, path: "/candidates/{id}", scope: read, tokens: "id",
			handle: a.getCandidate},
		{method: http.MethodPatch, path: "/candidates/{id}", scope: write,
			handle: a.changeCandidate},
		{method: http.MethodDelete, path: "/candidates/{id}", scope: write,
			handle: a.eraseCandidate},
		{method: http.MethodPost, path: "/candidates/{id}/reject", scope: write,
			handle: a.rejectCandidate},
		{method: http.MethodPost, path: "/candidates/{id}/reopen", scope: write, body: bodyNone,
			handle: a.reopenCandidate},
		{method: http.MethodPost, path: "/candidates/{id}/passVerification", scope: write,
			handle: a.verifyPass},
		{method: http.MethodGet, path: "/candidates/{id}/events", scope: read, paging: paged,
			sorts: []string{sortCreated, sortNewest}, handle: a.listEvents},
		{method: http.MethodGet, path: "/candidates/{id}/forms/{formId}", scope: read, tokens: "id",
			handle: a.getCandidateForm},
		{method: http.MethodPost, path: "/candidates/{id}/forms/{formId}", scope: write,
			tokens: "id", handle: a.submitForm},
		{method: http.MethodPost, path: "/candidates/{id}/forms", scope: write,
			handle: a.askForm},
		{method: http.MethodPost, path: "/candidates/{id}/forms/{formId}/reopen", scope: write,
			body: bodyNone, handle: a.reopenForm},
		{method: http.MethodPost, path: "/candidates/{id}/presets", scope: write,
			handle: a.applyPreset},
		{method: http.MethodDelete, path: "/candidates/{id}/presets/{presetId}", scope: write,
			handle: a.takeBackPreset},
	}
}

func (a *API) registerRoutes() []route {
	return []route{{method: http.MethodPost, path: "/registration-pages/{id}/register",
		scope: dossier.ScopeCandidatesWrite, handle: a.register}}
}

func (a *API) createCandidate(r *request) (any, error) {
	in, err := decode[dossier.NewCandidateInput](r, candidateServerSet...)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	in.Validate(&p)
	err = a.validateCustomFields(r, &p, dossier.EntityCandidate, in.CustomFields, nil)
	if err := errors.Join(err, p.Err()); err != nil {
		return nil, err
	}
	n := store.NewCandidate{FormIDs: in.FormIDs}
	if in.PresetID != nil {
		n.PresetID = *in.PresetID
	}
	for _, id := range in.DocumentTypeIDs {
		n.Documents = append(n.Documents, store.DocumentRequest{DocumentTypeID: id})
	}
	in.SetOn(&n.Values)
	made, err := a.store.CreateCandidate(r.Context(), r.company(), n)
	return entityResult{made, 1}, err
}

// importCandidate brings in what the company has on record elsewhere. Documents need their own
// scope, as a validation does.
func (a *API) importCandidate(r *request) (any, error) {
	in, err := decode[dossier.CandidateImportInput](r, candidateServerSet...)
	if err != nil {
		return nil, err
	}
	if len(in.Documents) > 0 && !r.principal.Has(dossier.ScopeDocumentsWrite) {
		return nil, dossier.Errorf(dossier.CodeForbidden,
			"Importing documents requires a key with the scope %s.", dossier.ScopeDocumentsWrite)
	}
	var p dossier.Problems
	in.Validate(&p)
	err = a.validateCustomFields(r, &p, dossier.EntityCandidate, in.CustomFields, nil)
	if err := errors.Join(err, p.Err()); err != nil {
		return nil, err
	}
	return a.store.ImportCandidate(r.Context(), r.company(), in)
}

// register creates a candidate who comes in by a registration page.
func (a *API) register(r *request) (any, error) {
	in, err := decode[dossier.CandidateInput](r, candidateServerSet...)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	in.Validate(&p, dossier.CandidateInput{})
	err = a.validateCustomFields(r, &p, dossier.EntityCandidate, in.CustomFields, nil)
	if err := errors.Join(err, p.Err()); err != nil {
		return nil, err
	}
	n, err := a.store.PageRequest(r.Context(), r.company(), r.param("id"))
	if err != nil {
		return nil, err
	}
	in.SetOn(&n.Values)
	made, err := a.store.CreateCandidate(r.Context(), r.company(), n)
	return entityResult{made, 1}, err
}

func (a *API) getCandidate(r *request) (any, error) {
	return read(a.store.Candidate(r.Context(), r.company(), r.param("id")))
}

func (a *API) changeCandidate(r *request) (any, error) {
	want, _, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	change := func(c *dossier.Candidate) error {
		before := dossier.InputOf(c)
		in, err := decodePatch(r, before, candidateServerSet...)
		if err != nil {
			return err
		}
		var p dossier.Problems
		in.Validate(&p, before)
		if err := a.validateCustomFields(r, &p, dossier.EntityCandidate, in.CustomFields,
			before.CustomFields); err != nil {
			return err
		}
		in.SetOn(c)
		return p.Err()
	}
	return read(a.store.ChangeCandidate(r.Context(), r.company(), r.param("id"), store.Rev(want),
		change))
}

// eraseCandidate answers as soon as the candidate can't be found any more. A task erases the rest.
func (a *API) eraseCandidate(r *request) (any, error) {
	return nil, a.store.EraseCandidate(r.Context(), r.company(), r.param("id"))
}

// reasonInput is the body of a request that has to give a reason.
type reasonInput struct {
	Reason string `json:"reason"`
}

// Validate records what is wrong with the reason.
func (in reasonInput) Validate(p *dossier.Problems) {
	p.Text("/reason", in.Reason, dossier.MaxName)
}

func (a *API) rejectCandidate(r *request) (any, error) {
	in, err := decodeValid(r, reasonInput.Validate)
	if err != nil {
		return nil, err
	}
	return read(a.store.RejectCandidate(r.Context(), r.company(), r.param("id"), in.Reason))
}

func (a *API) reopenCandidate(r *request) (any, error) {
	return read(a.store.ReopenCandidate(r.Context(), r.company(), r.param("id")))
}

// passInput is the body of POST /candidates/{id}/passVerification.
type passInput struct {
	Status string  `json:"status"`
	Reason *string `json:"reason"`
}

// Validate records what is wrong with the outcome.
func (in passInput) Validate(p *dossier.Problems) {
	p.Word("/status", in.Status, dossier.PassStatuses)
	if in.Reason != nil {
		p.Text("/reason", *in.Reason, dossier.MaxName)
	}
}

// verifyPass stores the outcome that an outside verifier reports.
func (a *API) verifyPass(r *request) (any, error) {
	in, err := decodeValid(r, passInput.Validate)
	if err != nil {
		return nil, err
	}
	reason := ""
	if in.Reason != nil {
		reason = *in.Reason
	}
	return read(a.store.VerifyPass(r.Context(), r.company(), r.param("id"), in.Status, reason))
}

func (a *API) listEvents(r *request) (any, error) {
	newestFirst, err := r.newestFirst()
	if err != nil {
		return nil, err
	}
	return list(r, func(after string, limit int) ([]event.Event, string, error) {
		return a.store.Events(r.Context(), r.company(), r.param("id"), newestFirst, after, limit)
	})
}

// getCandidateForm answers a form that the candidate is asked to fill in. Its questions are the
// only part of a form that a candidate's token reads.
func (a *API) getCandidateForm(r *request) (any, error) {
	c, _, err := a.store.Candidate(r.Context(), r.company(), r.param("id"))
	if err != nil {
		return nil, err
	}
	asked := c.Form(r.param("formId"))
	if asked == nil {
		return nil, dossier.ErrNotFound
	}
	form, _, err := a.store.Form(r.Context(), r.company(), asked.FormID)
	if err != nil && !errors.Is(err, dossier.ErrNotFound) {
		return nil, err
	}
	detail := dossier.CandidateFormDetail{CandidateForm: *asked, Fields: form.Fields}
	if detail.Fields == nil {
		detail.Fields = []dossier.FormField{} // the form was deleted
	}
	return detail, nil
}

// answersInput is the body of POST /candidates/{id}/forms/{formId}.
type answersInput struct {
	Answers map[string]any `json:"answers"`
}

// Validate records answers that are missing altogether; the form decides about each.
func (in answersInput) Validate(p *dossier.Problems) {
	if in.Answers == nil {
		p.Add("/answers", dossier.ProblemRequired, "The answers are missing.")
	}
}

// submitForm stores the answers to a form that the candidate is asked to fill in.
func (a *API) submitForm(r *request) (any, error) {
	in, err := decodeValid(r, answersInput.Validate)
	if err != nil {
		return nil, err
	}
	validate := func(f dossier.Form) error {
		var p dossier.Problems
		p.Answers("/answers", f, in.Answers)
		return p.Err()
	}
	return read(a.store.SubmitForm(r.Context(), r.company(), r.param("id"), r.param("formId"),
		validate, in.Answers))
}
