package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

// maxFacts bounds the facts that a rule run keeps, in bytes of JSON: with its trace it has to fit
// one item. A run that had more keeps none.
const maxFacts = 200_000

// storedRun is the rule run item: the run, and what its rules could read and changed, with which it
// can be repeated. Runs from before facts were kept have none.
type storedRun struct {
	dossier.RuleRun
	Facts   *runFacts            `json:"facts,omitzero"`
	Effects []dossier.RuleEffect `json:"effects,omitzero"`
}

// runFacts holds everything that rules and write-back can read of a document and its candidate.
type runFacts struct {
	Parsed  map[string]any      `json:"parsed"`
	Context dossier.RuleContext `json:"context"`
}

// runItem makes the item of a rule run, which the company's runs of a document type list.
func (a *ruleRunTx) runItem(run dossier.RuleRun, decision rules.Decision) (kv.Item, error) {
	stored := storedRun{RuleRun: run, Effects: rules.Effects(decision.Changes)}
	if !a.job.Shared {
		facts := runFacts{Parsed: a.doc.Parsed, Context: a.snapshot.context(a.ownType)}
		if text, err := json.Marshal(facts); err == nil && len(text) <= maxFacts {
			stored.Facts = &facts
		}
	}
	i, err := item(a.at.runKey(a.ownType, a.job.DocumentID), 0, stored)
	i.Lookup, i.LookupSort = runPartition(a.at.company, a.ownType), runSort(run.At, run.ID)
	return i, err
}

// context returns the candidate as the rules of a document type find it, before the write-back.
func (d *snapshot) context(own dossier.DocumentTypeID) dossier.RuleContext {
	c := dossier.RuleContext{Candidate: map[string]string{}, Rejected: d.stored.Rejected,
		CustomFields:         d.stored.CustomFields,
		DocumentCustomFields: d.requests[own].CustomFields, PresetIDs: d.stored.PresetIDs}
	for _, key := range dossier.TextKeys {
		if text := *d.stored.Text(key); text != "" {
			c.Candidate[key] = text
		}
	}
	if p := d.stored.PassVerification; p != nil {
		c.PassVerification = p.Status
	}
	for _, form := range d.stored.Forms {
		c.Forms = append(c.Forms, dossier.ContextForm{ID: form.FormID,
			Submitted: form.State == dossier.FormSubmitted})
	}
	for _, id := range slices.Sorted(maps.Keys(d.requests)) {
		r := d.requests[id]
		c.DocumentTypes = append(c.DocumentTypes, dossier.ContextDocumentType{ID: string(id),
			State: r.shownState(), Optional: !r.Required})
	}
	return c
}

// contextSnapshot is the inverse of context: the dossier of a candidate that exists nowhere, with a
// document of a type that is about to be validated.
func (s *Store) contextSnapshot(dt storedType, company string, facts runFacts) *snapshot {
	c := facts.Context
	at := candidateRef{company, dossier.CandidateID(s.newID(dossier.PrefixCandidate))}
	d := &snapshot{at: at, requests: map[dossier.DocumentTypeID]storedCDT{},
		items: map[kv.Key]kv.Item{}, stored: storedCandidate{Rejected: c.Rejected,
			Requested: map[string]dossier.Requested{},
			Candidate: dossier.Candidate{ID: string(at.id), CustomFields: c.CustomFields,
				PresetIDs: c.PresetIDs}}}
	for key, text := range c.Candidate {
		*d.stored.Text(key) = text
	}
	if c.PassVerification != "" {
		d.stored.PassVerification = &dossier.PassVerification{Status: c.PassVerification}
	}
	for _, form := range c.Forms {
		state := map[bool]string{false: dossier.FormOpen, true: dossier.FormSubmitted}
		d.stored.Forms = append(d.stored.Forms, dossier.CandidateForm{FormID: form.ID,
			State: state[form.Submitted]})
	}
	own := dossier.DocumentTypeID(dt.ID)
	request := func(of dossier.ContextDocumentType) {
		id := dossier.DocumentTypeID(of.ID)
		r := newCDT(at.id.DocumentType(id), storedCDT{}, nil, s.now())
		r.Required = !of.Optional
		if of.State != "" {
			r.State = of.State
		}
		if id == own {
			if of.State == dossier.StateValidated {
				r.InForce = &inForce{}
			}
			r.State, r.CustomFields = dossier.StateProcessing, c.DocumentCustomFields
			r.Document = &StoredDocument{Document: dossier.Document{Parsed: facts.Parsed},
				RequestID: r.ID}
		}
		d.requests[id] = r
		d.stored.Requested[id.ULID()] = r.requested()
	}
	request(dossier.ContextDocumentType{ID: dt.ID})
	for _, of := range c.DocumentTypes {
		request(of)
	}
	d.stored.Status = dossier.Status(c.Rejected, d.stored.Requested, d.stored.Forms)
	return d
}

// try evaluates the rules of a document type on facts, with write-back and status, without the
// transaction.
func (s *Store) try(dt storedType, company string, targets targets,
	facts runFacts) (rules.Outcome, error) {
	d := s.contextSnapshot(dt, company, facts)
	own := dossier.DocumentTypeID(dt.ID)
	a := s.newRuleRunTx(d, dt.job(company, d.at.id.DocumentType(own), dossier.PrefixDocument),
		targets)
	decision, err := a.apply()
	return rules.Outcome{Rules: decision.Rules, Changes: rules.Effects(decision.Changes),
		Status: a.status(), Field: func(key string) any {
			if ref, ok := strings.CutPrefix(key, prefixDocumentField); ok {
				return a.touched[own].CustomFields[ref]
			}
			if ref, ok := strings.CutPrefix(key, prefixCandidateField); ok {
				return a.cand.CustomFields[ref]
			}
			return *a.cand.Text(key)
		}}, err
}
