package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/event"
)

// Events returns a page of a candidate's events in their order, or the newest first.
func (s *Store) Events(ctx context.Context, company, candidate string, newestFirst bool,
	after string, limit int) ([]event.Event, string, error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return nil, "", err
	}
	if _, _, err := s.readCandidate(ctx, at); err != nil {
		return nil, "", err
	}
	q := at.prefixed(prefixEvent)
	q.After, q.Limit, q.Backward = after, limit, newestFirst
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, "", err
	}
	events, err := decodeAll[event.Event](page.Items)
	return events, page.After, err
}
