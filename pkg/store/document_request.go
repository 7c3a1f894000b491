package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// RequestDocument asks a candidate for a document type. One that is asked for already is DOCUMENT_TYPE_ALREADY_REQUESTED.
func (s *Store) RequestDocument(ctx context.Context, company, candidate string, n DocumentRequest) (answer dossier.CandidateDocumentType, err error) {
	types, err := s.types(ctx, company, []string{n.DocumentTypeID})
	if err != nil {
		return answer, err
	}
	dt, ok := types[n.DocumentTypeID]
	if !ok || dt.Deleted {
		var p dossier.Problems
		p.Add("/documentTypeId", "unknown", "There is no document type %q.", truncate(n.DocumentTypeID))
		return answer, p.Err()
	}
	err = s.changeCandidate(ctx, company, candidate, func(c *candidateTx) (any, error) {
		items, err := s.engine.Get(ctx, false, keyRequest(company, c.ulid(), n.DocumentTypeID[len(prefixType):]))
		if err != nil {
			return nil, err
		}
		var before storedCDT
		if items[0].Rev != 0 {
			if before, err = decode[storedCDT](items[0]); err != nil {
				return nil, err
			}
			if before.State != dossier.StateRemoved {
				return nil, dossier.Errorf(dossier.CodeAlreadyRequested, "The candidate is asked for this document type already.")
			}
		}
		if items[0].Rev == 0 && len(c.cand.Requested) >= dossier.MaxRequested {
			return nil, dossier.Errorf(dossier.CodeLimitReached, "A candidate is asked for at most %d document types.", dossier.MaxRequested)
		}
		r := n.request(c.ulid(), before, c.now)
		if err := c.putRequest(r, items[0]); err != nil {
			return nil, err
		}
		r.UpdatedAt = c.now
		answer = r.shown(dt.shown())
		return answer, c.emit(requestedEvent(r))
	})
	return answer, err
}

// Request returns a candidate document type with its document type, in one request.
func (s *Store) Request(ctx context.Context, company, id string) (dossier.CandidateDocumentType, error) {
	u, err := s.readUploadTarget(ctx, company, id)
	return u.request.shown(u.docType.shown()), err
}

// Requests returns a page of candidate document types, of one candidate or of the company, in some states or in all.
func (s *Store) Requests(ctx context.Context, company, candidate string, states []string, after string, limit int) ([]dossier.CandidateDocumentType, string, error) {
	items, next, err := s.requestItems(ctx, company, candidate, states, after, limit)
	if err != nil {
		return nil, "", err
	}
	stored, err := decodeAll[storedCDT](items)
	if err != nil {
		return nil, "", err
	}
	ids := make([]string, len(stored))
	for n, r := range stored {
		ids[n] = r.DocumentTypeID
	}
	types, err := typesBy(ctx, s, company, true, ids)
	if err != nil {
		return nil, "", err
	}
	list := make([]dossier.CandidateDocumentType, len(stored))
	for n, r := range stored {
		list[n] = r.shown(types[r.DocumentTypeID].shown())
	}
	return list, next, nil
}

func (s *Store) requestItems(ctx context.Context, company, candidate string, states []string, after string, limit int) ([]kv.Item, string, error) {
	if candidate == "" {
		return s.listByState(ctx, company, "CDT", states, after, limit)
	}
	cand, ok := bare(prefixCandidate, candidate, 1)
	if !ok {
		return nil, "", nil
	}
	// A candidate has at most dossier.MaxRequested: all of them are one read, with the candidate, who may be erased; it is cut here.
	page, err := s.engine.Query(ctx, kv.Query{Partition: pkCandidate(company, cand), From: skCandidate, To: "B#CDT#~", After: after})
	if err != nil {
		return nil, "", err
	}
	if len(page.Items) > 0 && page.Items[0].SK == skCandidate {
		if page.Items[0].Fields["erased"] != "" {
			return nil, "", nil
		}
		page.Items = page.Items[1:]
	}
	items := slices.DeleteFunc(page.Items, func(i kv.Item) bool { return len(states) > 0 && !slices.Contains(states, i.Fields["state"]) })
	if limit > 0 && len(items) > limit {
		items = items[:limit]
		return items, kv.PlaceOf(kv.Main, items[limit-1]).Cursor(), nil
	}
	return items, "", nil
}

// Events returns a page of a candidate's events in their order.
func (s *Store) Events(ctx context.Context, company, candidate, after string, limit int) ([]event.Event, string, error) {
	if _, _, err := s.readCandidate(ctx, company, candidate); err != nil {
		return nil, "", err
	}
	cand := strings.TrimPrefix(candidate, prefixCandidate)
	page, err := s.engine.Query(ctx, kv.Query{Partition: pkCandidate(company, cand), From: "EVT#", To: "EVT#~", After: after, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	events, err := decodeAll[event.Event](page.Items)
	return events, page.After, err
}
