package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// keyForms and keyPresets name the fields of a candidate in candidateUpdated.
const (
	keyForms   = "forms"
	keyPresets = "presetIds"
)

// AskForm asks a candidate for a form. VALIDATION_FAILED if there is none with the id;
// INVALID_TRANSITION if the candidate was asked for it before.
func (s *Store) AskForm(ctx context.Context, company, candidate,
	formID string) (dossier.Candidate, Rev, error) {
	targets, err := s.targets(ctx, company, nil, nil, []string{formID})
	if err != nil {
		return dossier.Candidate{}, 0, err
	}
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		c.maxBytes = maxCandidate
		if targets.missing[formID] {
			var p dossier.Problems
			p.Add("/formId", dossier.ProblemUnknown, "There is no form with the id %q.",
				dossier.Clip(formID))
			return p.Err()
		}
		if c.cand.Form(formID) != nil {
			return dossier.Errorf(dossier.CodeTransition,
				"The candidate has already been asked for this form.")
		}
		if len(c.cand.Forms) >= dossier.MaxForms {
			return errTooManyForms()
		}
		c.cand.forgetForm(formID)
		c.openForm(formID, targets.forms[formID])
		return c.emit(event.NewUpdated(event.Updated{Changed: []string{keyForms}}))
	})
}

// ReopenForm lets the candidate submit a form again. The answers stay until then.
// INVALID_TRANSITION if the form was not submitted.
func (s *Store) ReopenForm(ctx context.Context, company, candidate,
	formID string) (dossier.Candidate, Rev, error) {
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		f := c.cand.Form(formID)
		if f == nil {
			return dossier.ErrNotFound
		}
		if f.State != dossier.FormSubmitted {
			return dossier.Errorf(dossier.CodeTransition, "The form was not submitted.")
		}
		f.State = dossier.FormOpen
		return c.emit(event.NewUpdated(event.Updated{Changed: []string{keyForms}}))
	})
}

// openForm adds a form that the candidate is to fill in.
func (c *candidateTx) openForm(id, name string) {
	c.cand.Forms = append(c.cand.Forms, dossier.CandidateForm{FormID: id, Name: name,
		State: dossier.FormOpen, Answers: map[string]any{}})
}

func errTooManyForms() error {
	return dossier.Errorf(dossier.CodeLimitReached, "A candidate can have at most %d forms.",
		dossier.MaxForms)
}
