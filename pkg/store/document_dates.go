package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// leadsOr returns the days before an expiry at which it is reported: the default where a document
// type does not say them.
func leadsOr(days []int) []int {
	if days == nil {
		return dossier.DefaultRemindBefore
	}
	return days
}

// leadsFrom returns the leads of a document that is validated now and expires on a date, the most
// days first. Of those that have passed the last one stays, so that a document which is validated
// shortly before it expires is reported too.
func leadsFrom(expiresOn string, days []int, now dossier.Time) []int {
	if expiresOn == "" || !now.Before(startOfNextDay(expiresOn).Time) {
		return nil
	}
	leads := slices.Sorted(slices.Values(leadsOr(days)))
	slices.Reverse(leads)
	for len(leads) > 1 && !now.Before(dayBefore(expiresOn, leads[1]).Time) {
		leads = leads[1:]
	}
	return leads
}

// nextDate returns when the next date of a candidate document type comes; ok is false if there is
// none. Until a document expires that is the next reminder, and for a request when it is overdue.
func (r *storedCDT) nextDate() (at dossier.Time, ok bool) {
	expiresOn, leads := r.valid()
	switch {
	case expiresOn != "":
		if len(leads) > 0 {
			return dayBefore(expiresOn, leads[0]), true
		}
		return startOfNextDay(expiresOn), true
	case r.InForce != nil:
		return at, false
	case slices.Contains(CandidatesTurn, r.State):
		return r.DueAt, !r.DueAt.IsZero() && r.DueAt != r.OverdueFor
	}
	return at, false
}

// valid returns the last day of the document in force, "" if there is none or it does not expire,
// and the days before it at which a reminder is still to come.
func (r *storedCDT) valid() (expiresOn string, leads []int) {
	switch {
	case r.InForce != nil:
		return r.InForce.ExpiresOn, r.InForce.Leads
	case r.State == dossier.StateValidated:
		return r.ExpiresOn, r.Leads
	}
	return "", nil
}

// startOfNextDay returns the first moment at which a document with this date of expiry is expired.
func startOfNextDay(date string) dossier.Time { return dayBefore(date, -1) }

// dayBefore returns the start of the day so many days before a date.
func dayBefore(date string, days int) dossier.Time {
	day, err := time.Parse(dossier.DateLayout, date)
	if err != nil {
		return dossier.NewTime(time.Unix(0, 0))
	}
	return dossier.NewTime(day.AddDate(0, 0, -days))
}

// ReportDates works on a TaskDate: it reports each reminder that is due, that a request is overdue,
// and that a validated document has expired, each once. Dates that were missed are reported
// together. It also removes a replacement entry that a crowded transaction left. The conditions are
// the revisions of the candidate document type and of the candidate: a sweep that loses reads
// again, and finds the date reported.
func (s *Store) ReportDates(ctx context.Context, e Task) error {
	at, id, ok := e.cdt(TaskDate)
	if !ok {
		return nil
	}
	return s.retryOnConflict(ctx, func() error {
		u, _, err := s.readCDT(ctx, at, id)
		if errors.Is(err, dossier.ErrNotFound) {
			return nil // erased meanwhile
		}
		if err != nil {
			return err
		}
		r, cause := u.request, event.Cause{}
		switch {
		case r.InForce != nil:
			cause.DocumentID = r.InForce.Document.ID
		case r.Document != nil:
			cause.DocumentID = r.Document.ID
		}
		c := s.newCandidateTx(at, u.cand, u.candItem, cause)
		before, left := c.cand.EventSeq, leftEntry(&r, u.itself)
		for err == nil && c.dateHasCome(&r) {
			err = c.reportDate(ctx, &r)
		}
		if err != nil || c.cand.EventSeq == before && !left {
			return err
		}
		if r.State == dossier.StateExpired {
			_, err = c.settle(r, u.docType, u.itself)
		} else {
			err = c.putCDT(r, u.itself)
		}
		if err != nil {
			return err
		}
		writes, err := c.finish(ctx)
		if err != nil {
			return err
		}
		return s.commit(ctx, nil, writes...)
	})
}

func (c *candidateTx) dateHasCome(r *storedCDT) bool {
	next, ok := r.nextDate()
	return ok && !c.now.Before(next.Time)
}

// reportDate reports the next date of r and notes that.
func (c *candidateTx) reportDate(ctx context.Context, r *storedCDT) error {
	expiresOn, leads := r.valid()
	switch {
	case expiresOn == "":
		r.OverdueFor = r.DueAt
		return c.emit(event.NewDocumentOverdue(event.Overdue{CandidateDocumentTypeID: string(r.ID),
			DocumentTypeID: string(r.DocumentTypeID), DueAt: r.DueAt}))
	case len(leads) > 0:
		return c.remind(r, expiresOn, leads)
	case r.InForce != nil:
		id := r.InForce.Document.ID
		err := c.lapse(ctx, r, func(d *StoredDocument) { d.State = dossier.StateExpired })
		if err != nil {
			return err
		}
		return c.emit(event.NewDocumentExpired(event.Expired{
			CandidateDocumentTypeID: string(r.ID), DocumentID: id}))
	}
	d := *r.Document
	d.State = dossier.StateExpired
	r.Document, r.State, r.ExpiresOn = &d, dossier.StateExpired, ""
	return c.emit(event.NewDocumentExpired(event.Expired{
		CandidateDocumentTypeID: string(r.ID), DocumentID: d.ID}))
}

// remind reports that the document in force expires in as many days as the first of leads.
func (c *candidateTx) remind(r *storedCDT, expiresOn string, leads []int) error {
	expiring := event.Expiring{CandidateDocumentTypeID: string(r.ID), ExpiresAt: expiresOn,
		DaysBefore: leads[0]}
	if r.InForce != nil {
		kept := *r.InForce
		kept.Leads = leads[1:]
		r.InForce, expiring.DocumentID = &kept, kept.Document.ID
	} else {
		r.Leads, expiring.DocumentID = leads[1:], r.Document.ID
	}
	return c.emit(event.NewDocumentExpiring(expiring))
}
