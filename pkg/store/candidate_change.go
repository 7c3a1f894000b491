package store

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// ChangeCandidate stores the text fields and custom fields that edit sets. want is from If-Match.
func (s *Store) ChangeCandidate(ctx context.Context, company, candidate string, want Rev,
	edit func(*dossier.Candidate) error) (dossier.Candidate, Rev, error) {
	var after dossier.Candidate
	var rev Rev
	at, err := parseRef(company, candidate)
	if err != nil {
		return after, 0, err
	}
	err = s.retryOnConflict(ctx, func() error {
		stored, read, err := s.readCandidate(ctx, at)
		if err != nil {
			return err
		}
		if err := ifMatch(want, read); err != nil {
			return err
		}
		before := stored.Candidate
		stored.CustomFields = cloneMap(stored.CustomFields)
		c := s.newCandidateTx(at, stored, read, causeOf(ctx))
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
		writes, err := c.finish(ctx)
		if err != nil {
			return err
		}
		after, rev = c.cand.Candidate, Rev(read.Rev+1)
		return externalTaken(s.commit(ctx, after, writes...), company, after.ExternalID, writes)
	})
	return after, rev, err
}

// changedFields lists the text fields that differ, and the custom fields as cf_<reference>.
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
	for ref := range refs {
		if !reflect.DeepEqual(a.CustomFields[ref], b.CustomFields[ref]) {
			changed = append(changed, prefixCandidateField+ref)
		}
	}
	slices.Sort(changed)
	return changed
}

// RejectCandidate rejects a candidate; INVALID_TRANSITION if it is rejected.
func (s *Store) RejectCandidate(ctx context.Context,
	company, candidate, reason string) (dossier.Candidate, Rev, error) {
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		if c.cand.Rejected {
			return dossier.Errorf(dossier.CodeTransition, "The candidate is already rejected.")
		}
		c.cand.Rejected, c.cand.StatusReason = true, reason
		return c.emit(event.NewRejected(
			event.StatusChange{Status: dossier.StatusRejected, PreviousStatus: c.before}))
	})
}

// ReopenCandidate takes a rejection back; INVALID_TRANSITION if the candidate is not rejected.
func (s *Store) ReopenCandidate(ctx context.Context,
	company, candidate string) (dossier.Candidate, Rev, error) {
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		if !c.cand.Rejected {
			return dossier.Errorf(dossier.CodeTransition, "The candidate is not rejected.")
		}
		c.cand.Rejected, c.cand.StatusReason = false, ""
		return nil
	})
}

// VerifyPass stores the result of an outside verification of the candidate's pass.
func (s *Store) VerifyPass(ctx context.Context,
	company, candidate, status, reason string) (dossier.Candidate, Rev, error) {
	return s.decideCandidate(ctx, company, candidate, func(c *candidateTx) error {
		c.cand.PassVerification = &dossier.PassVerification{Status: status, At: c.now,
			Reason: reason}
		if status == dossier.PassPending {
			return nil
		}
		return c.emit(event.NewPassVerification(event.PassVerification{Status: status}))
	})
}

// SubmitForm stores the candidate's answers to a form, once. validate checks them against the form.
func (s *Store) SubmitForm(ctx context.Context, company, candidate, formID string,
	validate func(dossier.Form) error, answers map[string]any) (dossier.Candidate, Rev, error) {
	form, _, err := setting[dossier.Form](ctx, s, company, kindForm, formID)
	// A deleted form has no fields left, so it can only be submitted without answers.
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
			return dossier.Errorf(dossier.CodeTransition, "The form was already submitted.")
		}
		if err := validate(form); err != nil {
			return err
		}
		f.State, f.Answers = dossier.FormSubmitted, answers
		return c.emit(event.NewFormSubmitted(event.FormSubmitted{FormID: formID}))
	})
}

// decideCandidate is like changeCandidate and returns the updated candidate and its revision.
func (s *Store) decideCandidate(ctx context.Context, company, candidate string,
	do func(*candidateTx) error) (after dossier.Candidate, rev Rev, err error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return after, 0, err
	}
	err = s.changeCandidate(ctx, at, func(c *candidateTx) (any, error) {
		if err := do(c); err != nil {
			return nil, err
		}
		after = c.cand.Candidate
		after.Status, after.UpdatedAt, rev = c.status(), c.now, Rev(c.item.Rev+1)
		return after, nil
	})
	return after, rev, err
}

// setField sets a text field or cf_<reference> of a candidate and reports whether that changed it.
// types holds the types of custom fields by cf_ reference. A value of another type changes nothing.
func setField(c *dossier.Candidate, key string, value any, types map[string]string) bool {
	if ref, custom := strings.CutPrefix(key, prefixCandidateField); custom {
		v, ok := dossier.Coerce(types[key], value)
		if !ok || reflect.DeepEqual(c.CustomFields[ref], v) {
			return false
		}
		c.CustomFields[ref] = v
		return true
	}
	// The external id is unique and the company's own: neither rules nor presets set it.
	field := c.Text(key)
	text, ok := dossier.ScalarText(value)
	text = strings.TrimSpace(text)
	if field == nil || key == "externalId" || !ok || *field == text ||
		len([]rune(text)) > dossier.MaxName {
		return false
	}
	if key == "birthDate" && !dossier.ValidDate(text) {
		return false
	}
	*field = text
	return true
}

func cloneMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
