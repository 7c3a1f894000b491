package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// truth records each commit beside the storage, and checks its invariants.
type truth struct {
	w      *simulation
	items  map[kv.Key]kv.Item
	people map[string]*person // by partition
	shards map[string]int     // of lists, by company without prefix; none: 1
	due    map[string]bool    // "<partition> <target> <sequence>": what was handed out
	thawed map[string]int     // commits when a candidate document type was last frozen, by id
	found  []string           // what went wrong
}

// person is one candidate's partition.
type person struct {
	candidate storedCandidate
	requests  map[string]storedRequest // by document type
	jobs      map[string]int           // jobs opened, by document
	runs      map[string]int           // rule runs, by document
	closed    int64                    // events handed out: all up to this one
	// by target: open deliveries, and the commit that opened them
	open map[string]map[int64]int
	// targets with held, failed or replayed deliveries: their order is another's
	special map[string]bool
}

type storedCandidate struct {
	dossier.Candidate
	Rejected   bool                         `json:"rejected"`
	Requested  map[string]dossier.Requested `json:"requested"`
	EventSeq   int64                        `json:"eventSeq"`
	JobSeq     int64                        `json:"jobSeq"`
	Applied    int64                        `json:"appliedSeq"`
	Erased     bool                         `json:"erased"`
	Searchable bool                         `json:"searchable"`
}

type storedDelivery struct {
	Sequence int64          `json:"sequence"`
	Token    int64          `json:"token"`
	Status   string         `json:"status"`
	Body     jsontext.Value `json:"body"`
	EventID  string         `json:"eventId"`
	Tries    int            `json:"tries"`
}

type storedIntegration struct{ dossier.Integration }

func newTruth(w *simulation) *truth {
	return &truth{w: w, items: map[kv.Key]kv.Item{}, people: map[string]*person{},
		shards: map[string]int{}, due: map[string]bool{}, thawed: map[string]int{}}
}

// wrong notes a violation. The first word says which promise was broken.
func (u *truth) wrong(what, format string, args ...any) {
	u.found = append(u.found, what+": "+fmt.Sprintf(format, args...))
	u.w.note("!!! %s: %s", what, fmt.Sprintf(format, args...))
}

func (u *truth) person(pk string) *person {
	p := u.people[pk]
	if p == nil {
		p = &person{requests: map[string]storedRequest{}, jobs: map[string]int{},
			runs: map[string]int{},
			open: map[string]map[int64]int{}, special: map[string]bool{}}
		u.people[pk] = p
	}
	return p
}

// asked notes what a dispatcher or deliverer looks at, for what it writes later.
func (u *truth) asked(t *task, q kv.Query) {
	if t == nil {
		return
	}
	if _, name, ok := strings.Cut(q.Partition, "#ON#"); ok && q.Index == kv.IndexLookup {
		t.heard[name] = u.listeners(strings.TrimSuffix(q.Partition, "#ON#"+name), name)
	}
	if strings.HasPrefix(q.From, "DLV#") {
		t.looked[q.Partition+" "+strings.Split(q.From, "#")[1]] = u.w.commits
	}
}

// listeners reads from the settings themselves who hears an event now.
func (u *truth) listeners(company, name string) heard {
	h := heard{}
	for key, i := range u.items {
		switch key.PK {
		case company + "#INT":
			s := decoded[storedIntegration](i)
			if s.TriggerEvent == name &&
				(s.State == dossier.IntegrationActive ||
					s.DisabledReason != dossier.DisabledByHand) {
				h[key.SK] = true
			}
		case company + "#SCN":
			s := decoded[dossier.Scenario](i)
			if s.EventName == name && s.Active {
				h[key.SK] = true
			}
		}
	}
	return h
}

func decoded[T any](i kv.Item) (v T) {
	if err := json.Unmarshal(i.Doc, &v); err != nil {
		panic(fmt.Sprintf("%s %s: %v", i.PK, i.SK, err))
	}
	return v
}

// commit is one commit that happened; its writes are grouped by kind.
type commit struct {
	*truth
	by                    *task
	writes                []kv.Write
	runs, jobsDone        []string // documents
	jobsNew               int64
	eventsNew             int64
	closed                *event.Event
	handed                heard
	checksDone, checksNew map[string]bool // by partition and document type
	logsGone, openGone    map[string]kv.Item
	touched               map[string]bool
	claimed               []string // deliveries, by partition, target and sequence
}

// committed checks a commit against what was stored before, and what is stored after it.
func (u *truth) committed(by *task, writes []kv.Write) {
	c := &commit{truth: u, by: by, writes: writes, handed: heard{}, checksDone: map[string]bool{},
		checksNew: map[string]bool{}, touched: map[string]bool{},
		logsGone: map[string]kv.Item{}, openGone: map[string]kv.Item{}}
	for _, w := range writes {
		c.count(w, u.items[w.Key()])
	}
	for _, w := range writes {
		if w.Check == nil {
			c.judge(w, u.items[w.Key()])
		}
	}
	for _, w := range writes {
		if w.Put != nil {
			u.stores(*w.Put)
		} else if w.Delete != nil {
			delete(u.items, *w.Delete)
		}
	}
	c.handOut()
	for pk := range c.touched {
		u.whole(pk)
	}
}

// count notes what kinds of writes are in the commit.
func (c *commit) count(w kv.Write, old kv.Item) {
	key := w.Key()
	kind, rest, _ := strings.Cut(key.SK, "#")
	place := key.PK + " " + rest
	fresh := w.Put != nil && old.Rev == 0
	switch {
	case kind == "RUN" && fresh:
		c.runs = append(c.runs, rest)
	case strings.HasPrefix(key.SK, "C#JOB#") && fresh:
		c.jobsNew++
	case strings.HasPrefix(key.SK, "C#JOB#") && w.Delete != nil && old.Rev != 0:
		c.jobsDone = append(c.jobsDone, decoded[store.Job](old).DocumentID)
	case kind == "EVT" && fresh:
		c.eventsNew++
	case kind == "EVT" && w.Put != nil && old.Open != "" && w.Put.Open == "":
		e := decoded[event.Event](old)
		c.closed = &e
	case kind == "CHK" && w.Delete != nil:
		c.checksDone[place] = true
	case kind == "CHK" && fresh:
		c.checksNew[place] = true
	case kind == "LOG" && w.Delete != nil:
		c.logsGone[place] = old
	case (kind == "DLV" || kind == "SCN") && w.Delete != nil:
		c.openGone[place] = old
	}
}

// judge checks one write. That each revision follows on the stored one, or on that of the item
// which moved, is that no update was lost.
func (c *commit) judge(w kv.Write, old kv.Item) {
	key := w.Key()
	kind, rest, _ := strings.Cut(key.SK, "#")
	if from := c.predecessor(key, old).Rev; w.Put != nil && w.Put.Rev != from+1 {
		c.wrong("update lost", "%s %s goes from revision %d to %d", key.PK, key.SK, from, w.Put.Rev)
	}
	if w.Delete != nil && old.Rev == 0 {
		c.wrong("deleted twice", "%s %s", key.PK, key.SK)
	}
	switch {
	case strings.HasSuffix(key.PK, "#MSG"):
		c.judgeMessage(w, old)
		return
	case strings.HasSuffix(key.PK, "#TOK") && w.Put != nil:
		c.judgeToken(*w.Put)
	case strings.HasSuffix(key.PK, "#SES") && w.Put != nil:
		c.judgeSession(*w.Put)
	}
	if !strings.Contains(key.PK, "#CAND#") {
		return
	}
	p := c.person(key.PK)
	switch {
	case key.SK == "A#CAND" && w.Put != nil:
		c.judgeCandidate(p, *w.Put)
	case strings.HasPrefix(key.SK, "B#CDT#") && w.Put != nil:
		c.judgeRequest(p, strings.TrimPrefix(rest, "CDT#"), *w.Put)
	case strings.HasPrefix(key.SK, "C#JOB#"):
		c.judgeJob(p, w, old)
	case kind == "RUN" && w.Put != nil && old.Rev == 0:
		c.judgeRun(p, rest)
	case kind == "EVT":
		c.judgeEvent(p, w, old)
	case kind == "DLV" || kind == "SCN" || kind == "LOG":
		c.judgeDelivery(p, kind, rest, w, old)
	}
}

func (c *commit) judgeMessage(w kv.Write, old kv.Item) {
	erased := c.people[strings.TrimSuffix(w.Key().PK, "#MSG")].candidate.Erased
	if w.Delete != nil && !erased && old.Fields["state"] != dossier.MessageUnread {
		c.wrong("message", "%s was read, and is deleted", old.SK)
	}
}

// judgeToken checks that nobody who was erased gets a way in.
func (c *commit) judgeToken(i kv.Item) {
	token := decoded[struct {
		CandidateID string `json:"candidateId"`
	}](i)
	for _, p := range c.people {
		if p.candidate.ID == token.CandidateID && p.candidate.Erased {
			c.wrong("erased", "%s gets a token", token.CandidateID)
		}
	}
}

// judgeSession checks that nobody signs in with a key, or at a provider, that is gone.
func (c *commit) judgeSession(i kv.Item) {
	company, _, _ := strings.Cut(i.PK, "#")
	by, _, _ := strings.Cut(i.SK, "#")
	if c.items[kv.Key{PK: company + "#KEY", SK: by}].Rev == 0 &&
		c.items[kv.Key{PK: company + "#SIP", SK: by}].Rev == 0 {
		c.wrong("signed in", "%s begins, and its key or provider is gone", i.SK)
	}
}

func (c *commit) judgeCandidate(p *person, now kv.Item) {
	was, is := p.candidate, decoded[storedCandidate](now)
	p.candidate = is
	c.touched[now.PK] = true
	if is.EventSeq != was.EventSeq+c.eventsNew {
		c.wrong("events", "%s counts %d more, and %d were recorded", is.ID,
			is.EventSeq-was.EventSeq, c.eventsNew)
	}
	if is.JobSeq != was.JobSeq+c.jobsNew {
		c.wrong("jobs", "%s counts %d more, and %d were opened", is.ID, is.JobSeq-was.JobSeq,
			c.jobsNew)
	}
	if is.Applied != was.Applied+int64(len(c.runs)) || len(c.runs) != len(c.jobsDone) {
		c.wrong("rules", "%s: applied goes from %d to %d with %d runs and %d jobs", is.ID,
			was.Applied, is.Applied, len(c.runs), len(c.jobsDone))
	}
	if was.Erased && !is.Erased {
		c.wrong("erased", "%s is back", is.ID)
	}
}

// judgeRequest checks the lock: while the parts are frozen no upload changes them, and what ends it
// is the check that holds it.
func (c *commit) judgeRequest(p *person, dt string, now kv.Item) {
	was, is := p.requests[dt], decoded[storedRequest](now)
	p.requests[dt], c.touched[now.PK] = is, true
	c.typed(now, is)
	c.judgeForce(was, is)
	frozen := was.State == dossier.StateProcessing
	if frozen || is.State == dossier.StateProcessing {
		c.thawed[is.ID] = c.w.commits
	}
	if is.Token < was.Token || is.Tries > was.Tries && is.Token == was.Token {
		c.wrong("token", "%s goes from %d to %d", is.ID, was.Token, is.Token)
	}
	if (is.Lock != nil) != (is.State == dossier.StateProcessing) {
		c.wrong("lock", "%s is %s, with the lock %v", is.ID, is.State, is.Lock)
	}
	if frozen && (is.Versions != was.Versions || is.Document.ID != was.Document.ID) {
		c.wrong("frozen", "an upload to %s was accepted while it was checked", is.ID)
	}
	place := now.PK + " " + dt
	done, ran := c.checksDone[place], slices.Contains(c.jobsDone, idOf(is.Document))
	if frozen && is.State != dossier.StateProcessing && !done && !ran && !p.candidate.Erased {
		c.wrong("frozen", "%s is %s before its check or its rules end", is.ID, is.State)
	}
	if !frozen && is.State == dossier.StateProcessing && !c.checksNew[place] && c.jobsNew == 0 {
		c.wrong("frozen", "%s is frozen although neither a check nor rules begin", is.ID)
	}
	if done && is.State != dossier.StateCheckFailed && !p.candidate.Erased {
		c.judgeResult(was, is)
	}
	if is.State == dossier.StateValidated && was.State != dossier.StateValidated &&
		(is.Versions == was.Versions || len(is.Document.Parts) > 0) && // not by an import
		(!ran || len(c.runs) != 1) {
		c.wrong("rules", "%s is validated before its rules have run", is.ID)
	}
}

func idOf(d *dossier.Document) string {
	if d == nil {
		return ""
	}
	return d.ID
}

// judgeResult checks that the result of a check is that of the claim which held the document when
// it was taken.
func (c *commit) judgeResult(was, is storedRequest) {
	token, document := is.Document.Parsed["token"], is.Document.Parsed["document"]
	if token != fmt.Sprint(was.Token) || document != was.Document.ID {
		c.wrong("stale", "%s holds the token %d for %s, and takes the result of token %v for %v",
			is.ID, was.Token, was.Document.ID, token, document)
	}
}

func (c *commit) judgeJob(p *person, w kv.Write, old kv.Item) {
	switch {
	case w.Put != nil && old.Rev == 0:
		j := decoded[store.Job](*w.Put)
		p.jobs[j.DocumentID]++
		if p.jobs[j.DocumentID] > 1 {
			c.wrong("rules", "%s is validated twice", j.DocumentID)
		}
	case w.Delete != nil && !p.candidate.Erased && old.Rev != 0:
		if j := decoded[store.Job](old); j.Number != p.candidate.Applied {
			c.wrong("rules", "job %d is done as number %d", j.Number, p.candidate.Applied)
		}
	}
}

func (c *commit) judgeRun(p *person, rest string) {
	document := "doc_" + strings.Split(rest, "#")[1]
	p.runs[document]++
	if p.runs[document] > p.jobs[document] || !slices.Contains(c.jobsDone, document) {
		c.wrong("rules", "the rules of %s ran although nothing asked for it", document)
	}
}

// whole checks a candidate's dossier as it is between two commits.
func (u *truth) whole(pk string) {
	p := u.people[pk]
	if p.candidate.Erased || p.candidate.ID == "" {
		return
	}
	u.findable(pk)
	requested := map[string]dossier.Requested{}
	for dt, r := range p.requests {
		requested[dt] = dossier.Requested{State: r.shown(), Required: r.Required}
		u.entered(pk, dt, r)
	}
	if !maps.Equal(requested, p.candidate.Requested) {
		u.wrong("summary", "%s says %v, and there is %v", p.candidate.ID, p.candidate.Requested,
			requested)
	}
	if status := dossier.Status(p.candidate.Rejected, requested, p.candidate.Forms); status !=
		p.candidate.Status {
		u.wrong("status", "%s is %s, and its dossier says %s", p.candidate.ID, p.candidate.Status,
			status)
	}
}
