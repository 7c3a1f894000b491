package worker

import (
	"context"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// Rules drains the rules jobs of candidates: for each validated document, write-back, rules, status
// and events in one transaction.
type Rules struct {
	Store *store.Store
}

// Work runs the jobs of the task's candidate.
func (w *Rules) Work(ctx context.Context, e store.Task) error {
	company, candidate, ok := e.Owner()
	if !ok {
		return nil
	}
	return w.Run(ctx, company, candidate)
}

// Run runs the jobs of a candidate in the order in which its documents were validated.
func (w *Rules) Run(ctx context.Context, company, candidate string) error {
	err := w.Store.RunJobs(ctx, company, candidate)
	if errors.Is(err, dossier.ErrNotFound) {
		return nil // erased meanwhile
	}
	return err
}
