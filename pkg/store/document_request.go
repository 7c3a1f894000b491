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
		return r, errTooManyRequests()
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

func errTooManyRequests() error {
	return dossier.Errorf(dossier.CodeLimitReached,
		"A candidate can be asked for at most %d document types.", dossier.MaxRequested)
}

// ChangeRequest changes what edit sets of a request: required, dueAt, metadata and custom fields.
// want is from If-Match. DOCUMENT_TYPE_REMOVED if it is not requested now. The condition is the
// revision of the candidate document type.
func (s *Store) ChangeRequest(ctx context.Context, company, id string, want Rev,
	edit func(dossier.CandidateDocumentTypeChange) (dossier.CandidateDocumentTypeChange, error),
) (answer dossier.CandidateDocumentType, rev Rev, err error) {
	err = s.retryOnConflict(ctx, func() error {
		u, err := s.readUploadTarget(ctx, company, id)
		if err == nil {
			err = ifMatch(want, u.itself)
		}
		if err != nil {
			return err
		}
		r := u.request
		if r.State == dossier.StateRemoved {
			return dossier.Errorf(dossier.CodeRemoved, "This document is no longer requested.")
		}
		in, err := edit(r.change())
		if err != nil {
			return err
		}
		r.Required, r.Metadata, r.CustomFields = in.Required, cloneMap(in.Metadata),
			cloneMap(in.CustomFields)
		r.DueAt = dossier.Time{}
		if in.DueAt != nil {
			r.DueAt = *in.DueAt
		}
		c := s.newCandidateTx(u.at, u.cand, u.candItem, causeOf(ctx))
		if err := c.putCDT(r, u.itself); err != nil {
			return err
		}
		writes, err := c.finish(ctx)
		if err != nil {
			return err
		}
		r.UpdatedAt = c.now
		answer, rev = r.shown(u.docType.shown()), Rev(u.itself.Rev+1)
		return s.commit(ctx, answer, writes...)
	})
	return answer, rev, err
}

// change returns what can be changed of a request, as a request body has it.
func (r *storedCDT) change() dossier.CandidateDocumentTypeChange {
	in := dossier.CandidateDocumentTypeChange{Required: r.Required, Metadata: r.Metadata,
		CustomFields: r.CustomFields}
	if !r.DueAt.IsZero() {
		in.DueAt = &r.DueAt
	}
	return in
}

// Request returns a candidate document type with its document type, in one request.
func (s *Store) Request(ctx context.Context,
	company, id string) (dossier.CandidateDocumentType, error) {
	r, _, err := s.RequestAtRev(ctx, company, id)
	return r, err
}

// RequestAtRev is Request with the revision of the candidate document type.
func (s *Store) RequestAtRev(ctx context.Context,
	company, id string) (dossier.CandidateDocumentType, Rev, error) {
	u, err := s.readUploadTarget(ctx, company, id)
	return u.request.shown(u.docType.shown()), Rev(u.itself.Rev), err
}
