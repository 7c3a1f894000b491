// Package tasks serves one kind of task as a function.
package tasks

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/worker"
)

// detail is the detail of an EventBridge event: a task, or a candidate event.
type detail struct {
	store.Task
	event.Event
}

// task returns the task; ok is false if the detail is neither a task nor a candidate event.
func (d detail) task() (store.Task, bool) {
	if d.Kind != "" {
		return d.Task, true
	}
	return store.EventTask(d.Event)
}

// FromBus works on the tasks that EventBridge notifies of. It does not return.
func FromBus(f aws.Function, handle worker.Handler) {
	handle = worker.Logged(f.Log, handle)
	lambda.Start(lambdahttp.Detail(func(ctx context.Context, d detail) error {
		t, ok := d.task()
		if !ok {
			return nil
		}
		return handle(ctx, t)
	}))
}

// FromQueue works on the tasks that the queue of deliveries notifies of. It does not return.
func FromQueue(f aws.Function, handle worker.Handler) {
	lambda.Start(lambdahttp.Queue(f.Log, worker.Logged(f.Log, handle)))
}
