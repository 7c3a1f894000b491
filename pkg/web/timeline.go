package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// timelineEvent is an event with its payload still as JSON.
type timelineEvent struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp dossier.Time   `json:"timestamp"`
	Sequence  int64          `json:"sequence"`
	Cause     event.Cause    `json:"cause"`
	Data      jsontext.Value `json:"data"`
}

// payload holds the members that the payloads of all events have.
type payload struct {
	RequestID string   `json:"candidateDocumentTypeId"`
	Version   int64    `json:"version"`
	Status    string   `json:"status"`
	Previous  string   `json:"previousStatus"`
	State     string   `json:"state"`
	Reasons   []string `json:"reasons"`
	FormID    string   `json:"formId"`
	PresetID  string   `json:"presetId"`
	Author    string   `json:"authorType"`
	Changed   []string `json:"changed"`
	ExpiresAt string   `json:"expiresAt"`
}

// moment is one entry of the time-line.
type moment struct {
	At       dossier.Time
	Tone     string
	Title    string
	Note     string
	Href     string // where more is
	Link     string // what the link says
	Points   []string
	Sequence int64
}

// mostEvents bounds the time-line: of more events the newest are shown.
const mostEvents = 1000

// newestEvents reads the newest events of a candidate and returns them oldest first.
func (p *page) newestEvents(id string) ([]timelineEvent, bool, error) {
	all, more, err := list[timelineEvent](p.api, "/candidates/"+id+"/events",
		url.Values{"sort": {"-createdAt"}}, mostEvents)
	slices.SortFunc(all, func(a, b timelineEvent) int { return int(a.Sequence - b.Sequence) })
	return all, more, err
}

// timeline lists what happened in a dossier, newest first: its events, the effects of rules, and
// notifications.
func timeline(d dossierData) []moment {
	names := map[string]string{}
	for _, r := range d.requests {
		names[r.ID] = r.DocumentType.Name
	}
	logs := map[string][]dossier.LogEntry{}
	for _, l := range d.logs {
		logs[l.EventID] = append(logs[l.EventID], l)
	}
	var line []moment
	for i := range d.events {
		e := &d.events[i]
		var data payload
		_ = json.Unmarshal(e.Data, &data) // an event of a later version may have other members
		if m := d.moment(e, data, names[data.RequestID]); m.Title != "" && !d.foldedInto(e) {
			line = append(line, m)
		}
		if e.Type == event.CandidateDocumentValidated {
			line = append(line, d.ruleMoment(e, data, names[data.RequestID])...)
		}
		for _, l := range logs[e.ID] {
			line = append(line, d.deliveryMoment(e, l))
		}
	}
	slices.Reverse(line)
	return line
}

// foldedInto reports whether the moment of a rule run tells what an event says: the rules caused
// it.
func (d dossierData) foldedInto(e *timelineEvent) bool {
	if _, ok := d.runs[e.Cause.RuleRunID]; !ok {
		return false
	}
	switch e.Type {
	case event.CandidateDocumentRequested, event.CandidateDocumentRemoved,
		event.CandidateFormRemoved, event.CandidatePresetApplied, event.CandidateUpdated:
		return true
	}
	return e.Type == event.CandidateMessageSent
}

// moment tells one event.
func (d dossierData) moment(e *timelineEvent, data payload, name string) moment {
	m := moment{At: e.Timestamp, Sequence: e.Sequence}
	who := d.who()
	byRule := ""
	if e.Cause.RuleRunID != "" {
		byRule = "by a rule"
	}
	switch e.Type {
	case event.CandidateCreated:
		m.Title = "The candidate was added"
	case event.CandidateUpdated:
		m.Title, m.Note = d.updated(data.Changed)
	case event.CandidateImported:
		m.Title, m.Note = word(e.Type), d.labels(data.Changed)
	case event.CandidateStatusChanged, event.CandidateApproved, event.CandidateRejected:
		m.Title = "Status became " + badgeOf(data.Status).Word
		m.Tone = badgeOf(data.Status).Tone
		if e.Type != event.CandidateStatusChanged {
			return moment{} // told by the status change already
		}
	case event.CandidateFormSubmitted:
		m.Title = who + " filled in a form"
	case event.CandidateFormRemoved:
		m.Title, m.Note = "A form was taken back", byRule
	case event.CandidatePresetApplied:
		m.Title, m.Note = "A preset was applied", byRule
	case event.CandidateMessageSent:
		m.Title = map[string]string{dossier.KindCandidate: who + " wrote a message",
			dossier.AuthorSystem: "A notification was sent"}[data.Author]
		if m.Title == "" {
			m.Title = "A message was sent"
		}
	case event.CandidatePassVerificationVerified:
		m.Title, m.Tone = "The pass was verified", "ok"
	case event.CandidatePassVerificationFailed:
		m.Title, m.Tone = "The pass verification failed", "bad"
	default:
		return d.documentMoment(m, e, data, name)
	}
	return m
}

// updated tells what changed of a candidate: values, forms that are asked for, or a preset that was
// taken back with values.
func (d dossierData) updated(changed []string) (title, note string) {
	values := slices.DeleteFunc(slices.Clone(changed), func(name string) bool {
		return name == "forms" || name == "presetIds"
	})
	switch {
	case slices.Contains(changed, "presetIds"):
		return "A preset was taken back", d.labels(values)
	case len(values) == 0 && slices.Contains(changed, "forms"):
		return "A form was asked for, or opened again", ""
	}
	return "Details were changed", d.labels(changed)
}

// documentMoment tells an event about a document.
func (d dossierData) documentMoment(m moment, e *timelineEvent, data payload, name string) moment {
	byRule := ""
	if e.Cause.RuleRunID != "" {
		byRule = "by a rule"
	}
	switch e.Type {
	case event.CandidateDocumentRequested:
		m.Title, m.Note = name+" was asked for", byRule
	case event.CandidateDocumentUploaded:
		m.Title, m.Note = d.who()+" uploaded "+name, fmt.Sprintf("version %d", data.Version)
	case event.CandidateDocumentValidated:
		m.Title, m.Tone = name+" was validated", "ok"
	case event.CandidateDocumentRejected:
		m.Title, m.Tone = name+" was not accepted", "bad"
		m.Note = strings.ToLower(badgeOf(data.State).Word)
		for _, reason := range data.Reasons {
			m.Points = append(m.Points, word(strings.ToLower(reason)))
		}
	case event.CandidateDocumentExpired:
		m.Title, m.Tone = name+" expired", "bad"
	case event.CandidateDocumentExpiring:
		m.Title, m.Note = name+" expires soon", "on "+data.ExpiresAt
	case event.CandidateDocumentOverdue:
		m.Title, m.Tone = name+" is overdue", "bad"
	case event.CandidateDocumentRemoved:
		m.Title, m.Note = name+" is not asked for any more", byRule
	case event.CandidateDocumentCheckFailed:
		m.Title, m.Tone = name+" could not be checked", "bad"
	default:
		m.Title = word(e.Type)
	}
	return m
}

// who names the candidate in a sentence.
func (d dossierData) who() string {
	if d.candidate.FirstName == "" {
		return "The candidate"
	}
	return d.candidate.FirstName
}

// labels names fields as people read them.
func (d dossierData) labels(references []string) string {
	names := make([]string, len(references))
	for i, ref := range references {
		names[i] = fieldLabel(d.fields, ref)
	}
	return strings.Join(names, ", ")
}

// fieldLabel returns the label of a key of the candidate or a custom field.
func fieldLabel(fields []dossier.CustomField, ref string) string {
	for _, f := range fields {
		if ref == "cf_"+f.Reference && f.Entity == dossier.EntityCandidate ||
			ref == "dcf_"+f.Reference && f.Entity == dossier.EntityDocument {
			return f.Label
		}
	}
	return word(strings.TrimPrefix(strings.TrimPrefix(ref, "dcf_"), "cf_"))
}

// ruleMoment tells what the rules of a validated document did.
func (d dossierData) ruleMoment(e *timelineEvent, data payload, name string) []moment {
	run, ok := d.runs[e.Cause.RuleRunID]
	if !ok || len(run.Rules) == 0 {
		return nil
	}
	matched, points := 0, []string(nil)
	for _, u := range d.events {
		var changed payload
		if u.Type == event.CandidateUpdated && u.Cause.RuleRunID == run.ID &&
			json.Unmarshal(u.Data, &changed) == nil {
			points = append(points, "wrote "+d.labels(changed.Changed)+" onto the candidate")
		}
	}
	for _, r := range run.Rules {
		if !r.Matched {
			continue
		}
		matched++
		for _, a := range r.Actions {
			if a.Changed {
				points = append(points, d.actionText(a))
			}
		}
	}
	return []moment{{At: run.At, Sequence: e.Sequence, Tone: "ok",
		Title: "Rules of " + name + " ran",
		Note:  fmt.Sprintf("%d of %d matched", matched, len(run.Rules)), Points: points,
		Href: "/console/runs/" + data.RequestID + "/" + run.ID, Link: "See why"}}
}

// actionText describes the effect of an action.
func (d dossierData) actionText(a dossier.ActionResult) string {
	name := ""
	for _, t := range d.types {
		if t.ID == a.Value {
			name = t.Name
		}
	}
	for _, s := range d.scenarios {
		if s.ID == a.Value {
			name = "“" + s.Name + "”"
		}
	}
	return strings.TrimSpace(actionVerb[a.Type] + " " + name)
}

// actionVerb begins the sentence of an action that changed something.
var actionVerb = map[string]string{
	dossier.ActionAddDocumentType:    "asked for",
	dossier.ActionRemoveDocumentType: "no longer asks for",
	dossier.ActionRemoveForm:         "took a form back",
	dossier.ActionApplyPreset:        "applied a preset", dossier.ActionSendNotification: "sent",
}

// deliveryMoment describes a delivery to an integration, or the reaction of a scenario.
func (d dossierData) deliveryMoment(e *timelineEvent, l dossier.LogEntry) moment {
	m := moment{At: l.CreatedAt, Sequence: e.Sequence, Tone: badgeOf(l.Status).Tone,
		Href: "/console/deliveries/" + l.ID, Link: "Attempts"}
	for _, s := range d.scenarios {
		if l.ScenarioID != "" && s.ID == l.ScenarioID {
			m.Title, m.Href = "Scenario "+s.Name+" reacted", ""
			return m
		}
	}
	name := "An integration"
	for _, i := range d.integrations {
		if i.ID == l.IntegrationID {
			name = i.Name
		}
	}
	tries := len(l.Attempts)
	switch l.Status {
	case dossier.LogDelivered:
		m.Title = name + " was told"
		if tries > 0 {
			m.At = l.Attempts[tries-1].At
			m.Points = []string{fmt.Sprintf("%s, delivered at the %s try in %d ms",
				word(l.EventName), ordinal(tries), l.Attempts[tries-1].DurationMS)}
		}
	case dossier.LogPending:
		m.Title = name + " is being told"
		if tries > 0 {
			m.Title, m.Tone = name+" could not be told yet", "warn"
		}
	default:
		m.Title = name + " was not told"
		m.Points = []string{word(l.EventName) + ": " + strings.ToLower(badgeOf(l.Status).Word)}
	}
	return m
}

// ordinal renders a small number in order.
func ordinal(n int) string {
	if n <= 3 {
		return [...]string{"", "first", "second", "third"}[n]
	}
	return fmt.Sprintf("%dth", n)
}

// lookup reads a dotted reference in nested values.
func lookup(values map[string]any, reference string) any {
	if v, ok := values[reference]; ok {
		return v
	}
	head, rest, nested := strings.Cut(reference, ".")
	inner, ok := values[head].(map[string]any)
	if !nested || !ok {
		return nil
	}
	return lookup(inner, rest)
}

// knownOf lists the candidate's values, each with where it came from.
func knownOf(d dossierData) []known {
	source := map[string]string{}
	for _, r := range d.requests {
		if r.State != dossier.StateValidated || r.Document == nil {
			continue
		}
		for _, w := range r.DocumentType.WriteBack {
			if v := plainText(lookup(r.Document.Parsed, w.From)); v != "" &&
				v == plainText(d.value(w.To)) {
				source[w.To] = fmt.Sprintf("from %s, version %d", r.DocumentType.Name,
					r.Document.Version)
			}
		}
	}
	var all []known
	add := func(key, label string) {
		if v := plainText(d.value(key)); v != "" {
			all = append(all, known{label, day(v), source[key]})
		}
	}
	for _, key := range []string{"birthDate", "nationality", "language", "phone"} {
		add(key, word(key))
	}
	for _, f := range d.fields {
		if f.Entity == dossier.EntityCandidate {
			add("cf_"+f.Reference, f.Label)
		}
	}
	return all
}

// value returns a candidate's value by its key in rules and write-back.
func (d dossierData) value(key string) any {
	return valueOf(d.candidate, key)
}

func valueOf(c dossier.Candidate, key string) any {
	if ref, ok := strings.CutPrefix(key, "cf_"); ok {
		return c.CustomFields[ref]
	}
	if text := c.Text(key); text != nil {
		return *text
	}
	return nil
}
