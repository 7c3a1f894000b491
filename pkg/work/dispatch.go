package work

import (
	"context"

	"github.com/dossierhq/dossier/pkg/table"
)

// Dispatch hands events to integrations and scenarios, and lets scenarios react.
type Dispatch struct {
	Table *table.Table
}

// Work hands out the events of the entry's candidate from the entry's on, or carries out a scenario's reaction.
func (w *Dispatch) Work(ctx context.Context, e table.Entry) error {
	if e.Kind == table.WorkScenario {
		return w.Table.React(ctx, e)
	}
	return w.Table.Dispatch(ctx, e)
}
