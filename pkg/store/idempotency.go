package store

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/trace"
)

// idempotencyFor bounds how long the response to an idempotent request is kept.
const idempotencyFor = 24 * time.Hour

// Idempotency identifies a request that a client may send again. BodyHash covers method, path and
// body.
type Idempotency struct {
	CompanyID, PrincipalID, Key, BodyHash string
}

// Replayed is the error of a use case whose request was done meanwhile by another sending of it.
type Replayed struct{ Response []byte }

// Error says so.
func (e *Replayed) Error() string { return "the request was answered already" }

type storedResponse struct {
	BodyHash string         `json:"bodyHash"`
	Answer   jsontext.Value `json:"answer"`
}

type (
	idempotencyKey struct{}
	correlationKey struct{}
	actorKey       struct{}
)

// WithIdempotency makes the transaction of the use case store its response under the client's key.
func WithIdempotency(ctx context.Context, i Idempotency) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, &idempotentCall{Idempotency: i})
}

// idempotentCall is an idempotent request under way. done is set once its first transaction is, and
// kept is the item that stores the response.
type idempotentCall struct {
	Idempotency
	done bool
	kept *kv.Item
}

// WithCorrelation notes the id of the request, for the cause of the events that follow from it.
func WithCorrelation(ctx context.Context, requestID string) context.Context {
	return context.WithValue(ctx, correlationKey{}, requestID)
}

// WithActor notes the caller, for the cause of events and for records of decisions.
func WithActor(ctx context.Context, a dossier.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, &a)
}

// actorOf returns the caller, nil for the service itself.
func actorOf(ctx context.Context) *dossier.Actor {
	a, _ := ctx.Value(actorKey{}).(*dossier.Actor)
	return a
}

// causeOf returns the cause of the caller's changes.
func causeOf(ctx context.Context) event.Cause {
	return event.Cause{CorrelationID: correlation(ctx), Principal: actorOf(ctx),
		Trace: trace.From(ctx)}
}

func correlation(ctx context.Context) string {
	id, _ := ctx.Value(correlationKey{}).(string)
	return id
}

// Replay returns the response that is kept under a client's key. The key with another body is
// IDEMPOTENCY_KEY_REUSED.
func (s *Store) Replay(ctx context.Context, i Idempotency) (answer []byte, found bool, err error) {
	stored, kept, err := get[storedResponse](ctx, s, idempotencyKeyOf(i))
	switch {
	case errors.Is(err, dossier.ErrNotFound):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case kept.Expires <= s.cfg.Now().Unix():
		// The engine may keep an item beyond its time; somebody else removing it first is as good.
		err := s.engine.Commit(ctx, remove(kept))
		if failed := (*kv.ConditionFailed)(nil); errors.As(err, &failed) {
			err = nil
		}
		return nil, false, err
	case stored.BodyHash != i.BodyHash:
		return nil, false, errKeyReused
	}
	return stored.Answer, true, nil
}

var errKeyReused = dossier.Errorf(dossier.CodeKeyReused,
	"This Idempotency-Key was already used with another request.")

// withoutSecrets is implemented by responses that show a secret once: the stored copy leaves it
// out.
type withoutSecrets interface{ WithoutSecrets() any }

// idempotencyWrite returns the write that stores the response, once for each request: a use case
// with several transactions stores the response of the first.
func (s *Store) idempotencyWrite(ctx context.Context, answer any,
	writes []kv.Write) (*kv.Write, error) {
	i, _ := ctx.Value(idempotencyKey{}).(*idempotentCall)
	if i == nil || i.done || answer == nil {
		return nil, nil
	}
	kept, err := i.keep(0, answer)
	if err != nil {
		return nil, err
	}
	for _, w := range writes {
		// A response about a candidate is found again when the candidate is erased.
		if at, ok := refOf(w.Key().PK); ok {
			kept.Lookup, kept.LookupSort = at.responsePartition(), i.Key
			break
		}
	}
	kept.Expires = s.cfg.Now().Add(idempotencyFor).Unix()
	// Taken: another sending of the same request was first, and its response is returned.
	return &kv.Write{Put: &kept, If: kv.Condition{Absent: true}}, nil
}

// keep makes the item with the response, which it encodes as the first response is.
func (i *idempotentCall) keep(rev int64, answer any) (kv.Item, error) {
	if w, ok := answer.(withoutSecrets); ok {
		answer = w.WithoutSecrets()
	}
	body, err := json.Marshal(answer, json.Deterministic(true))
	if err != nil {
		return kv.Item{}, err
	}
	return item(idempotencyKeyOf(i.Idempotency), rev, storedResponse{i.BodyHash, body})
}

// AmendResponse replaces the response that the first transaction of an idempotent request stored by
// one that includes what followed. It is a write of its own; should it fail, the first response
// stays.
func (s *Store) AmendResponse(ctx context.Context, answer any) error {
	i, _ := ctx.Value(idempotencyKey{}).(*idempotentCall)
	if i == nil || i.kept == nil {
		return nil
	}
	next, err := i.keep(i.kept.Rev, answer)
	if err != nil {
		return err
	}
	next.Lookup, next.LookupSort, next.Expires = i.kept.Lookup, i.kept.LookupSort, i.kept.Expires
	// Failed: it was removed, with all that is kept of an erased candidate.
	return s.engine.Commit(ctx, put(next))
}

// replayed turns the response that another sending of the request has stored into an error that
// carries it.
func replayed(ctx context.Context, taken kv.Item) error {
	i, _ := ctx.Value(idempotencyKey{}).(*idempotentCall)
	stored, err := decode[storedResponse](taken)
	if err != nil {
		return err
	}
	if i == nil || stored.BodyHash != i.BodyHash {
		return errKeyReused
	}
	return &Replayed{Response: stored.Answer}
}

// responseStored notes that the request's first transaction is done, and its item; nil where it
// stores no response.
func responseStored(ctx context.Context, w *kv.Write) {
	if i, _ := ctx.Value(idempotencyKey{}).(*idempotentCall); i != nil {
		if i.done = true; w != nil {
			i.kept = w.Put
		}
	}
}

// withoutIdempotency is for use cases of many transactions, none of which knows the response.
func withoutIdempotency(ctx context.Context) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, (*idempotentCall)(nil))
}
