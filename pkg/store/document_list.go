package store

import (
	"context"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

// Documents returns a page of the versions uploaded to a candidate document type, newest first.
func (s *Store) Documents(ctx context.Context, company, id, after string,
	limit int) ([]dossier.Document, string, error) {
	page, err := s.versions(ctx, company, id, prefixDocument, after, limit)
	if err != nil {
		return nil, "", err
	}
	stored, err := decodeAll[StoredDocument](page.Items)
	list := make([]dossier.Document, len(stored))
	for n, d := range stored {
		list[n] = d.Document
	}
	slices.SortFunc(list, func(a, b dossier.Document) int { return int(b.Version - a.Version) })
	return list, page.After, err
}

// RuleRuns returns a page of the rule runs of a candidate document type, newest first.
func (s *Store) RuleRuns(ctx context.Context, company, id, after string,
	limit int) ([]dossier.RuleRun, string, error) {
	page, err := s.versions(ctx, company, id, prefixRun, after, limit)
	if err != nil {
		return nil, "", err
	}
	runs, err := decodeAll[dossier.RuleRun](page.Items)
	for _, run := range runs {
		rules.WhyNot(run.Rules)
	}
	return runs, page.After, err
}

// versions reads the documents or rule runs of a candidate document type, the newest first.
func (s *Store) versions(ctx context.Context, company, id, prefix, after string,
	limit int) (kv.Page, error) {
	target, err := s.readUploadTarget(ctx, company, id)
	if err != nil {
		return kv.Page{}, err
	}
	q := target.at.versionQuery(prefix, target.request.DocumentTypeID)
	q.After, q.Limit, q.Backward = after, limit, true
	return s.engine.Query(ctx, q)
}

// Part returns a part of a document and the location of its bytes, in one request.
func (s *Store) Part(ctx context.Context,
	company, id, documentID, name string) (dossier.Part, BlobRef, error) {
	cdt, ok := dossier.ParseCandidateDocumentTypeID(id)
	if _, isDocument := dossier.ParseID(dossier.PrefixDocument, documentID, 1); !ok || !isDocument {
		return dossier.Part{}, BlobRef{}, dossier.ErrNotFound
	}
	at := candidateRef{company, cdt.Candidate()}
	items, err := s.engine.Get(ctx, false, at.candidateKey(),
		at.documentKey(cdt.DocumentType(), documentID))
	if err != nil {
		return dossier.Part{}, BlobRef{}, err
	}
	if items[0].Rev == 0 || items[1].Rev == 0 {
		return dossier.Part{}, BlobRef{}, dossier.ErrNotFound
	}
	c, err := decode[storedCandidate](items[0])
	if err != nil {
		return dossier.Part{}, BlobRef{}, err
	}
	d, err := decode[StoredDocument](items[1])
	if err != nil {
		return dossier.Part{}, BlobRef{}, err
	}
	for n, p := range d.Parts {
		if p.Name == name && !c.Erased {
			return p, d.Blobs[n], nil
		}
	}
	return dossier.Part{}, BlobRef{}, dossier.ErrNotFound
}

// Requests returns a page of candidate document types, of one candidate or of the company; no
// states means all.
func (s *Store) Requests(ctx context.Context, company string, f RequestFilter, after string,
	limit int) ([]dossier.CandidateDocumentType, string, error) {
	stored, types, next, err := s.requestsAndTypes(ctx, company, f, after, limit)
	if err != nil {
		return nil, "", err
	}
	names := map[string]*dossier.CandidateName{}
	if f.WithCandidate {
		if names, err = s.candidateNames(ctx, company, stored); err != nil {
			return nil, "", err
		}
	}
	list := make([]dossier.CandidateDocumentType, len(stored))
	for n, r := range stored {
		list[n] = r.shown(types[string(r.DocumentTypeID)].shown())
		list[n].Candidate = names[r.CandidateID]
	}
	return list, next, nil
}

// requestsAndTypes reads a page of candidate document types, and their document types.
func (s *Store) requestsAndTypes(ctx context.Context, company string, f RequestFilter,
	after string, limit int) ([]storedCDT, map[string]storedType, string, error) {
	if f.DocumentTypeID != "" && f.CandidateID == "" {
		stored, dt, next, err := s.requestsOfType(ctx, company, f, after, limit)
		return stored, map[string]storedType{f.DocumentTypeID: dt}, next, err
	}
	items, next, err := s.cdtItems(ctx, company, f, after, limit)
	if err != nil {
		return nil, nil, "", err
	}
	stored, err := decodeAll[storedCDT](items)
	if err != nil {
		return nil, nil, "", err
	}
	ids := make([]string, len(stored))
	for n, r := range stored {
		ids[n] = string(r.DocumentTypeID)
	}
	types, err := typesBy(ctx, s, company, true, ids)
	return stored, types, next, err
}

// RequestFilter selects candidate document types: of one candidate or of the company, of one
// document type or of all, in some states or in all, and of the company's in states those whose
// urgency is before a moment or date.
type RequestFilter struct {
	CandidateID    string
	DocumentTypeID string
	States         []string
	Before         string // a moment or date as text; empty: all
	Dated          bool   // only those that have a moment or date
	Backward       bool   // the order of the states reversed
	WithCandidate  bool   // with the names of the candidates, in one more request for each hundred
}

// before returns the end of an order by urgency, empty for none.
func (f RequestFilter) before() string {
	if f.Dated && f.Before == "" {
		return last
	}
	return f.Before
}

// candidateNames reads the names of the candidates of a page.
func (s *Store) candidateNames(ctx context.Context, company string,
	page []storedCDT) (map[string]*dossier.CandidateName, error) {
	names := map[string]*dossier.CandidateName{}
	var keys []kv.Key
	for _, r := range page {
		if _, again := names[r.CandidateID]; !again {
			names[r.CandidateID] = nil
			keys = append(keys, candidateRef{company, r.ID.Candidate()}.candidateKey())
		}
	}
	for part := range slices.Chunk(keys, maxGet) {
		items, err := s.engine.Get(ctx, true, part...)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			if i.Rev == 0 {
				continue
			}
			c, err := decode[storedCandidate](i)
			if err != nil {
				return nil, err
			}
			names[c.ID] = &dossier.CandidateName{FirstName: c.FirstName, LastName: c.LastName,
				ExternalID: c.ExternalID}
		}
	}
	return names, nil
}

func (s *Store) cdtItems(ctx context.Context, company string, f RequestFilter, after string,
	limit int) ([]kv.Item, string, error) {
	states := f.States
	if f.CandidateID == "" {
		page, next, err := s.listByState(ctx, company, listCDTs,
			stateOrder{states: states, before: f.before(), backward: f.Backward}, after, limit)
		if err != nil {
			return nil, "", err
		}
		page, err = s.resolveEntries(ctx, page, states)
		return page, next, err
	}
	at, err := parseRef(company, f.CandidateID)
	if err != nil {
		return nil, "", nil
	}
	// A candidate has at most dossier.MaxRequested: one query reads them all, and the candidate,
	// who may be erased. The page is cut here.
	q := at.cdtQuery()
	q.After = after
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, "", err
	}
	if len(page.Items) > 0 && page.Items[0].SK == skCandidate {
		if page.Items[0].Fields["erased"] != "" {
			return nil, "", nil
		}
		page.Items = page.Items[1:]
	}
	items := slices.DeleteFunc(page.Items, func(i kv.Item) bool {
		return len(states) > 0 && !isInStates(i, states) ||
			f.DocumentTypeID != "" && !isOfType(i, f.DocumentTypeID)
	})
	if limit > 0 && len(items) > limit {
		items = items[:limit]
		return items, kv.PlaceOf(kv.Main, items[limit-1]).Cursor(), nil
	}
	return items, "", nil
}

// isInStates reports whether a candidate document type, or its replacement, is in one of some
// states.
func isInStates(i kv.Item, states []string) bool {
	return slices.Contains(states, i.Fields["state"]) ||
		i.Fields[fieldInForce] != "" && slices.Contains(states, dossier.StateValidated)
}

// isOfType reports whether a candidate document type is of a document type.
func isOfType(i kv.Item, documentType string) bool {
	dt, ok := dossier.ParseDocumentTypeID(documentType)
	return ok && i.SK == prefixCDT+dt.ULID()
}
