package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// dueLayout is the form of {{dueAt}}.
const dueLayout = "2006-01-02 15:04 MST"

// trigger is the part of an event that placeholders take their values from.
type trigger struct {
	Data struct {
		CandidateDocumentTypeID string       `json:"candidateDocumentTypeId"`
		DocumentID              string       `json:"documentId"`
		DueAt                   dossier.Time `json:"dueAt"`
	} `json:"data"`
}

// reactionValues returns the values of placeholders in a reaction to the event with a number. The
// candidate's own is not among them. Values that do not exist any more are missing.
func (s *Store) reactionValues(ctx context.Context, n *dossier.Notification, d *snapshot,
	sequence int64) (map[string]string, error) {
	if n == nil || len(n.Without([]string{dossier.PlaceholderFirstName})) == 0 {
		return nil, nil
	}
	e, _, err := get[trigger](ctx, s, d.at.eventKey(sequence))
	if errors.Is(err, dossier.ErrNotFound) {
		return nil, nil
	}
	id, ok := dossier.ParseCandidateDocumentTypeID(e.Data.CandidateDocumentTypeID)
	if err != nil || !ok {
		return nil, err
	}
	name, err := s.typeName(ctx, d.at.company, *n, id.DocumentType())
	if err != nil {
		return nil, err
	}
	values := map[string]string{dossier.PlaceholderDocumentType: name}
	r := d.requests[id.DocumentType()]
	due := r.DueAt
	if !e.Data.DueAt.IsZero() {
		due = e.Data.DueAt
	}
	if !due.IsZero() {
		values[dossier.PlaceholderDueAt] = due.UTC().Format(dueLayout)
	}
	if slices.Contains(n.Uses(), dossier.PlaceholderReason) {
		values[dossier.PlaceholderReason], err = s.reasonOf(ctx, d.at, r, e.Data.DocumentID)
	}
	return values, err
}

// reasonOf returns the reasons of a document that a candidate may read, as one text.
func (s *Store) reasonOf(ctx context.Context, at candidateRef, r storedCDT,
	document string) (string, error) {
	if document == "" || r.Document == nil {
		return "", nil
	}
	reasons := r.Document.Reasons
	if r.Document.ID != document {
		d, _, err := get[StoredDocument](ctx, s, at.documentKey(r.DocumentTypeID, document))
		if err != nil && !errors.Is(err, dossier.ErrNotFound) {
			return "", err
		}
		reasons = d.Reasons
	}
	var texts []string
	for _, reason := range reasons {
		if !reason.Internal() && reason.Message != "" {
			texts = append(texts, reason.Message)
		}
	}
	return strings.Join(texts, " "), nil
}

// typeName returns the name of a document type for a notification that has a placeholder for it.
func (s *Store) typeName(ctx context.Context, company string, n dossier.Notification,
	dt dossier.DocumentTypeID) (string, error) {
	if !slices.Contains(n.Uses(), dossier.PlaceholderDocumentType) {
		return "", nil
	}
	types, err := s.types(ctx, company, []string{string(dt)})
	return types[string(dt)].Name, err
}

// ruleValues returns the values of placeholders where the rules of a document type send
// notifications. The candidate's own is not among them.
func (s *Store) ruleValues(ctx context.Context, company string, g targets,
	dt dossier.DocumentTypeID) (map[string]string, error) {
	for _, n := range g.notifications {
		name, err := s.typeName(ctx, company, n, dt)
		if name != "" || err != nil {
			return map[string]string{dossier.PlaceholderDocumentType: name}, err
		}
	}
	return nil, nil
}
