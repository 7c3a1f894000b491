package web

import (
	"net/url"
	"strconv"
	"sync"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// tile is one number of the day's overview; it leads into its list.
type tile struct {
	Count, Label, Href, Tone string
}

// todayView is the day's overview.
type todayView struct {
	Tiles   []tile
	Review  []dossier.CandidateDocumentType
	Names   map[string]string // of candidates, by id
	Failing []dossier.LogEntry
	Targets map[string]string // of integrations, by id
	New     bool              // the company has nothing yet
}

// tally is what one question of the overview found, up to pageSize.
type tally[T any] struct {
	list []T
	more bool
}

func (t tally[T]) tile(label, href, tone string) tile {
	text := strconv.Itoa(len(t.list))
	if t.more {
		text += "+"
	}
	if len(t.list) == 0 {
		tone = "none"
	}
	return tile{text, label, href, tone}
}

// gather asks the API several things at once and returns the first error.
func gather(asks ...func() error) error {
	errs := make([]error, len(asks))
	var all sync.WaitGroup
	for i, ask := range asks {
		all.Go(func() { errs[i] = ask() })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ask returns a question for gather: a list of at most a page.
func ask[T any](p *page, into *tally[T], path string, query url.Values) func() error {
	return func() (err error) {
		into.list, into.more, err = list[T](p.api, path, query, pageSize)
		return err
	}
}

// inState filters candidate document types.
func inState(states ...string) url.Values { return url.Values{"filter[state][]": states} }

func today(p *page) error {
	var review, failed, open tally[dossier.CandidateDocumentType]
	var failing tally[dossier.LogEntry]
	var integrations tally[dossier.Integration]
	var types tally[dossier.DocumentType]
	err := gather(
		ask(p, &review, "/candidateDocumentTypes", inState(dossier.StateInReview)),
		ask(p, &failed, "/candidateDocumentTypes", inState(dossier.StateCheckFailed)),
		ask(p, &open, "/candidateDocumentTypes", inState(dossier.StateRequested, dossier.StateNeedsResubmission, dossier.StateUploaded)),
		ask(p, &failing, "/integrations/logs", url.Values{"filter[status]": {dossier.LogFailed}}),
		ask(p, &integrations, "/integrations", nil),
		ask(p, &types, "/documentTypes", nil),
	)
	if err != nil {
		return err
	}
	late := tally[dossier.CandidateDocumentType]{more: open.more}
	for _, c := range open.list {
		if overdue(c, p.now) {
			late.list = append(late.list, c)
		}
	}
	late.more = late.more && len(late.list) > 0
	var disabled tally[dossier.Integration]
	v := todayView{Targets: map[string]string{}, New: len(types.list) == 0}
	for _, i := range integrations.list {
		v.Targets[i.ID] = i.Name
		if i.State == dossier.IntegrationDisabled {
			disabled.list = append(disabled.list, i)
		}
	}
	v.Tiles = []tile{
		review.tile("documents to review", "/console/review", "warn"),
		failed.tile("checks that failed", "/console/requests?state=checkFailed", "bad"),
		late.tile("requests overdue", "/console/requests?state=overdue", "warn"),
		open.tile("documents waited for", "/console/requests?state=open", ""),
		failing.tile("deliveries given up", "/console/deliveries?status=failed", "bad"),
		disabled.tile("integrations disabled", "/console/integrations", "bad"),
	}
	v.Review, v.Failing = review.list[:min(5, len(review.list))], failing.list[:min(5, len(failing.list))]
	v.Names, err = p.names(candidateIDs(v.Review, v.Failing))
	if err != nil {
		return err
	}
	return p.show(screen{name: "today", title: "Today", section: "today"}, v)
}

func candidateIDs(requests []dossier.CandidateDocumentType, entries []dossier.LogEntry) []string {
	var ids []string
	for _, c := range requests {
		ids = append(ids, c.CandidateID)
	}
	for _, e := range entries {
		ids = append(ids, e.CandidateID)
	}
	return ids
}
