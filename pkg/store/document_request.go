package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// RequestDocument requests a document type from a candidate; DOCUMENT_TYPE_ALREADY_REQUESTED if it
// is requested and was not removed.
func (s *Store) RequestDocument(ctx context.Context, company, candidate string,
	n DocumentRequest) (answer dossier.CandidateDocumentType, err error) {
	types, err := s.types(ctx, company, []string{n.DocumentTypeID})
	if err != nil {
		return answer, err
	}
	dt, ok := types[n.DocumentTypeID]
	if !ok || dt.Deleted {
		var p dossier.Problems
		p.Add("/documentTypeId", dossier.ProblemUnknown,
			"There is no document type with the id %q.",
			dossier.Clip(n.DocumentTypeID))
		return answer, p.Err()
	}
	at, err := parseRef(company, candidate)
	if err != nil {
		return answer, err
	}
	err = s.changeCandidate(ctx, at, func(c *candidateTx) (any, error) {
		r, err := s.requestDocument(ctx, c, n)
		r.UpdatedAt = c.now
		answer = r.shown(dt.shown())
		return answer, err
	})
	return answer, err
}

func (s *Store) requestDocument(ctx context.Context, c *candidateTx,
	n DocumentRequest) (r storedCDT, err error) {
	id := c.at.id.DocumentType(dossier.DocumentTypeID(n.DocumentTypeID))
	items, err := s.engine.Get(ctx, false, c.at.cdtKey(id.DocumentType()))
	if err != nil {
		return r, err
	}
	var before storedCDT
	if items[0].Rev == 0 && len(c.cand.Requested) >= dossier.MaxRequested {
		return r, dossier.Errorf(dossier.CodeLimitReached,
			"A candidate can be asked for at most %d document types.", dossier.MaxRequested)
	}
	if items[0].Rev != 0 {
		if before, err = decode[storedCDT](items[0]); err != nil {
			return r, err
		}
		if !dossier.CanGo(before.State, dossier.StateRequested) {
			return r, dossier.Errorf(dossier.CodeAlreadyRequested,
				"The candidate has already been asked for this document type.")
		}
	}
	r = n.cdt(id, before, c.now)
	if err := c.putCDT(r, items[0]); err != nil {
		return r, err
	}
	return r, c.emit(requestedEvent(r))
}

// Request returns a candidate document type with its document type, in one request.
func (s *Store) Request(ctx context.Context,
	company, id string) (dossier.CandidateDocumentType, error) {
	u, err := s.readUploadTarget(ctx, company, id)
	return u.request.shown(u.docType.shown()), err
}
