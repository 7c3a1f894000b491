// Package entries serves one kind of doorbell as a function.
package entries

import (
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
	"github.com/dossierhq/dossier/pkg/store"
)

// Work works on one entry.
type Work func(context.Context, store.Task) error

// Ring is what comes over the bus: our own doorbells name an entry, a candidate event is the event itself.
type Ring struct {
	store.Task
	event.Event
}

// entry is the entry that rang; ok is false for what is neither.
func (r Ring) entry() (store.Task, bool) {
	if r.Kind != "" {
		return r.Task, true
	}
	return store.EventTask(r.Event)
}

// Bus answers what rings on the bus. It does not return.
func Bus(f onaws.Function, work Work) {
	work = logged(f.Log, work)
	lambda.Start(lambdahttp.Detail(func(ctx context.Context, r Ring) error {
		e, ok := r.entry()
		if !ok {
			return nil
		}
		return work(ctx, e)
	}))
}

// Queue answers what rings through the queue. It does not return.
func Queue(f onaws.Function, work Work) {
	lambda.Start(lambdahttp.Queue(f.Log, logged(f.Log, work)))
}

// logged writes one line for each entry, with everything that is known of it: ids, how long it took, and what it failed on.
func logged(log *slog.Logger, work Work) Work {
	return func(ctx context.Context, e store.Task) error {
		began := time.Now()
		err := work(ctx, e)
		company, candidate, _ := e.Owner()
		line := []any{"kind", e.Kind, "companyId", company, "candidateId", candidate, "item", e.SK, "durationMs", time.Since(began).Milliseconds()}
		if err != nil {
			log.ErrorContext(ctx, "entry", append(line, "error", err)...)
			return err
		}
		log.InfoContext(ctx, "entry", line...)
		return nil
	}
}
