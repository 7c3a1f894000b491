package worker

import (
	"context"

	"github.com/dossierhq/dossier/pkg/store"
)

// Dispatch hands events to integrations and scenarios, and lets scenarios react.
type Dispatch struct {
	Store *store.Store
}

// Work hands out the events of the task's candidate from the task's on, or carries out the reaction
// of a scenario.
func (w *Dispatch) Work(ctx context.Context, t store.Task) error {
	if t.Kind == store.TaskScenario {
		return w.Store.React(ctx, t)
	}
	return w.Store.Dispatch(ctx, t)
}
