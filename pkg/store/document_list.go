package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// Documents returns a page of the versions that were uploaded to a candidate document type, newest first.
func (s *Store) Documents(ctx context.Context, company, id, after string, limit int) ([]dossier.Document, string, error) {
	page, err := s.ofRequest(ctx, company, id, "DOC#", after, limit)
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

// RuleRuns returns a page of the kept runs of the rules for a candidate document type, newest first.
func (s *Store) RuleRuns(ctx context.Context, company, id, after string, limit int) ([]dossier.RuleRun, string, error) {
	page, err := s.ofRequest(ctx, company, id, "RUN#", after, limit)
	if err != nil {
		return nil, "", err
	}
	runs, err := decodeAll[dossier.RuleRun](page.Items)
	return runs, page.After, err
}

// ofRequest reads items of a candidate document type with a sort key that starts with kind: those of the newest document first.
func (s *Store) ofRequest(ctx context.Context, company, id, kind, after string, limit int) (kv.Page, error) {
	cand, dt, ok := splitRequest(id)
	if !ok {
		return kv.Page{}, dossier.ErrNotFound
	}
	if _, err := s.readUploadTarget(ctx, company, id); err != nil {
		return kv.Page{}, err
	}
	prefix := kind + dt + "#"
	return s.engine.Query(ctx, kv.Query{
		Partition: pkCandidate(company, cand), From: prefix, To: prefix + "~", After: after, Limit: limit, Backward: true})
}

// Part returns where the bytes of a part are kept, in one request.
func (s *Store) Part(ctx context.Context, company, id, documentID, name string) (dossier.Part, BlobRef, error) {
	cand, dt, ok := splitRequest(id)
	doc, found := bare(prefixDocument, documentID, 1)
	if !ok || !found {
		return dossier.Part{}, BlobRef{}, dossier.ErrNotFound
	}
	items, err := s.engine.Get(ctx, false, keyCandidate(company, cand), keyDocument(company, cand, dt, doc))
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

// CustomFieldTypes returns the types of a company's custom fields of an entity (dossier.EntityCandidate or EntityDocument), by reference.
func (s *Store) CustomFieldTypes(ctx context.Context, company, entity string) (map[string]string, error) {
	all, err := s.fieldTypes(ctx, company)
	if err != nil {
		return nil, err
	}
	prefix := prefixCandidateField
	if entity == dossier.EntityDocument {
		prefix = prefixDocumentField
	}
	types := map[string]string{}
	for name, fieldType := range all {
		if reference, ok := strings.CutPrefix(name, prefix); ok {
			types[reference] = fieldType
		}
	}
	return types, nil
}

// DocumentType returns the document type that is uploaded to.
func (u *Upload) DocumentType() dossier.DocumentType { return u.target.docType.shown() }
