package store

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// maxBody is the bound of a full body in bytes: fifty of them fit the transaction of a dispatch.
const maxBody = 64 << 10

// bodies makes the bodies of one event's deliveries. The thin one is the event; the full one adds
// the candidate, and the candidate document type of the event, as they are at the dispatch.
type bodies struct {
	store      *Store
	company    string
	event      event.Event
	thin, full []byte // thin is the stored event, byte for byte
	personal   bool   // full holds the candidate
}

func (b *bodies) of(ctx context.Context, payload string) (body []byte, err error) {
	if payload != dossier.PayloadFull {
		return b.thin, nil
	}
	if b.full == nil {
		// A body that is too large for the transaction is sent as the event alone.
		if b.full, err = b.makeFull(ctx); len(b.full) > maxBody {
			b.full = b.thin
		}
	}
	return b.full, err
}

// fullBody is the thin body and the entities of the event.
type fullBody struct {
	event.Event
	Candidate             *dossier.Candidate             `json:"candidate,omitzero"`
	CandidateDocumentType *dossier.CandidateDocumentType `json:"candidateDocumentType,omitzero"`
}

func (b *bodies) makeFull(ctx context.Context) ([]byte, error) {
	full := fullBody{Event: b.event}
	c, _, err := b.store.Candidate(ctx, b.company, b.event.CandidateID)
	switch {
	case errors.Is(err, dossier.ErrNotFound): // erased meanwhile: the event alone
		return b.thin, nil
	case err != nil:
		return nil, err
	}
	full.Candidate, b.personal = &c, true
	data, _ := b.event.Data.(map[string]any)
	if id, _ := data["candidateDocumentTypeId"].(string); id != "" {
		r, err := b.store.Request(ctx, b.company, id)
		if err != nil && !errors.Is(err, dossier.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			r = r.WithoutInternals()
			full.CandidateDocumentType = &r
		}
	}
	return json.Marshal(full, json.Deterministic(true))
}
