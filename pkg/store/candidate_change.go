package store

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// ChangeCandidate gives the candidate the values that edit leaves in it: text fields and custom fields. want is from If-Match.
func (s *Store) ChangeCandidate(ctx context.Context, company, candidate string, want Rev, edit func(*dossier.Candidate) error) (dossier.Candidate, Rev, error) {
	var after dossier.Candidate
	var rev Rev
	err := s.retryOnConflict(ctx, func() error {
		stored, read, err := s.readCandidate(ctx, company, candidate)
		if err != nil {
			return err
		}
		if err := ifMatch(want, read); err != nil {
			return err
		}
		before := stored.Candidate
		stored.CustomFields = cloneMap(stored.CustomFields)
		c := s.newCandidateTx(company, stored, read, causeOf(ctx))
		c.maxBytes = maxCandidate
		if err := edit(&c.cand.Candidate); err != nil {
			return err
		}
		changed := changedFields(before, c.cand.Candidate)
		if len(changed) == 0 {
			after, rev = before, Rev(read.Rev)
			return nil
		}
		if err := s.moveExternal(ctx, c, before.ExternalID, c.cand.ExternalID); err != nil {
			return err
		}
		if err := c.emit(event.NewUpdated(event.Updated{Changed: changed})); err != nil {
			return err
		}
		writes, err := c.finish()
		if err != nil {
			return err
		}
		after, rev = c.cand.Candidate, Rev(read.Rev+1)
		return externalTaken(s.commit(ctx, after, writes...), company, after.ExternalID, writes)
	})
	return after, rev, err
}

// changedFields names what differs: text fields, and custom fields as cf_<reference>.
func changedFields(a, b dossier.Candidate) []string {
	var changed []string
	for _, key := range dossier.TextKeys {
		if *a.Text(key) != *b.Text(key) {
			changed = append(changed, key)
		}
	}
	refs := map[string]bool{}
	for ref := range maps.Keys(a.CustomFields) {
		refs[ref] = true
	}
	for ref := range maps.Keys(b.CustomFields) {
		refs[ref] = true
	}
	for _, ref := range sortedKeys(refs) {
		if !reflect.DeepEqual(a.CustomFields[ref], b.CustomFields[ref]) {
			changed = append(changed, "cf_"+ref)
		}
	}
	slices.Sort(changed)
	return changed
}

// RejectCandidate rejects a candidate. One who is rejected already is INVALID_TRANSITION.
func (s *Store) RejectCandidate(ctx context.Context, company, candidate, reason string) (dossier.Candidate, Rev, error) {
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		if c.cand.Rejected {
			return dossier.Errorf(dossier.CodeTransition, "The candidate is rejected already.")
		}
		c.cand.Rejected, c.cand.StatusReason = true, reason
		return c.emit(event.NewRejected(event.StatusChange{Status: dossier.StatusRejected, PreviousStatus: c.before}))
	})
}

// ReopenCandidate takes a rejection back. One who is not rejected is INVALID_TRANSITION.
func (s *Store) ReopenCandidate(ctx context.Context, company, candidate string) (dossier.Candidate, Rev, error) {
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		if !c.cand.Rejected {
			return dossier.Errorf(dossier.CodeTransition, "The candidate is not rejected.")
		}
		c.cand.Rejected, c.cand.StatusReason = false, ""
		return nil
	})
}

// VerifyPass notes what an outside verifier reports of the candidate's pass.
func (s *Store) VerifyPass(ctx context.Context, company, candidate, status, reason string) (dossier.Candidate, Rev, error) {
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		c.cand.PassVerification = &dossier.PassVerification{Status: status, At: c.now, Reason: reason}
		if status == dossier.PassPending {
			return nil
		}
		return c.emit(event.NewPassVerification(event.PassVerification{Status: status}))
	})
}

// SubmitForm takes the candidate's answers. validate checks them against the form; a submitted form can't be submitted again.
func (s *Store) SubmitForm(ctx context.Context, company, candidate, formID string, validate func(dossier.Form) error, answers map[string]any) (dossier.Candidate, Rev, error) {
	form, _, err := setting[dossier.Form](ctx, s, company, kindForm, formID)
	// Of a form that was deleted no question is left: a candidate who has it still submits it without answers.
	if err != nil && !errors.Is(err, dossier.ErrNotFound) {
		return dossier.Candidate{}, 0, err
	}
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		c.maxBytes = maxCandidate
		f := c.cand.Form(formID)
		switch {
		case f == nil:
			return dossier.ErrNotFound
		case f.State == dossier.FormSubmitted:
			return dossier.Errorf(dossier.CodeTransition, "The form was submitted already.")
		}
		if err := validate(form); err != nil {
			return err
		}
		f.State, f.Answers = dossier.FormSubmitted, answers
		return nil
	})
}

// decideCandidate is changeCandidate that answers the candidate as it is afterwards, and the revision it has then.
func (s *Store) decideCandidate(ctx context.Context, company, candidate string, do func(*candidateTx) error) (after dossier.Candidate, rev Rev, err error) {
	err = s.changeCandidate(ctx, company, candidate, func(c *candidateTx) (any, error) {
		if err := do(c); err != nil {
			return nil, err
		}
		after = c.cand.Candidate
		after.Status, after.UpdatedAt, rev = c.status(), c.now, Rev(c.item.Rev+1)
		return after, nil
	})
	return after, rev, err
}

// Candidates returns a page of a company's candidates, oldest first; statuses nil is all.
func (s *Store) Candidates(ctx context.Context, company string, statuses []string, after string, limit int) ([]dossier.Candidate, string, error) {
	items, next, err := s.listByState(ctx, company, "CAND", statuses, after, limit)
	if err != nil {
		return nil, "", err
	}
	all, err := decodeAll[storedCandidate](items)
	list := make([]dossier.Candidate, len(all))
	for n, c := range all {
		list[n] = c.Candidate
	}
	return list, next, err
}
