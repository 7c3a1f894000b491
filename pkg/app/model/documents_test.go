package model

import (
	"slices"
	"time"
)

// upload stores a document, if its parts are not frozen, and freezes it once it is complete.
func (r *request) upload(by *principal, parts []part) result {
	switch r.state {
	case "processing":
		return locked
	case "removed":
		return refuse(409, "DOCUMENT_TYPE_REMOVED")
	}
	if who := r.docType.replaceable; r.shown() == "validated" &&
		(who == "never" || who == "administrator" && by.candidate != nil) {
		return refuse(409, "NOT_REPLACEABLE")
	}
	for _, p := range parts {
		if len(r.docType.required) > 0 && !slices.Contains(r.docType.required, p.name) {
			return invalid
		}
	}
	if r.state == "uploaded" { // the parts from before stay
		replaced := func(p part) bool {
			return slices.ContainsFunc(parts, func(q part) bool { return q.name == p.name })
		}
		parts = append(slices.DeleteFunc(slices.Clone(r.document.parts), replaced), parts...)
	}
	if r.state == "validated" {
		r.force = r.document
	}
	r.versions++
	r.state = "processing"
	for _, name := range r.docType.required {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			r.state = "uploaded"
		}
	}
	d := &document{state: r.state, version: r.versions, parts: parts, parsed: object{}}
	r.tries, r.due, r.told = 0, time.Time{}, true
	r.document = d
	if r.docType.pass && r.force == nil {
		r.of.pass = object{"status": "pending"}
	}
	why := cause{by: by, document: d}
	r.of.emit(why, "candidateDocumentUploaded", func() object {
		return object{"candidateDocumentTypeId": r.id(), "documentId": d.id, "version": d.version}
	})
	r.of.settle(why)
	answer := ok(r.view(by))
	answer.learn = func(got object) {
		if newer, beside := got["replacement"].(object); beside {
			d.id, _ = newer["documentId"].(string)
			shown := answer.body["replacement"].(object)
			shown["documentId"], shown["document"].(object)["id"] = d.id, d.id
			return
		}
		d.id, _ = got["document"].(object)["id"].(string)
		answer.body["document"].(object)["id"] = d.id
	}
	return answer
}

// checkWaits are the waits after checks that could not be made. There is one more check than waits.
var checkWaits = []time.Duration{10 * time.Second, 30 * time.Second, 2 * time.Minute,
	5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 22 * time.Minute}

// failCheck ends a check that could not be made.
func (r *request) failCheck() {
	if r.tries++; r.tries <= len(checkWaits) {
		r.due = r.of.company.model.now.Add(checkWaits[r.tries-1])
		return
	}
	why := cause{document: r.document}
	r.report(why, "checkFailed", "CHECK_UNAVAILABLE", "CHECK_CAUSE")
	r.of.emit(why, "candidateDocumentCheckFailed", func() object {
		return object{"candidateDocumentTypeId": r.id(), "documentId": why.document.id}
	})
	r.of.settle(why)
}

// shown is the state as others see it.
func (r *request) shown() string {
	if r.force != nil {
		return "validated"
	}
	return r.state
}

// decide ends the check of a document, or is the decision of an administrator.
func (r *request) decide(why cause, state string, reasons ...string) {
	r.report(why, state, reasons...)
	r.of.settle(why)
}

func (r *request) report(why cause, state string, reasons ...string) {
	d := r.document
	r.state, d.state = state, state
	d.reasons = append(slices.Clone(d.reasons), reasons...)
	if state == "rejected" || state == "needsResubmission" {
		codes := slices.Clone(d.reasons)
		r.of.emit(why, "candidateDocumentRejected", func() object {
			return object{"candidateDocumentTypeId": r.id(), "documentId": d.id, "state": state,
				"reasons": codes}
		})
		if r.docType.pass && r.force == nil {
			r.of.verify(why, "failed", "", r)
		}
	}
}

// refuseInForce is the decision of an administrator against the document that is in force.
func (r *request) refuseInForce(by *principal, state string) {
	newest, then := r.document, r.state
	r.document, r.force = r.force, nil
	why := cause{by: by, document: r.document}
	r.report(why, state, "REJECTED_BY_REVIEWER")
	r.document = newest
	if then != "rejected" && then != "needsResubmission" {
		r.state = then
	}
	r.of.settle(why)
}

// validates opens the job that validates a document: its parts stay frozen until the rules have
// run, and the rules are those of this moment. Those of another company are not applied.
func (r *request) validates(by *principal) {
	r.state, r.document.state = "processing", "processing"
	t, version := r.docType, r.docType.version
	if t.owner != r.of.company {
		version = t.copies[r.of.company]
	}
	r.of.jobs = append(r.of.jobs, job{r, r.document, slices.Clone(t.rules), version, by})
}
