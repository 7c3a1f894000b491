package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// check ends the checks of the documents that wait for one.
func (m *model) check() {
	m.each(func(c *candidate) {
		for _, r := range c.requests {
			if !r.told || r.state != "processing" || slices.ContainsFunc(c.jobs, func(j job) bool {
				return j.request == r
			}) {
				continue
			}
			r.told = false
			d := r.document
			if m.now.Before(r.due) {
				continue
			}
			if t := r.docType; t.parser && t.owner != c.company && !t.confirmed[c.company] {
				r.decide(cause{document: d}, "inReview", "PARSER_NOT_CONFIRMED")
				continue
			}
			r.call()
			if m.down {
				r.failCheck()
				continue
			}
			d.parsed = object{}
			for _, p := range d.parts {
				for name, v := range p.content {
					if _, before := d.parsed[name]; !before {
						d.parsed[name] = v
					}
				}
			}
			why := cause{document: d}
			switch {
			case d.parsed["bad"] == true:
				r.decide(why, "needsResubmission", "MISSING_VALUE")
			case r.docType.automatic:
				r.validates(nil)
				c.settle(why)
			default:
				r.decide(why, "inReview")
			}
		}
	})
}

// each calls do for every candidate, in the order in which workers come to them.
func (m *model) each(do func(*candidate)) {
	for _, o := range m.companies {
		for _, c := range o.candidates {
			do(c)
		}
	}
}

// runRules runs the candidate's jobs, each in one transaction: parsed values are written back, the
// rules run in order, the status is recalculated, and the events tell of it.
func (c *candidate) runRules() {
	for _, j := range c.jobs {
		r, d := j.request, j.document
		run := &ruleRun{job: j, before: c.status, why: cause{document: d, by: j.by},
			asked: map[*docType]*request{}}
		r.state, r.force, d.state, d.ran = "validated", nil, "validated", true
		c.emit(run.why, "candidateDocumentValidated", nil)
		validated := c.events[len(c.events)-1]
		if r.docType.pass {
			c.verify(run.why, "verified", "", r)
		}
		for _, w := range r.docType.writeBack {
			value := lookup(d.parsed, w[0])
			if w[1] == "dcf_note" {
				if v, fits := coerce(c.company.fields["dcf_note"], value); fits {
					r.fields["note"] = v
				}
			} else if c.set(w[1], value) {
				run.changed = append(run.changed, w[1])
			}
		}
		run.from = len(c.events)
		shared := r.docType.owner != c.company
		record := object{"documentId": d.id, "submissionVersion": j.version, "applied": !shared,
			"rules": []any{}}
		if shared {
			record["notAppliedReason"] = "sharedDocumentType"
		} else {
			record["rules"] = run.rules()
		}
		run.reportChanges()
		after := c.judge()
		id := r.id()
		validated.data = func() object {
			return object{"candidateDocumentTypeId": id, "documentId": d.id, "status": after}
		}
		c.settle(run.why)
		record["statusBefore"], record["statusAfter"] = run.before, after
		r = c.request(r.docType) // another one, if a rule asks for the document type again
		r.runs = append([]object{record}, r.runs...)
	}
	c.jobs = nil
}

// rules decides every rule in order, and applies those that match.
func (run *ruleRun) rules() []any {
	all := []any{}
	for _, r := range run.job.rules {
		matched, conditions, actions := r.and, []any{}, []any{}
		for _, c := range r.conditions {
			read := run.read(c)
			holds := c.holds(read)
			if holds != r.and {
				matched = !r.and
			}
			conditions = append(conditions, object{"result": holds, "missing": read == nil})
		}
		for _, a := range r.actions {
			if matched {
				reason := run.apply(a)
				actions = append(actions, object{"type": a.kind, "changed": reason == "",
					"reason": reason})
			}
		}
		all = append(all, object{"id": r.id, "matched": matched, "conditions": conditions,
			"actions": actions})
	}
	return all
}

// reportChanges records that fields of the candidate changed, before what the actions did.
func (run *ruleRun) reportChanges() {
	c := run.job.request.of
	if len(run.changed) == 0 {
		return
	}
	slices.Sort(run.changed)
	updated := &event{c, 0, "candidateUpdated", run.why,
		as(object{"changed": slices.Compact(run.changed)})}
	c.events = slices.Insert(c.events, run.from, updated)
	for n, e := range c.events {
		e.sequence = n + 1
	}
}

// dispatch hands the events out, in order.
func (m *model) dispatch() {
	m.each(func(c *candidate) {
		for ; c.dispatched < len(c.events); c.dispatched++ {
			e := c.events[c.dispatched]
			for _, i := range c.company.integrations {
				if i.event == e.name {
					m.handOut(e, i)
				}
			}
			for _, s := range c.company.scenarios {
				if s.event == e.name && s.active {
					c.react(e, s)
				}
			}
		}
	})
}

func (m *model) handOut(e *event, to *integration) {
	entry := &entry{event: e, to: to, status: "pending", next: m.now}
	if to.gone {
		entry.status = "held"
	}
	e.of.log = append(e.of.log, entry)
	m.notified[entry] = true
}

// react opens the reaction of a scenario, once for all that follows from one event.
func (c *candidate) react(e *event, s *scenario) {
	root := cmp.Or(e.cause.root, e.sequence)
	entry := &entry{event: e, scenario: s, status: "pending"}
	c.log = append(c.log, entry)
	if slices.Contains(c.reacted[root], s) {
		entry.status, entry.reason = "skipped", "reactedAlready"
		return
	}
	c.reacted[root] = append(c.reacted[root], s)
}

// reactions carries out what scenarios have to do, by scenario and event.
func (m *model) reactions() {
	m.each(func(c *candidate) {
		open := slices.DeleteFunc(slices.Clone(c.log), func(e *entry) bool {
			return e.scenario == nil || e.status != "pending"
		})
		slices.SortStableFunc(open, func(a, b *entry) int {
			return cmp.Compare(a.scenario.id, b.scenario.id)
		})
		for _, o := range open {
			why := o.event.cause
			why.depth++
			why.root = cmp.Or(why.root, o.event.sequence)
			why.scenarios = append(slices.Clone(why.scenarios), o.scenario)
			for _, t := range o.scenario.types {
				if r := c.request(t); r == nil || r.state == "removed" {
					c.ask(why, t, true, nil, nil)
				}
			}
			if o.scenario.text != "" {
				c.send(why, c.filled(o.scenario.text), "system", "system")
			}
			c.settle(why)
			o.status, o.attempts = "delivered", []int{0}
		}
	})
}

// filled returns the text of a notification with the candidate's first name in it.
func (c *candidate) filled(text string) string {
	return strings.ReplaceAll(text, "{{firstName}}", strings.TrimSpace(c.texts["firstName"]))
}

// waits are the waits after failed attempts.
var waits = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// deliver sends what is notified, in the order of the events of a candidate: after a failure, the
// next event waits.
func (m *model) deliver() {
	m.each(func(c *candidate) {
		for _, to := range c.company.integrations {
			var open []*entry
			told := false
			for _, e := range c.log {
				if e.to == to && e.status == "pending" {
					open, told = append(open, e), told || m.notified[e]
				}
			}
			for n := 0; told && n < len(open) && m.attempt(open[n]); n++ {
			}
		}
	})
	clear(m.notified)
}

// attempt sends one event, and reports whether the next one may follow.
func (m *model) attempt(e *entry) bool {
	switch {
	case e.to.gone:
		e.status = "held"
		return true
	case m.now.Before(e.next):
		return false
	}
	e.attempts = append(e.attempts, e.to.status)
	e.to.received = append(e.to.received, e.event)
	switch e.to.status {
	case 200:
		e.status = "delivered"
		return true
	case 410:
		e.status, e.to.gone = "held", true
		return true
	}
	e.next = m.now.Add(waits[len(e.attempts)-1])
	return false
}

// tick moves the clock. The sweeper notifies again of due deliveries.
func (m *model) tick(d time.Duration) {
	m.now = m.now.Add(d)
	m.each(func(c *candidate) {
		for _, r := range c.requests {
			if r.state == "processing" && !r.due.After(m.now) {
				r.told = true
			}
		}
		for _, e := range c.log {
			if e.to != nil && e.status == "pending" && !e.next.After(m.now) {
				m.notified[e] = true
			}
		}
	})
}

// reportRemoved records that the candidate is not asked for it any more.
func (r *request) reportRemoved(why cause) {
	r.of.emit(why, "candidateDocumentRemoved", func() object {
		return object{"candidateDocumentTypeId": r.id(), "documentTypeId": r.docType.id}
	})
}
