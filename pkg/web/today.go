package web

import (
	"net/url"
	"strconv"
	"strings"
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
	Oldest  *dossier.Waiting  // the document that waits longest for a reviewer
	Failing []dossier.LogEntry
	Targets map[string]string // of integrations, by id
	New     bool              // the company has nothing yet
}

// tileOf makes a tile of a count. label begins with the word that has a plural.
func tileOf(c dossier.Count, label, href, tone string) tile {
	text := strconv.Itoa(c.Count)
	if c.Count == 1 && !c.More {
		label = singular.Replace(label)
	}
	if c.More {
		text += "+"
	}
	if c.Count == 0 {
		tone = "none"
	}
	return tile{text, label, href, tone}
}

// singular turns the label of a tile into that of one.
var singular = strings.NewReplacer("documents ", "document ", "messages ", "message ",
	"expire ", "expires ", "systems ", "system ")

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

// inState filters candidate document types.
func inState(states ...string) url.Values { return url.Values{"filter[state][]": states} }

func today(p *page) error {
	var counts dossier.Overview
	var types []dossier.DocumentType
	var integrations []dossier.Integration
	v := todayView{Targets: map[string]string{}}
	err := gather(
		func() error { _, err := p.api.get("/overview", &counts); return err },
		func() (err error) {
			v.Review, _, err = list[dossier.CandidateDocumentType](p.api, "/candidateDocumentTypes",
				inState(dossier.StateInReview), 5)
			return err
		},
		func() (err error) {
			v.Failing, _, err = list[dossier.LogEntry](p.api, "/integrations/logs",
				url.Values{"filter[status]": {dossier.LogFailed}}, 5)
			return err
		},
		allowed(p, &integrations, "/integrations", nil),
		func() (err error) {
			types, _, err = list[dossier.DocumentType](p.api, "/documentTypes", nil, 1)
			return err
		},
	)
	if err != nil {
		return err
	}
	for _, i := range integrations {
		v.Targets[i.ID] = i.Name
	}
	v.New, v.Tiles, v.Oldest = len(types) == 0, todayTiles(counts), counts.OldestToReview
	v.Names, err = p.names(candidateIDs(v.Review, v.Failing))
	if err != nil {
		return err
	}
	return p.show(screen{name: "today", title: "Today", section: "today"}, v)
}

// todayTiles are the numbers of the overview.
func todayTiles(o dossier.Overview) []tile {
	return []tile{
		tileOf(o.ToReview, "documents to review", "/console/review", "warn"),
		tileOf(o.CheckFailed, "documents that could not be checked",
			"/console/requests?state=checkFailed", "bad"),
		tileOf(o.Overdue, "documents overdue", "/console/requests?state=overdue", "warn"),
		tileOf(o.UnreadMessages, "messages to read", "/console/messages", "warn"),
		tileOf(o.Expiring.In30Days, "documents expire within 30 days",
			"/console/requests?state=expiring30", "warn"),
		tileOf(o.Expiring.In60Days, "documents expire within 60 days",
			"/console/requests?state=expiring60", ""),
		tileOf(o.Expiring.In90Days, "documents expire within 90 days",
			"/console/requests?state=expiring90", ""),
		tileOf(o.IntegrationsFailing, "connected systems failing",
			"/console/deliveries?status=failed", "bad"),
		tileOf(o.IntegrationsDisabled, "connected systems disabled",
			"/console/integrations", "bad"),
	}
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
