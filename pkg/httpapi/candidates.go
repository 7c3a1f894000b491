package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) candidateRoutes() []route {
	const read, write = dossier.ScopeCandidatesRead, dossier.ScopeCandidatesWrite
	return []route{
		{method: http.MethodGet, path: "/candidates", scope: read, paging: paged,
			filters: []string{"status[]", "externalId"}, handle: a.listCandidates},
		{method: http.MethodPost, path: "/candidates", scope: write, handle: a.createCandidate},
		{method: http.MethodGet, path: "/candidates/{id}", scope: read, tokens: "id", handle: a.getCandidate},
		{method: http.MethodPatch, path: "/candidates/{id}", scope: write, handle: a.changeCandidate},
		{method: http.MethodDelete, path: "/candidates/{id}", scope: write, handle: a.eraseCandidate},
		{method: http.MethodPost, path: "/candidates/{id}/reject", scope: write, handle: a.rejectCandidate},
		{method: http.MethodPost, path: "/candidates/{id}/reopen", scope: write, body: bodyNone, handle: a.reopenCandidate},
		{method: http.MethodPost, path: "/candidates/{id}/passVerification", scope: write, handle: a.verifyPass},
		{method: http.MethodGet, path: "/candidates/{id}/events", scope: read, paging: paged, handle: a.listEvents},
		{method: http.MethodPost, path: "/candidates/{id}/forms/{formId}", scope: write, tokens: "id", handle: a.submitForm},
	}
}

func (a *API) registerRoutes() []route {
	return []route{{method: http.MethodPost, path: "/registration-pages/{id}/register", scope: dossier.ScopeCandidatesWrite, handle: a.register}}
}

func (a *API) listCandidates(r *request) (any, error) {
	if err := r.oneOf("filter[status][]", dossier.Statuses); err != nil {
		return nil, err
	}
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	statuses := r.anyOf("status")
	if external := r.filter("externalId"); external != "" {
		c, err := a.store.CandidateByExternalID(r.Context(), r.principal.CompanyID, external)
		if errors.Is(err, dossier.ErrNotFound) || err == nil && len(statuses) > 0 && !slices.Contains(statuses, c.Status) {
			return []dossier.Candidate{}, nil
		}
		return []dossier.Candidate{c}, err
	}
	list, next, err := a.store.Candidates(r.Context(), r.principal.CompanyID, statuses, after, size)
	return listed{list, next}, err
}

// newCandidate is the body of POST /candidates.
type newCandidate struct {
	candidateValues
	DocumentTypeIDs []string `json:"documentTypeIds"`
	FormIDs         []string `json:"formIds"`
	PresetID        *string  `json:"presetId"`
}

func (a *API) createCandidate(r *request) (any, error) {
	in, err := decode[newCandidate](r, candidateOwn...)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	if err := a.checkNew(r, &p, &in.candidateValues); err != nil {
		return nil, err
	}
	checkIDs(&p, "/documentTypeIds", in.DocumentTypeIDs, dossier.MaxRequested)
	checkIDs(&p, "/formIds", in.FormIDs, dossier.MaxForms)
	if in.PresetID != nil {
		noteText(&p, "/presetId", *in.PresetID, true, maxParam)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	n := store.NewCandidate{FormIDs: in.FormIDs}
	if in.PresetID != nil {
		n.PresetID = *in.PresetID
	}
	for _, id := range in.DocumentTypeIDs {
		n.Documents = append(n.Documents, store.DocumentRequest{DocumentTypeID: id})
	}
	in.setOn(&n.Values)
	made, err := a.store.CreateCandidate(r.Context(), r.principal.CompanyID, n)
	return versioned{made, 1}, err
}

// checkNew notes what is wrong with the values of a candidate that is made.
func (a *API) checkNew(r *request, p *dossier.Problems, v *candidateValues) error {
	v.check(p, candidateValues{})
	return a.checkCustomFields(r.Context(), p, r.principal.CompanyID, dossier.EntityCandidate, v.CustomFields, nil)
}

// checkIDs notes a list of ids that is too long or names one twice. What does not exist is noted where it is read.
func checkIDs(p *dossier.Problems, pointer string, ids []string, most int) {
	if len(ids) > most {
		p.Add(pointer, "tooMany", "has more than %d ids", most)
		return
	}
	for n, id := range ids {
		if slices.Index(ids, id) < n {
			p.Add(fmt.Sprintf("%s/%d", pointer, n), "duplicate", "is named before")
		}
	}
}

// register makes a candidate who comes in by a registration page.
func (a *API) register(r *request) (any, error) {
	in, err := decode[candidateValues](r, candidateOwn...)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	if err := a.checkNew(r, &p, &in); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	n, err := a.store.PageRequest(r.Context(), r.principal.CompanyID, r.param("id"))
	if err != nil {
		return nil, err
	}
	in.setOn(&n.Values)
	made, err := a.store.CreateCandidate(r.Context(), r.principal.CompanyID, n)
	return versioned{made, 1}, err
}

func (a *API) getCandidate(r *request) (any, error) {
	c, rev, err := a.store.Candidate(r.Context(), r.principal.CompanyID, r.param("id"))
	return versioned{c, int64(rev)}, err
}

func (a *API) changeCandidate(r *request) (any, error) {
	want, _, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	c, rev, err := a.store.ChangeCandidate(r.Context(), r.principal.CompanyID, r.param("id"), store.Rev(want), func(c *dossier.Candidate) error {
		before := valuesOf(c)
		in, err := decodePatch(r, before, candidateOwn...)
		if err != nil {
			return err
		}
		var p dossier.Problems
		in.check(&p, before)
		err = a.checkCustomFields(r.Context(), &p, r.principal.CompanyID, dossier.EntityCandidate, in.CustomFields, before.CustomFields)
		if err != nil {
			return err
		}
		in.setOn(c)
		return p.Err()
	})
	return versioned{c, int64(rev)}, err
}

// eraseCandidate answers once the candidate can't be found any more; the rest of the erasure is open work.
func (a *API) eraseCandidate(r *request) (any, error) {
	return nil, a.store.EraseCandidate(r.Context(), r.principal.CompanyID, r.param("id"))
}

func (a *API) rejectCandidate(r *request) (any, error) {
	in, err := decode[struct {
		Reason string `json:"reason"`
	}](r)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	checkText(&p, "/reason", in.Reason, dossier.MaxName)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return read(a.store.RejectCandidate(r.Context(), r.principal.CompanyID, r.param("id"), in.Reason))
}

func (a *API) reopenCandidate(r *request) (any, error) {
	return read(a.store.ReopenCandidate(r.Context(), r.principal.CompanyID, r.param("id")))
}

var passStatuses = []string{dossier.PassPending, dossier.PassVerified, dossier.PassFailed}

// verifyPass notes what an outside verifier reports.
func (a *API) verifyPass(r *request) (any, error) {
	in, err := decode[struct {
		Status string  `json:"status"`
		Reason *string `json:"reason"`
	}](r)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	if !slices.Contains(passStatuses, in.Status) {
		p.Add("/status", "invalid", "%q is not one of its values%s", clip(in.Status), suggest(in.Status, passStatuses))
	}
	reason := ""
	if in.Reason != nil {
		reason = *in.Reason
		checkText(&p, "/reason", reason, dossier.MaxName)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return read(a.store.VerifyPass(r.Context(), r.principal.CompanyID, r.param("id"), in.Status, reason))
}

func (a *API) listEvents(r *request) (any, error) {
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	list, next, err := a.store.Events(r.Context(), r.principal.CompanyID, r.param("id"), after, size)
	return listed{list, next}, err
}

// submitForm takes the answers to a form that the candidate is asked to fill in.
func (a *API) submitForm(r *request) (any, error) {
	in, err := decode[struct {
		Answers map[string]any `json:"answers"`
	}](r)
	if err != nil {
		return nil, err
	}
	if in.Answers == nil {
		var p dossier.Problems
		p.Add("/answers", "required", "is missing")
		return nil, p.Err()
	}
	return read(a.store.SubmitForm(r.Context(), r.principal.CompanyID, r.param("id"), r.param("formId"), func(f dossier.Form) error {
		return checkAnswers(f, in.Answers)
	}, in.Answers))
}
