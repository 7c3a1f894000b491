package store

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

// applying is the one transaction of a rules job while it is put together. It works on copies, so that trying again starts clean.
type ruleRunTx struct {
	*candidateTx
	snapshot *snapshot
	job      Job
	targets  targets
	touched  map[string]storedCDT // candidate document types to write, by document type ULID
	ownType  string               // document type ULID of the one that is validated
	doc      *StoredDocument      // the document that is validated
	events   []event.Payload      // what the actions tell, after candidateDocumentValidated
	changed  []string             // candidate fields that got another value
	room     int                  // bytes that the candidate may still grow by
}

// RunJobs applies the open jobs of a candidate in the order of their numbers. Each is one transaction: written-back values, document
// types, forms, presets, messages, the rule run, the status, the events, the job closed. decide is the pure evaluation.
func (s *Store) RunJobs(ctx context.Context, company, candidate string, decide func(rules.Facts, Job) rules.Decision) error {
	cand, ok := bare(prefixCandidate, candidate, 1)
	if !ok {
		return dossier.ErrNotFound
	}
	for more := true; more; {
		err := s.retryOnConflict(ctx, func() (err error) {
			more, err = s.runJob(ctx, company, cand, decide)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) runJob(ctx context.Context, company, cand string, decide func(rules.Facts, Job) rules.Decision) (more bool, err error) {
	d, err := s.readSnapshot(ctx, company, cand)
	if err != nil || len(d.jobs) == 0 {
		return false, err
	}
	job := d.jobs[0]
	targets, err := s.readTargets(ctx, company, job)
	if err != nil {
		return false, err
	}
	a := s.newRuleRunTx(d, job, targets)
	if job.Shared && len(job.Types) > 0 {
		// The owner's custom fields are not this company's.
		if a.job.Types, err = s.fieldTypes(ctx, company); err != nil {
			return false, err
		}
	}
	a.writeBack()
	facts := a.facts()
	decision := rules.Decision{}
	if !job.Shared {
		decision = decide(facts, job)
	}
	if err := a.carryOut(decision); err != nil {
		return false, err
	}
	writes, err := a.finishJob(decision)
	if err != nil {
		return false, err
	}
	return len(d.jobs) > 1, s.commit(ctx, nil, writes...)
}

func (s *Store) newRuleRunTx(d *snapshot, job Job, targets targets) *ruleRunTx {
	_, dt, _ := splitRequest(job.RequestID)
	cand := d.stored
	cand.CustomFields = cloneMap(cand.CustomFields)
	cand.Forms, cand.PresetIDs = slices.Clone(cand.Forms), slices.Clone(cand.PresetIDs)
	runID := prefixRun + cand.ID[len(prefixCandidate):] + job.DocumentID[len(prefixDocument):]
	a := &ruleRunTx{snapshot: d, job: job, targets: targets, touched: map[string]storedCDT{}, ownType: dt,
		candidateTx: s.newCandidateTx(d.Company, cand, d.items[keyCandidate(d.Company, cand.ID[len(prefixCandidate):])], event.Cause{
			DocumentID: job.DocumentID, RuleRunID: runID, CorrelationID: job.Correlation, Principal: job.Principal})}
	a.room = fullCandidate - len(a.item.Doc)
	own := d.requests[dt]
	doc := *own.Document
	own.Document, own.CustomFields = &doc, cloneMap(own.CustomFields)
	own.State, own.Lock, own.Job, own.ExpiresOn = dossier.StateValidated, nil, 0, job.ExpiresOn
	doc.State = dossier.StateValidated
	a.touched[dt], a.doc = own, &doc
	if job.Pass {
		a.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassVerified, At: a.now}
	}
	return a
}

// request returns a candidate document type as the transaction has it so far.
func (a *ruleRunTx) request(dt string) (storedCDT, bool) {
	if r, ok := a.touched[dt]; ok {
		return r, true
	}
	r, ok := a.snapshot.requests[dt]
	return r, ok
}

// writeBack copies parsed values onto the candidate. A value that is not there, or not of the field's type, changes nothing.
func (a *ruleRunTx) writeBack() {
	own := a.touched[a.ownType]
	for _, w := range a.job.WriteBack {
		value, ok := dossier.Lookup(a.doc.Parsed, w.From)
		if !ok {
			continue
		}
		if ref, document := strings.CutPrefix(w.To, "dcf_"); document {
			if v, ok := dossier.Coerce(a.job.Types[w.To], value); ok {
				own.CustomFields[ref] = v
			}
			continue
		}
		a.set(w.To, value, a.job.Types)
	}
}

// set gives one field of the candidate another value and notes that it has.
// A value for which the candidate has no room is left out: a run always ends.
func (a *ruleRunTx) set(key string, value any, types map[string]string) {
	text, err := json.Marshal(value)
	if err != nil || len(text) > a.room {
		return
	}
	a.room -= len(text)
	if setField(&a.cand.Candidate, key, value, types) {
		a.changed = append(a.changed, key)
	}
}

// facts is what the rules read, after the write-back.
func (a *ruleRunTx) facts() rules.Facts {
	own := a.touched[a.ownType]
	f := rules.Facts{
		Parsed: a.doc.Parsed, CustomFields: a.cand.CustomFields, DocumentCustomFields: own.CustomFields,
		Candidate: map[string]string{"status": a.before}, Presets: a.cand.PresetIDs,
		PresetContents: map[string]rules.PresetContent{}, Missing: a.targets.missing,
	}
	for _, key := range dossier.TextKeys {
		f.Candidate[key] = *a.cand.Text(key)
	}
	if p := a.cand.PassVerification; p != nil {
		f.Candidate["passVerification"] = p.Status
	}
	for _, form := range a.cand.Forms {
		f.Forms = append(f.Forms, form.FormID)
	}
	for dt := range a.snapshot.requests {
		r, _ := a.request(dt)
		if r.State == dossier.StateRemoved {
			f.Removed = append(f.Removed, r.DocumentTypeID)
		} else {
			f.DocumentTypes = append(f.DocumentTypes, r.DocumentTypeID)
		}
		if r.State == dossier.StateProcessing {
			f.Frozen = append(f.Frozen, r.DocumentTypeID)
		}
	}
	slices.Sort(f.DocumentTypes)
	slices.Sort(f.Removed)
	for id, p := range a.targets.presets {
		f.PresetContents[id] = rules.PresetContent{Set: p.Set, DocumentTypeIDs: p.DocumentTypeIDs, FormIDs: p.FormIDs}
	}
	return f
}

// carryOut turns what the rules decided into changes of the dossier.
func (a *ruleRunTx) carryOut(decision rules.Decision) error {
	for _, ch := range decision.Changes {
		switch ch.Type {
		case dossier.ActionAddDocumentType:
			a.requestDocument(ch.Value, ch.Metadata)
		case dossier.ActionRemoveDocumentType:
			if r, ok := a.request(ch.Value[len(prefixType):]); ok {
				r.State, r.Lock, r.ExpiresOn = dossier.StateRemoved, nil, ""
				a.touched[ch.Value[len(prefixType):]] = r
			}
		case dossier.ActionRemoveForm:
			a.cand.Forms = slices.DeleteFunc(a.cand.Forms, func(f dossier.CandidateForm) bool { return f.FormID == ch.Value })
			a.events = append(a.events, event.NewFormRemoved(event.FormRemoved{FormID: ch.Value}))
		case dossier.ActionApplyPreset:
			a.cand.PresetIDs = append(a.cand.PresetIDs, ch.Value)
			a.events = append(a.events, event.NewPresetApplied(event.PresetApplied{PresetID: ch.Value}))
		case rules.ChangeAddForm:
			a.cand.Forms = append(a.cand.Forms, dossier.CandidateForm{FormID: ch.Value, Name: a.targets.forms[ch.Value], State: dossier.FormOpen, Answers: map[string]any{}})
		case rules.ChangeSetValue:
			a.set(ch.Value, ch.Set, a.targets.types)
		case dossier.ActionSendNotification:
			if err := a.notify(ch.Value, a.targets.notifications[ch.Value]); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishJob puts the transaction together: first what the document itself tells, then what the actions did, then the status.
func (a *ruleRunTx) finishJob(decision rules.Decision) ([]kv.Write, error) {
	for dt, r := range a.touched {
		a.cand.Requested[dt] = dossier.Requested{State: r.State, Required: r.Required}
	}
	payloads := []event.Payload{event.NewDocumentValidated(event.Validated{
		CandidateDocumentTypeID: a.job.RequestID, DocumentID: a.job.DocumentID, Status: a.status()})}
	if a.job.Pass {
		payloads = append(payloads, event.NewPassVerification(event.PassVerification{
			Status: dossier.PassVerified, CandidateDocumentTypeID: a.job.RequestID, DocumentID: a.job.DocumentID}))
	}
	if len(a.changed) > 0 {
		slices.Sort(a.changed)
		payloads = append(payloads, event.NewUpdated(event.Updated{Changed: slices.Compact(a.changed)}))
	}
	for _, p := range append(payloads, a.events...) {
		if err := a.emit(p); err != nil {
			return nil, err
		}
	}
	if err := a.putDocument(a.doc); err != nil {
		return nil, err
	}
	for _, dt := range sortedKeys(a.touched) {
		if err := a.putRequest(a.touched[dt], a.snapshot.items[keyRequest(a.company, a.ulid(), dt)]); err != nil {
			return nil, err
		}
	}
	a.cand.Applied = a.job.Number
	run := dossier.RuleRun{
		ID: a.cause.RuleRunID, CandidateDocumentTypeID: a.job.RequestID, DocumentID: a.job.DocumentID,
		SubmissionVersion: a.job.SubmissionVersion, Applied: !a.job.Shared, Rules: decision.Rules,
		StatusBefore: a.before, StatusAfter: a.status(), At: a.now,
	}
	if a.job.Shared {
		run.NotAppliedReason = dossier.NotAppliedShared
	}
	// Absent: a document's rules run once; the id of the run follows from the document.
	kept, err := item(keyRun(a.company, a.ulid(), a.ownType, a.job.DocumentID[len(prefixDocument):]), 0, run)
	if err != nil {
		return nil, err
	}
	a.add(put(kept))
	a.add(remove(a.snapshot.items[keyJob(a.company, a.ulid(), a.job.Number)]))
	return a.finish()
}
