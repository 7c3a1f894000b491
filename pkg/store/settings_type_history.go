package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

// historyPage is the number of rule runs that are read at once: what they keep is large.
const historyPage = 50

// History names the past documents of a simulation: those whose rules ran between two moments, both
// inclusive, and of these the newest, at most Limit.
type History struct {
	From, To dossier.Time
	Limit    int
}

// SimulateHistory evaluates the saved rules of a document type and proposed ones on the facts of
// past documents, and returns the differences. It writes nothing. Both see the present presets and
// forms, so that a difference is one of the rules. Problems of the proposed rules are those of
// Simulate.
func (s *Store) SimulateHistory(ctx context.Context, company, typeID string,
	submission dossier.Submission, over History) (Simulation, error) {
	saved, _, err := s.readType(ctx, company, typeID)
	if err != nil {
		return Simulation{}, err
	}
	proposed := saved
	if !saved.sharedTo(company) {
		if err := s.reviewSimulated(ctx, company, &proposed, submission); err != nil {
			return Simulation{}, err
		}
	}
	c := &historyComparison{s: s, company: company, saved: saved, proposed: proposed,
		counts: rules.NewHistory(saved.Submission.Rules, proposed.Submission.Rules)}
	if c.savedTargets, err = s.readTargets(ctx, company, saved.job(company, "", "")); err != nil {
		return Simulation{}, err
	}
	c.proposedTargets, err = s.readTargets(ctx, company, proposed.job(company, "", ""))
	if err != nil {
		return Simulation{}, err
	}
	more, err := c.compareAll(ctx, over)
	if err != nil {
		return Simulation{}, err
	}
	result := c.counts.Result(more)
	return Simulation{Over: &result, Warnings: proposed.Warnings}, nil
}

// historyComparison compares saved with proposed rules, run by run.
type historyComparison struct {
	s                             *Store
	company                       string
	saved, proposed               storedType
	savedTargets, proposedTargets targets
	counts                        *rules.History
}

// compareAll compares the newest runs of a time span. It reports whether there are older ones.
func (c *historyComparison) compareAll(ctx context.Context, over History) (more bool, err error) {
	dt := dossier.DocumentTypeID(c.saved.ID)
	q := c.s.runQuery(c.company, dt, over.From, over.To, historyPage)
	for left := over.Limit; left > 0; {
		q.Limit = min(left, historyPage)
		page, err := c.s.engine.Query(ctx, q)
		if err != nil {
			return false, err
		}
		for _, i := range page.Items {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if err := c.compare(i); err != nil {
				return false, err
			}
		}
		if page.After == "" {
			return false, nil
		}
		q.After, left = page.After, left-len(page.Items)
	}
	return true, nil
}

// compare evaluates both rules on the facts that a run has kept.
func (c *historyComparison) compare(i kv.Item) error {
	run, err := decode[storedRun](i)
	if err != nil {
		return err
	}
	if run.Facts == nil {
		c.counts.Skip()
		return nil
	}
	before, err := c.s.try(c.saved, c.company, c.savedTargets, *run.Facts)
	if err != nil {
		return err
	}
	now, err := c.s.try(c.proposed, c.company, c.proposedTargets, *run.Facts)
	if err != nil {
		return err
	}
	request := dossier.CandidateDocumentTypeID(run.CandidateDocumentTypeID)
	c.counts.Add(dossier.HistoryExample{CandidateID: string(request.Candidate()),
		DocumentID: run.DocumentID, At: run.At}, before, now)
	return nil
}

// runQuery reads the rule runs of a document type in a span of time, the newest first.
func (s *Store) runQuery(company string, dt dossier.DocumentTypeID, from, to dossier.Time,
	limit int) kv.Query {
	q := kv.Query{Index: kv.IndexLookup, Partition: runPartition(company, dt), Limit: limit,
		Backward: true, Eventual: true}
	q.From, q.To = logBounds(from.Time, to.Time)
	return q
}
