// Package tasks serves one kind of task as a function.
package tasks

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
	"github.com/dossierhq/dossier/pkg/worker"
)

// message is the body of a message: a task, or a candidate event.
type message struct {
	store.Task
	event.Event
}

// task returns the task; ok is false if the message is neither a task nor a candidate event.
func (m message) task() (store.Task, bool) {
	if m.Kind != "" {
		return m.Task, true
	}
	return store.EventTask(m.Event)
}

// Serve works on the tasks that the function's queue notifies of. It does not return.
func Serve(f aws.Function, handle worker.Handler) {
	handle = worker.Logged(f.Log, handle)
	lambda.Start(lambdahttp.Queue(f.Log, func(ctx context.Context, m message) error {
		t, ok := m.task()
		if !ok {
			return nil
		}
		return handle(trace.Noting(ctx), t)
	}))
}
