package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

type deliveriesView struct {
	Form         *form
	Rows         []dossier.LogEntry
	Names        map[string]string
	Integrations map[string]string
	Choices      []option
	Statuses     []option
	Next         string
}

func listDeliveries(p *page) error {
	q := p.r.URL.Query()
	query := url.Values{"page[size]": {"50"}}
	for name, filter := range map[string]string{"status": "filter[status]",
		"integration": "filter[integrationId]", "after": "page[after]"} {
		if v := q.Get(name); v != "" {
			query.Set(filter, v)
		}
	}
	v := deliveriesView{Form: newForm(q), Statuses: wordOptions(dossier.LogStatuses)}
	var rep responseHeaders
	var integrations []dossier.Integration
	err := gather(
		func() (err error) {
			rep, err = p.api.do(call{path: "/integrations/logs", query: query}, &v.Rows)
			return err
		},
		func() (err error) {
			integrations, _, err = list[dossier.Integration](p.api, "/integrations", nil,
				dossier.MaxListed)
			return err
		},
	)
	if err != nil {
		return err
	}
	if v.Integrations, err = p.targets(integrations); err != nil {
		return err
	}
	for _, i := range integrations {
		v.Choices = append(v.Choices, option{i.ID, i.Name})
	}
	if rep.next != "" {
		q.Set("after", rep.next)
		v.Next = "/console/deliveries?" + q.Encode()
	}
	if v.Names, err = p.names(candidateIDs(nil, v.Rows)); err != nil {
		return err
	}
	return p.show(screen{name: "deliveries", title: "Webhook deliveries",
		section: "integrations"}, v)
}

// targets names integrations and scenarios by id.
func (p *page) targets(integrations []dossier.Integration) (map[string]string, error) {
	names := map[string]string{}
	for _, i := range integrations {
		names[i.ID] = i.Name
	}
	scenarios, _, err := list[dossier.Scenario](p.api, "/scenarios", nil, dossier.MaxListed)
	for _, s := range scenarios {
		names[s.ID] = "Scenario " + s.Name
	}
	return names, err
}

type deliveryView struct {
	Curl    string // the request as a command, where it was asked for
	Entry   dossier.LogEntry
	Target  string
	Name    string
	Event   string // as JSON
	Webhook bool
}

// showDelivery shows one delivery with its attempts. The log has no address for one entry, so it is
// found by its candidate, whose id its own holds.
func showDelivery(p *page) error {
	id := p.r.PathValue("id")
	rest := strings.TrimPrefix(id, "log_")
	if len(rest) < ulidLen {
		return errNoPage
	}
	candidate := "cnd_" + rest[:ulidLen]
	entries, _, err := list[dossier.LogEntry](p.api, "/integrations/logs",
		url.Values{"filter[candidateId]": {candidate}}, dossier.MaxListed)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(entries, func(e dossier.LogEntry) bool { return e.ID == id })
	if at < 0 {
		return errNoPage
	}
	v := deliveryView{Entry: entries[at], Webhook: entries[at].IntegrationID != ""}
	integrations, _, err := list[dossier.Integration](p.api, "/integrations", nil,
		dossier.MaxListed)
	if err != nil {
		return err
	}
	targets, err := p.targets(integrations)
	if err != nil {
		return err
	}
	names, err := p.names([]string{candidate})
	if err != nil {
		return err
	}
	v.Target, v.Name = targets[v.Entry.IntegrationID+v.Entry.ScenarioID], names[candidate]
	events, _, err := p.newestEvents(candidate)
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.ID == v.Entry.EventID {
			text, err := json.Marshal(e, jsontext.WithIndent("  "))
			if err != nil {
				return err
			}
			v.Event = string(text)
		}
	}
	if v.Webhook && p.r.URL.Query().Get("request") == "command" {
		if v.Curl, err = p.curlOf(id); err != nil {
			return err
		}
	}
	return p.show(screen{name: "delivery", title: word(v.Entry.EventName), section: "integrations",
		poll: v.Entry.Status == dossier.LogPending}, v)
}

// ulidLen is the length of a ULID.
const ulidLen = 26

func replayDelivery(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("id")
	if _, err := p.api.do(call{method: http.MethodPost,
		path: "/integrations/logs/" + id + "/replay", key: f.Key}, nil); err != nil {
		return err
	}
	return p.done("/console/deliveries/"+id, "replayed")
}
