// Package entries serves one kind of doorbell as a function.
package entries

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
	"github.com/dossierhq/dossier/pkg/table"
)

// Work works on one entry.
type Work func(context.Context, table.Entry) error

// Ring is what comes over the bus: our own doorbells name an entry, a candidate event is the event itself.
type Ring struct {
	table.Entry
	event.Event
}

// entry is the entry that rang; ok is false for what is neither.
func (r Ring) entry() (table.Entry, bool) {
	if r.Kind != "" {
		return r.Entry, true
	}
	return table.EventEntry(r.Event)
}

// Bus answers what rings on the bus. It does not return.
func Bus(work Work) {
	lambda.Start(lambdahttp.Detail(func(ctx context.Context, r Ring) error {
		e, ok := r.entry()
		if !ok {
			return nil
		}
		return work(ctx, e)
	}))
}

// Queue answers what rings through the queue. It does not return.
func Queue(f onaws.Function, work Work) { lambda.Start(lambdahttp.Queue(f.Log, work)) }
