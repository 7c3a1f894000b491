package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// CandidatesTurn lists the states in which a document waits for the candidate.
var CandidatesTurn = []string{dossier.StateRequested, dossier.StateUploaded,
	dossier.StateNeedsResubmission}

// Overview counts what waits in a company, by short reads of index partitions: nothing keeps a
// count. What was stored before there was an order by urgency is not counted as overdue or
// expiring.
func (s *Store) Overview(ctx context.Context, company string) (o dossier.Overview, err error) {
	review, err := s.waiting(ctx, company, dossier.StateInReview, "", "", dossier.MaxCounted+1)
	if err != nil {
		return o, err
	}
	o.ToReview = countOf(review)
	if o.OldestToReview, err = oldest(review); err != nil {
		return o, err
	}
	failed, err := s.waiting(ctx, company, dossier.StateCheckFailed, "", "", dossier.MaxCounted+1)
	if err != nil {
		return o, err
	}
	o.CheckFailed = countOf(failed)
	checks, err := s.waiting(ctx, company, dossier.StateProcessing, "", "", 1)
	if err != nil {
		return o, err
	}
	if o.OldestCheck, err = oldest(checks); err != nil {
		return o, err
	}
	if o.Overdue, err = s.overdue(ctx, company); err != nil {
		return o, err
	}
	if o.Expiring, err = s.expiring(ctx, company); err != nil {
		return o, err
	}
	unread, _, err := s.UnreadMessages(ctx, company, "", dossier.MaxCounted+1)
	if err != nil {
		return o, err
	}
	o.UnreadMessages = countOf(unread)
	integrations, _, err := settingsPage[storedIntegration](ctx, s, company, kindIntegration, "", 0)
	for _, i := range integrations {
		switch {
		case i.State == dossier.IntegrationDisabled:
			o.IntegrationsDisabled.Count++
		case !i.FailingSince.IsZero():
			o.IntegrationsFailing.Count++
		}
	}
	o.IntegrationsDisabled, o.IntegrationsFailing = capped(o.IntegrationsDisabled),
		capped(o.IntegrationsFailing)
	return o, err
}

func countOf[T any](found []T) dossier.Count { return capped(dossier.Count{Count: len(found)}) }

func capped(c dossier.Count) dossier.Count {
	return dossier.Count{Count: min(c.Count, dossier.MaxCounted),
		More: c.Count > dossier.MaxCounted}
}

// waiting reads the most urgent candidate document types of a state, between bounds of the urgency.
func (s *Store) waiting(ctx context.Context, company, state, from, to string,
	limit int) ([]kv.Item, error) {
	page, err := s.engine.Query(ctx,
		kv.Query{Index: kv.IndexLookup, Partition: lookupPartition(company, listCDTs, state),
			From: from, To: to, Limit: limit, Eventual: true})
	return page.Items, err
}

// oldest returns the first of the waiting items; nil where there is none.
func oldest(items []kv.Item) (*dossier.Waiting, error) {
	if len(items) == 0 {
		return nil, nil
	}
	r, err := decode[storedCDT](items[0])
	since := r.Since
	if since.IsZero() {
		since = r.UpdatedAt
	}
	return &dossier.Waiting{CandidateDocumentTypeID: string(r.ID), CandidateID: r.CandidateID,
		Since: since}, err
}

func (s *Store) overdue(ctx context.Context, company string) (dossier.Count, error) {
	n := 0
	for _, state := range CandidatesTurn {
		from, to := urgencyBounds(s.now().String())
		due, err := s.waiting(ctx, company, state, from, to, dossier.MaxCounted+1)
		if err != nil {
			return dossier.Count{}, err
		}
		n += len(due)
	}
	return capped(dossier.Count{Count: n}), nil
}

// expiring counts the documents that expire within 30, 60 and 90 days, the first of them first.
func (s *Store) expiring(ctx context.Context, company string) (e dossier.ExpiringCount, err error) {
	within := func(days int) (from, to string) {
		return expiryBounds(s.cfg.Now(), s.cfg.Now().AddDate(0, 0, days))
	}
	from, to := within(90)
	found, err := s.waiting(ctx, company, dossier.StateValidated, from, to, dossier.MaxCounted+1)
	for days, count := range map[int]*dossier.Count{30: &e.In30Days, 60: &e.In60Days,
		90: &e.In90Days} {
		_, to := within(days)
		for _, i := range found {
			if i.LookupSort <= to {
				count.Count++
			}
		}
		*count = capped(*count)
	}
	return e, err
}
