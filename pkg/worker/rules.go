package worker

import (
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
	"github.com/dossierhq/dossier/pkg/store"
)

// Rules drains the open jobs of candidates: for each validated document, write-back, rules, status and events in one transaction.
type Rules struct {
	Store *store.Store
	Now   func() time.Time
}

// Work runs the jobs of the entry's candidate.
func (w *Rules) Work(ctx context.Context, e store.Task) error {
	company, candidate, ok := e.Owner()
	if !ok {
		return nil
	}
	return w.Run(ctx, company, candidate)
}

// Run runs the open jobs of a candidate, in the order in which its documents were validated.
func (w *Rules) Run(ctx context.Context, company, candidate string) error {
	err := w.Store.RunJobs(ctx, company, candidate, func(facts rules.Facts, job store.Job) rules.Decision {
		return rules.Evaluate(job.Submission.Rules, facts)
	})
	if errors.Is(err, dossier.ErrNotFound) {
		return nil // erased meanwhile
	}
	return err
}
