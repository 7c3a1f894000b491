package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// known is one value of a candidate and where it came from.
type known struct {
	Label, Value, From string
}

// requestRow is one document that a candidate is asked for.
type requestRow struct {
	dossier.CandidateDocumentType
	Run  string // the newest rule run
	Note string
}

type dossierView struct {
	Candidate dossier.Candidate
	Name      string
	Rejected  bool
	Requests  []requestRow
	Removed   int
	Line      []moment
	Earlier   bool // the time-line does not begin at the first event
	Known     []known
	Messages  []dossier.Message // the newest first
	Before    string            // the address of the page with earlier ones
	Newest    bool              // these are the newest
	Types     []option          // that can be asked for
	Forms     map[string]*form
	Link      string   // a link for the candidate, made just now
	Code      *drawing // the QR code of Link

	MoreForms, MorePresets []option // that can be given
	Presets                []presetRow
	Outcome                *presetOutcome // of a preset that was changed just now
}

func showDossier(p *page) error { return p.dossier(nil, shownOnce{}) }

// dossierData holds the data of a candidate's page.
type dossierData struct {
	candidate    dossier.Candidate
	requests     []dossier.CandidateDocumentType
	messages     []dossier.Message // the newest first
	earlier      string            // the cursor of the earlier ones
	events       []timelineEvent
	cut          bool // the events do not begin at the first
	logs         []dossier.LogEntry
	types        []dossier.DocumentType
	fields       []dossier.CustomField
	integrations []dossier.Integration
	scenarios    []dossier.Scenario
	forms        []dossier.Form
	presets      []dossier.Preset
	runs         map[string]dossier.RuleRun // by id
}

// allowed reads a list that the session's key may not be allowed to read; then it is empty.
func allowed[T any](p *page, into *[]T, path string, query url.Values) func() error {
	return func() error {
		all, _, err := list[T](p.api, path, query, dossier.MaxListed)
		if isStatus(err, http.StatusForbidden) {
			return nil
		}
		*into = all
		return err
	}
}

func (p *page) readDossier(id string) (d dossierData, err error) {
	own := url.Values{"filter[candidateId]": {id}}
	err = gather(
		func() (err error) { _, err = p.api.get("/candidates/"+id, &d.candidate); return err },
		allowed(p, &d.requests, "/candidateDocumentTypes", own),
		func() error { return p.newestMessages(&d) },
		func() (err error) { d.events, d.cut, err = p.newestEvents(id); return err },
		allowed(p, &d.logs, "/integrations/logs", own),
		allowed(p, &d.types, "/documentTypes", nil),
		allowed(p, &d.fields, "/customFields", nil),
		allowed(p, &d.integrations, "/integrations", nil),
		allowed(p, &d.scenarios, "/scenarios", nil),
		allowed(p, &d.forms, "/forms", nil),
		allowed(p, &d.presets, "/presets", nil),
	)
	if err != nil {
		return d, err
	}
	return d, p.readRuns(&d)
}

// messagesShown is the number of messages on a candidate's page.
const messagesShown = 50

// newestMessages reads the newest messages, or the earlier ones that the request asks for. A key
// that may not read messages sees none.
func (p *page) newestMessages(d *dossierData) error {
	query := url.Values{"sort": {"-createdAt"}, "page[size]": {strconv.Itoa(messagesShown)}}
	if after := p.r.URL.Query().Get("messages"); after != "" {
		query.Set("page[after]", after)
	}
	rep, err := p.api.do(call{path: p.candidatePath("/messages"), query: query}, &d.messages)
	if isStatus(err, http.StatusForbidden) {
		return nil
	}
	d.earlier = rep.next
	return err
}

// readRuns reads the rule runs of validated documents.
func (p *page) readRuns(d *dossierData) error {
	d.runs = map[string]dossier.RuleRun{}
	runs := make([][]dossier.RuleRun, len(d.requests))
	var asks []func() error
	for i, r := range d.requests {
		if r.Document != nil {
			asks = append(asks, allowed(p, &runs[i], "/candidateDocumentTypes/"+r.ID+"/ruleRuns",
				nil))
		}
	}
	if err := gather(asks...); err != nil {
		return err
	}
	for _, of := range runs {
		for _, run := range of {
			d.runs[run.ID] = run
		}
	}
	return nil
}

// dossier shows a candidate's page; failed is a form of it that could not be taken.
func (p *page) dossier(failed map[string]*form, once shownOnce) error {
	id := p.r.PathValue("id")
	d, err := p.readDossier(id)
	if err != nil {
		return err
	}
	v := dossierView{Candidate: d.candidate, Name: nameOf(d.candidate),
		Rejected: d.candidate.Status == dossier.StatusRejected,
		Messages: d.messages, Line: timeline(d), Earlier: d.cut, Known: knownOf(d),
		Forms: map[string]*form{}, Link: once.link, Outcome: d.outcome(once)}
	if once.link != "" {
		v.Code = codeOf(once.link)
	}
	v.giveable(d)
	v.Newest = p.r.URL.Query().Get("messages") == ""
	if d.earlier != "" {
		v.Before = "?" + url.Values{"messages": {d.earlier}}.Encode() + "#messages"
	}
	busy := false
	asked := map[string]bool{}
	for _, r := range d.requests {
		if r.State == dossier.StateRemoved {
			v.Removed++
			continue
		}
		busy = busy || r.Lock != nil
		asked[r.DocumentType.ID] = true
		v.Requests = append(v.Requests,
			requestRow{CandidateDocumentType: r, Run: newestRun(d, r.ID), Note: requestNote(p, r)})
	}
	for _, t := range d.types {
		if !asked[t.ID] {
			v.Types = append(v.Types, option{t.ID, t.Name})
		}
	}
	for _, name := range []string{"ask", "message", "pass", "reject", "form", "preset", "more"} {
		v.Forms[name] = newForm(url.Values{"required": {"yes"}})
	}
	sc := screen{name: "dossier", title: v.Name, section: "candidates", poll: busy ||
		pending(d.logs)}
	for name, f := range failed {
		v.Forms[name] = f
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

func pending(logs []dossier.LogEntry) bool {
	return slices.ContainsFunc(logs, func(l dossier.LogEntry) bool {
		return l.Status == dossier.LogPending && len(l.Attempts) == 0
	})
}

func newestRun(d dossierData, request string) string {
	newest := dossier.RuleRun{}
	for _, run := range d.runs {
		if run.CandidateDocumentTypeID == request && run.At.After(newest.At.Time) {
			newest = run
		}
	}
	return newest.ID
}

// requestNote says in a line what is special about one request.
func requestNote(p *page, r dossier.CandidateDocumentType) string {
	switch {
	case r.Replacement != nil:
		note := "a newer version: " + strings.ToLower(badgeOf(r.Replacement.State).Word)
		if r.ExpiresAt != "" {
			note = "valid until " + day(r.ExpiresAt) + " · " + note
		}
		return note
	case r.State == dossier.StateValidated:
		if ref := r.DocumentType.Check.ExpiryReference; ref != "" && r.Document != nil {
			if v := plainText(lookup(r.Document.Parsed, ref)); v != "" {
				return "valid until " + day(v)
			}
		}
	case !r.DueAt.IsZero():
		return until(p.now, r.DueAt)
	case r.Document != nil && len(r.Document.Reasons) > 0 && r.State != dossier.StateRequested:
		return fieldSentence(r.Document.Reasons[0].Message)
	}
	return ""
}

// post sends one of the dossier's small forms and returns to its page.
func (p *page) post(formName, path, doneWord string, body func(*form) map[string]any,
	names map[string]string) error {
	if taken, err := p.take(formName, path, body, names); !taken {
		return err
	}
	return p.done("/console/candidates/"+p.r.PathValue("id"), doneWord)
}

// take sends one of the dossier's small forms. Where the API refuses it, the page is shown with
// what is wrong, and take reports false.
func (p *page) take(formName, path string, body func(*form) map[string]any,
	names map[string]string) (bool, error) {
	f, err := p.posted()
	if err != nil {
		return false, err
	}
	in := call{method: http.MethodPost, path: path, key: f.Key}
	if body != nil {
		in.body = body(f)
	}
	if _, err := p.api.do(in, nil); err != nil {
		if err := f.refused(err, names); err != nil {
			return false, err
		}
		return false, p.dossier(map[string]*form{formName: f}, shownOnce{})
	}
	return true, nil
}

func askForDocument(p *page) error {
	return p.post("ask", "/candidateDocumentTypes", "asked", func(f *form) map[string]any {
		return requestBody(f, p.r.PathValue("id"))
	}, nil)
}

// sendMessage sends a message. Whoever answers has read what the candidate wrote.
func sendMessage(p *page) error {
	taken, err := p.take("message", p.candidatePath("/messages"), func(f *form) map[string]any {
		return map[string]any{"text": f.Get("text")}
	}, nil)
	if !taken {
		return err
	}
	if err := p.readAll(); err != nil {
		return err
	}
	return p.done("/console/candidates/"+p.r.PathValue("id"), "sent")
}

// readAll marks what the candidate wrote as read.
func (p *page) readAll() error {
	all, _, err := list[dossier.Message](p.api, p.candidatePath("/messages"),
		url.Values{"sort": {"-createdAt"}}, dossier.MaxListed)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Author.Type != dossier.KindCandidate || m.State != dossier.MessageUnread {
			continue
		}
		if _, err := p.api.do(call{method: http.MethodPost,
			path: p.candidatePath("/messages/" + m.ID + "/read")}, nil); err != nil {
			return err
		}
	}
	return nil
}

func verifyPass(p *page) error {
	return p.post("pass", p.candidatePath("/passVerification"), "passSaved",
		func(f *form) map[string]any {
			body := map[string]any{"status": f.Get("status")}
			if reason := f.Get("passReason"); reason != "" {
				body["reason"] = reason
			}
			return body
		}, map[string]string{"/reason": "passReason"})
}

func rejectCandidate(p *page) error {
	return p.post("reject", p.candidatePath("/reject"), "candidateRejected",
		func(f *form) map[string]any {
			return map[string]any{"reason": f.Get("reason")}
		}, nil)
}

func reopenCandidate(p *page) error {
	return p.post("more", p.candidatePath("/reopen"), "reopened", nil, nil)
}

func readMessage(p *page) error {
	return p.post("more", p.candidatePath("/messages/"+p.r.PathValue("message")+"/read"), "read",
		nil, nil)
}

// candidatePath is the API's path of the page's candidate.
func (p *page) candidatePath(rest string) string {
	return "/candidates/" + p.r.PathValue("id") + rest
}

// remove deletes something by the API, then goes to a page.
func (p *page) remove(path, to, doneWord string) error {
	if _, err := p.api.do(call{method: http.MethodDelete, path: path}, nil); err != nil {
		return err
	}
	return p.done(to, doneWord)
}

func deleteMessage(p *page) error {
	return p.remove(p.candidatePath("/messages/"+p.r.PathValue("message")),
		"/console/candidates/"+p.r.PathValue("id"), "deleted")
}

func eraseCandidate(p *page) error {
	return p.remove(p.candidatePath(""), "/console/candidates", "erased")
}

func stopAsking(p *page) error {
	return p.remove("/candidateDocumentTypes/"+p.r.PathValue("request"),
		"/console/candidates/"+p.r.PathValue("id"), "removed")
}

// linkCandidate makes a link with which the candidate sees their own page for a day. The token
// stands in its fragment, which no log and no Referer sees.
func linkCandidate(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	var made struct {
		Token string `json:"token"`
	}
	if _, err := p.api.do(call{method: http.MethodPost, path: p.candidatePath("/tokens"),
		key: f.Key}, &made); err != nil {
		return err
	}
	return p.dossier(nil, shownOnce{link: p.site.base(p.r) + "/c#" + made.Token})
}

// base returns how people reach the site.
func (s *Site) base(r *http.Request) string {
	switch {
	case s.cfg.URL != "":
		return s.cfg.URL
	case s.cfg.Secure:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
