package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// callWrites returns the write that logs the call of a parser service; none if there was no call.
// A claim makes one call at most, and its fencing token is in the key. The item is absent unless
// this end of the claim is written already.
func callWrites(claim Claim, call *dossier.Attempt) ([]kv.Write, error) {
	id, ok := dossier.ParseCandidateDocumentTypeID(claim.Request)
	if call == nil || !ok || claim.Type.Check.HTTP == nil {
		return nil, nil
	}
	at := candidateRef{claim.Company, id.Candidate()}
	document := claim.Document.ID
	entry := dossier.ParserCall{
		ID: dossier.PrefixParserCall + at.id.ULID() + document[len(dossier.PrefixDocument):] +
			digits(claim.Token),
		DocumentTypeID: claim.Type.ID, CandidateDocumentTypeID: claim.Request,
		CandidateID: claim.Candidate, DocumentID: document, Version: claim.Document.Version,
		Host: claim.Type.Check.HTTP.Host(), Attempt: *call,
	}
	i, err := item(at.parserCallKey(document, claim.Token), 0, entry)
	if err != nil {
		return nil, err
	}
	i.List, i.ListSort = listPartition(at.company, listCalls), logSort(call.At, entry.ID)
	i.Lookup, i.LookupSort = lookupPartition(at.company, listCalls, id.DocumentType().ULID()),
		i.ListSort
	i.Expires = call.At.Add(logFor).Unix()
	return []kv.Write{create(i)}, nil
}

// ParserCallFilter narrows the log of calls of parser services; an empty field matches all.
type ParserCallFilter struct{ DocumentTypeID, CandidateID string }

// ParserCalls returns a page of the log of calls of parser services, newest first.
func (s *Store) ParserCalls(ctx context.Context, company string, f ParserCallFilter, after string,
	limit int) ([]dossier.ParserCall, string, error) {
	q := kv.Query{Index: kv.IndexList, Partition: listPartition(company, listCalls)}
	if f.DocumentTypeID != "" {
		key, ok := settingKey(company, kindType, f.DocumentTypeID)
		if !ok {
			return nil, "", nil
		}
		q.Index, q.Partition = kv.IndexLookup, lookupPartition(company, listCalls, key.SK)
	}
	return logPage(ctx, s, q, after, limit, func(c dossier.ParserCall) bool {
		return f.CandidateID == "" || c.CandidateID == f.CandidateID
	})
}
