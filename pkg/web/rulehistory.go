package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// exampleView is a document that rules were compared on, by its candidate.
type exampleView struct {
	Name, Href string
	At         dossier.Time
}

// effectView is something that candidates would have got or lost.
type effectView struct {
	Text, Name, Href string
	Count            int
	Examples         []exampleView
}

// ruleCount says how many past documents a rule matches, as it is saved and as it is typed.
type ruleCount struct {
	Label            string
	Before, Now      int
	IsSaved, IsTyped bool
	Examples         []exampleView // of those that only one of the two matches
}

// statusView is a status that candidates would have had in place of another one.
type statusView struct {
	Before, Now string
	Count       int
	Examples    []exampleView
}

// historyView compares rules that are not saved yet with the saved ones, on past documents.
type historyView struct {
	dossier.RuleHistory
	Got, Lost []effectView
	Statuses  []statusView
	Rules     []ruleCount
}

// maxNames bounds the candidates whose names a comparison shows; others are shown by their ids.
const maxNames = 40

// compareOver asks what rules would have done differently from the saved ones, between two days.
func (p *page) compareOver(t dossier.DocumentType, c catalog, f *form,
	rules []dossier.Rule) (*historyView, error) {
	var would simulated
	over := map[string]any{"from": startOf(f.Get("from")), "to": endOf(f.Get("to"))}
	if _, err := p.api.do(call{method: http.MethodPost,
		path: "/documentTypes/" + t.ID + "/submission/simulate",
		body: map[string]any{"submission": dossier.Submission{Rules: rules}, "over": over}},
		&would); err != nil {
		return nil, err
	}
	if would.Over == nil {
		return &historyView{}, nil
	}
	h := *would.Over
	names, err := p.namesIn(h)
	if err != nil {
		return nil, err
	}
	v := &historyView{RuleHistory: h}
	for _, e := range h.Got {
		v.Got = append(v.Got, c.effect(e, names))
	}
	for _, e := range h.Lost {
		v.Lost = append(v.Lost, c.effect(e, names))
	}
	for _, s := range h.Statuses {
		v.Statuses = append(v.Statuses, statusView{s.Before, s.Now, s.Count,
			examples(s.Examples, names)})
	}
	saved := t.Submission.Rules
	for _, r := range h.Rules {
		at := slices.IndexFunc(saved, func(o dossier.Rule) bool { return o.ID == r.ID }) + 1
		row := ruleCount{Label: "Rule " + strconv.Itoa(r.Position), Before: r.MatchedBefore,
			Now: r.MatchedNow, IsSaved: at > 0, IsTyped: r.Position > 0,
			Examples: examples(r.Examples, names)}
		if r.Position == 0 {
			row.Label = "Saved rule " + strconv.Itoa(at) + ", which is removed"
		}
		v.Rules = append(v.Rules, row)
	}
	return v, nil
}

// startOf and endOf return the first and the last moment of a day that was typed, in UTC. What is
// no day stays as it is, for the API to name.
func startOf(day string) string {
	if _, err := time.Parse(time.DateOnly, day); err == nil {
		return day + "T00:00:00Z"
	}
	return day
}

func endOf(day string) string {
	if _, err := time.Parse(time.DateOnly, day); err == nil {
		return day + "T23:59:59.999Z"
	}
	return day
}

// effect describes something that candidates would have got or lost.
func (c catalog) effect(e dossier.HistoryEffect, names map[string]string) effectView {
	v := effectView{Count: e.Count, Examples: examples(e.Examples, names)}
	v.Text, v.Name, v.Href = c.effectWords(e.Type, e.Value, e.Set)
	v.Text = capital(v.Text)
	return v
}

// effectWords describes an effect of rules: what is done, with what, and the page of that.
func (c catalog) effectWords(kind, value string, set any) (text, name, href string) {
	switch kind {
	case dossier.EffectSetField:
		return "set " + fieldLabel(c.fields, value) + " to", plainText(set), ""
	case dossier.EffectAddForm:
		text = "give the form"
	default:
		text = present[kind]
	}
	name, href = c.name(value)
	return text, name, href
}

// examples makes the views of examples.
func examples(list []dossier.HistoryExample, names map[string]string) []exampleView {
	all := make([]exampleView, len(list))
	for i, e := range list {
		name := names[e.CandidateID]
		if name == "" {
			name = shortID(e.CandidateID)
		}
		all[i] = exampleView{name, "/console/candidates/" + url.PathEscape(e.CandidateID), e.At}
	}
	return all
}

// namesIn reads the names of the candidates of a comparison's examples, up to maxNames of them. A
// candidate who was erased meanwhile has none.
func (p *page) namesIn(h dossier.RuleHistory) (map[string]string, error) {
	names := map[string]string{}
	add := func(list []dossier.HistoryExample) {
		for _, e := range list {
			if len(names) < maxNames {
				names[e.CandidateID] = ""
			}
		}
	}
	for _, e := range slices.Concat(h.Got, h.Lost) {
		add(e.Examples)
	}
	for _, s := range h.Statuses {
		add(s.Examples)
	}
	for _, r := range h.Rules {
		add(r.Examples)
	}
	return p.namesLeft(sortedKeys(names))
}
