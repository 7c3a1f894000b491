package worker

import (
	"context"

	"github.com/dossierhq/dossier/pkg/store"
)

// Dispatch hands events to integrations and scenarios, and lets scenarios react.
type Dispatch struct {
	Store *store.Store
}

// Work hands out the events of the entry's candidate from the entry's on, or carries out a scenario's reaction.
func (w *Dispatch) Work(ctx context.Context, e store.Task) error {
	if e.Kind == store.TaskScenario {
		return w.Store.React(ctx, e)
	}
	return w.Store.Dispatch(ctx, e)
}
