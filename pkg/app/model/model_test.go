package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

type object = map[string]any

type candidate struct {
	id             string
	company        *company
	texts          map[string]string
	fields         object
	rejected       bool
	status, reason string
	pass           object // status and reason; nil for none
	forms          []candidateForm
	presets        []*preset
	brought        map[*preset]*brought
	requests       []*request // in the order of their document types
	jobs           []job
	messages       []*message
	events         []*event
	dispatched     int // events that were handed out
	log            []*entry
	reacted        map[int][]*scenario // by the root event
}

type candidateForm struct {
	form    *form
	state   string
	answers object
}

// request is a candidate document type.
type request struct {
	of               *candidate
	since            time.Time // asked for
	docType          *docType
	state            string
	required         bool
	metadata, fields object
	versions         int
	document         *document // the newest
	force            *document // a validated one, while the newest is to replace it
	runs             []object  // the newest first
	tries            int       // of the check, all in vain
	due              time.Time // no try before
	told             bool      // a worker is told of the check
}

type document struct {
	id, state string
	version   int
	parts     []part
	parsed    object
	reasons   []string
	ran       bool // its rules: they run once
}

type part struct {
	name    string
	content object
}

type message struct {
	id, text, author, authorType string
	byCandidate, byAdministrator bool // read by
}

// cause names the document, caller and scenarios that led to an event.
type cause struct {
	document    *document
	by          *principal
	depth, root int
	scenarios   []*scenario
}

type event struct {
	of       *candidate
	sequence int
	name     string
	cause    cause
	data     func() object // ids are known once the service has answered
}

// entry is one event handed to an integration or a scenario.
type entry struct {
	event          *event
	to             *integration
	scenario       *scenario
	status, reason string
	attempts       []int
	next           time.Time
}

// job is a validated document whose rules have not run.
type job struct {
	request  *request
	document *document
	rules    []rule
	version  int
	by       *principal
}

type model struct {
	now       time.Time
	companies []*company
	kept      map[string]keptAnswer // by principal and Idempotency-Key
	notified  map[*entry]bool       // deliveries that a worker is told of
	down      bool                  // no check can be made
}

type keptAnswer struct {
	request string
	result  result
}

// result is a response: a refusal, or the members that are compared. learn takes the ids that the
// service has chosen.
type result struct {
	status int
	code   string
	body   object
	learn  func(got object)
	// writes nothing, so that an Idempotency-Key keeps no answer
	empty bool
}

func refuse(status int, code string) result { return result{status: status, code: code} }

func ok(body object) result { return result{status: 200, body: body} }

var (
	notFound  = refuse(404, "NOT_FOUND")
	forbidden = refuse(403, "FORBIDDEN")
	locked    = refuse(409, "NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING")
	invalid   = refuse(422, "VALIDATION_FAILED")
	notNow    = refuse(409, "INVALID_TRANSITION")
)

// call is one request: the caller, the scope that it needs, whether it takes a candidate's token,
// the candidate that it is about, and its Idempotency-Key with the text of the request.
type call struct {
	by        *principal
	scope     string
	tokens    bool
	about     *candidate
	key, text string
}

// has reports whether a key carries a scope. Write includes read.
func (p *principal) has(scope string) bool {
	resource, _, _ := strings.Cut(scope, ":")
	return slices.Contains(p.scopes, scope) || slices.Contains(p.scopes, resource+":write")
}

// answer carries a request out, unless the caller may not, or it was answered before.
func (m *model) answer(c call, do func() result) result {
	switch {
	case c.by.candidate != nil && !c.tokens, c.by.candidate == nil && !c.by.has(c.scope):
		return forbidden
	case c.by.candidate != nil && c.by.candidate != c.about:
		return notFound
	}
	at := c.by.company.id + " " + c.by.id + " " + c.key
	if kept, found := m.kept[at]; found && c.key != "" {
		if kept.request != c.text {
			return refuse(422, "IDEMPOTENCY_KEY_REUSED")
		}
		return kept.result
	}
	if c.about != nil && c.about.company != c.by.company {
		return notFound
	}
	r := do()
	if c.key != "" && r.status == 200 && !r.empty {
		m.kept[at] = keptAnswer{c.text, r}
	}
	return r
}

// emit records an event of the candidate.
func (c *candidate) emit(why cause, name string, data func() object) {
	c.events = append(c.events, &event{c, len(c.events) + 1, name, why, data})
}

func as(data object) func() object { return func() object { return data } }

// settle recalculates the status, and reports it if it changed.
func (c *candidate) settle(why cause) {
	before := c.status
	c.status = c.judge()
	if c.status == before {
		return
	}
	data := object{"status": c.status, "previousStatus": before}
	c.emit(why, "candidateStatusChanged", as(data))
	if c.status == "approved" {
		c.emit(why, "candidateApproved", as(data))
	}
}

// judge is the status of the candidate as the dossier is now.
func (c *candidate) judge() string {
	required, missing, waiting, validated := 0, 0, 0, 0
	for _, r := range c.requests {
		if r.shown() == "validated" {
			validated++
		}
		if !r.required || r.state == "removed" {
			continue
		}
		required++
		switch r.shown() {
		case "validated":
		case "processing", "inReview":
			waiting++
		default:
			missing++
		}
	}
	for _, f := range c.forms {
		if f.state == "open" {
			missing++
		}
	}
	switch {
	case c.rejected:
		return "rejected"
	case missing > 0, required == 0 && validated == 0:
		return "collecting"
	case waiting > 0:
		return "inReview"
	}
	return "approved"
}

// request returns the candidate document type of a type; nil if it never was asked for.
func (c *candidate) request(t *docType) *request {
	for _, r := range c.requests {
		if r.docType == t {
			return r
		}
	}
	return nil
}

func (r *request) id() string {
	return "cdt_" + r.of.id[len("cnd_"):] + r.docType.id[len("dty_"):]
}

// ask asks the candidate for a document type. What was asked for before and removed begins again.
func (c *candidate) ask(why cause, t *docType, required bool, metadata, fields object) *request {
	r := &request{of: c, docType: t, state: "requested", required: required,
		metadata: clone(metadata), fields: clone(fields), since: c.company.model.now}
	if before := c.request(t); before != nil {
		r.versions, r.runs = before.versions, before.runs
		c.requests = slices.DeleteFunc(c.requests, func(o *request) bool { return o == before })
	}
	c.requests = append(c.requests, r)
	c.sortRequests()
	c.emit(why, "candidateDocumentRequested", func() object {
		return object{"candidateDocumentTypeId": r.id(), "documentTypeId": t.id,
			"required": required}
	})
	return r
}

func (c *candidate) sortRequests() {
	slices.SortFunc(c.requests, func(a, b *request) int {
		return cmp.Compare(a.docType.id, b.docType.id)
	})
}

// open opens a form for the candidate, unless there is one of it.
func (c *candidate) open(f *form) bool {
	if slices.ContainsFunc(c.forms, func(o candidateForm) bool { return o.form == f }) {
		return false
	}
	c.forms = append(c.forms, candidateForm{f, "open", object{}})
	return true
}

// verify records the outcome for the candidate's pass, of a document or of an outside verifier.
func (c *candidate) verify(why cause, status, reason string, of *request) {
	c.pass = object{"status": status}
	if reason != "" {
		c.pass["reason"] = reason
	}
	name := map[string]string{"verified": "candidatePassVerificationVerified",
		"failed": "candidatePassVerificationFailed"}[status]
	if name == "" {
		return
	}
	c.emit(why, name, func() object {
		if of == nil {
			return object{"status": status}
		}
		return object{"status": status, "candidateDocumentTypeId": of.id(),
			"documentId": why.document.id}
	})
}

// send stores a message, and its event.
func (c *candidate) send(why cause, text, authorType, author string) *message {
	m := &message{text: text, author: author, authorType: authorType}
	c.messages = append(c.messages, m)
	c.emit(why, "candidateMessageSent", func() object {
		return object{"messageId": m.id, "authorType": authorType}
	})
	return m
}

// deleteMessage deletes an own message that nobody has read.
func (c *candidate) deleteMessage(by *principal, m *message) result {
	switch {
	case !slices.Contains(c.messages, m):
		return notFound
	case m.authorType != "administrator" || m.author != by.id:
		return refuse(403, "NOT_MESSAGE_AUTHOR")
	case m.byCandidate || m.byAdministrator:
		return refuse(409, "MESSAGE_ALREADY_READ")
	}
	c.messages = slices.DeleteFunc(c.messages, func(o *message) bool { return o == m })
	return ok(object{})
}
