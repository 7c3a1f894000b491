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
	"github.com/dossierhq/dossier/pkg/trace"
)

// ruleRunTx is the one transaction of a rules job. It works on copies, so that a retry starts
// clean.
type ruleRunTx struct {
	*candidateTx
	snapshot *snapshot
	job      Job
	targets  targets
	values   map[string]string                    // of the placeholders of notifications
	touched  map[dossier.DocumentTypeID]storedCDT // candidate document types to write
	ownType  dossier.DocumentTypeID               // of the validated document
	doc      *StoredDocument                      // the validated document
	// of the actions, after candidateDocumentValidated
	events  []event.Payload
	changed []string // candidate fields with another value
	room    int      // bytes by which the candidate may still grow
}

// RunJobs applies the candidate's rules jobs in the order of their numbers. Each is one
// transaction: written-back values, document types, forms, presets, messages, the rule run, the
// status, the events, and the end of the job.
func (s *Store) RunJobs(ctx context.Context, company, candidate string) error {
	at, err := parseRef(company, candidate)
	if err != nil {
		return err
	}
	for more := true; more; {
		err := s.retryOnConflict(ctx, func() (err error) {
			more, err = s.runJob(ctx, at)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) runJob(ctx context.Context, at candidateRef) (more bool, err error) {
	d, err := s.readSnapshot(ctx, at)
	if err != nil || len(d.jobs) == 0 {
		return false, err
	}
	job := d.jobs[0]
	ctx, end := trace.Resume(ctx, s.cfg.Tracer, job.Trace, trace.Work{Name: trace.Rules,
		CompanyID: at.company, CandidateID: string(at.id), DocumentID: job.DocumentID})
	defer func() { end(outcome(err)) }()
	targets, err := s.readTargets(ctx, at.company, job)
	if err != nil {
		return false, err
	}
	a := s.newRuleRunTx(d, job, targets)
	a.cause.Trace = trace.From(ctx)
	if a.values, err = s.ruleValues(ctx, at.company, targets, a.ownType); err != nil {
		return false, err
	}
	if job.Shared && len(job.Types) > 0 {
		// The owner's custom fields are not this company's.
		if a.job.Types, err = s.fieldTypes(ctx, at.company); err != nil {
			return false, err
		}
	}
	decision, err := a.apply()
	if err != nil {
		return false, err
	}
	writes, err := a.finishJob(ctx, decision)
	if err != nil {
		return false, err
	}
	return len(d.jobs) > 1, s.commit(ctx, nil, writes...)
}

func (s *Store) newRuleRunTx(d *snapshot, job Job, targets targets) *ruleRunTx {
	dt := job.RequestID.DocumentType()
	cand := d.stored
	cand.CustomFields = cloneMap(cand.CustomFields)
	cand.Forms, cand.PresetIDs = slices.Clone(cand.Forms), slices.Clone(cand.PresetIDs)
	a := &ruleRunTx{snapshot: d, job: job, targets: targets,
		touched: map[dossier.DocumentTypeID]storedCDT{}, ownType: dt,
		candidateTx: s.newCandidateTx(d.at, cand, d.items[d.at.candidateKey()], event.Cause{
			DocumentID: job.DocumentID, RuleRunID: d.at.id.RuleRun(job.DocumentID),
			CorrelationID: job.Correlation, Principal: job.Principal})}
	a.room = fullCandidate - len(a.item.Doc)
	own := d.requests[dt]
	doc := *own.Document
	own.Document, own.CustomFields = &doc, cloneMap(own.CustomFields)
	own.State, own.Lock, own.Job, own.ExpiresOn = dossier.StateValidated, nil, 0, job.ExpiresOn
	own.InForce = nil
	own.Leads = leadsFrom(job.ExpiresOn, job.RemindBefore, a.now)
	doc.State = dossier.StateValidated
	a.touched[dt], a.doc = own, &doc
	if job.Pass {
		a.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassVerified, At: a.now}
	}
	return a
}

// apply writes parsed values back, evaluates the rules and carries their decision out.
func (a *ruleRunTx) apply() (rules.Decision, error) {
	a.writeBack()
	var decision rules.Decision
	if !a.job.Shared {
		decision = rules.Evaluate(a.job.Submission.Rules, a.facts())
	}
	if err := a.carryOut(decision); err != nil {
		return decision, err
	}
	for dt, r := range a.touched {
		a.cand.Requested[dt.ULID()] = r.requested()
	}
	return decision, nil
}

// request returns a candidate document type as the transaction has it so far.
func (a *ruleRunTx) request(dt dossier.DocumentTypeID) (storedCDT, bool) {
	if r, ok := a.touched[dt]; ok {
		return r, true
	}
	r, ok := a.snapshot.requests[dt]
	return r, ok
}

// writeBack copies parsed values onto the candidate. A value that is missing, or not of the field's
// type, changes nothing.
func (a *ruleRunTx) writeBack() {
	own := a.touched[a.ownType]
	for _, w := range a.job.WriteBack {
		value, ok := dossier.Lookup(a.doc.Parsed, w.From)
		if !ok {
			continue
		}
		if ref, document := strings.CutPrefix(w.To, prefixDocumentField); document {
			if v, ok := dossier.Coerce(a.job.Types[w.To], value); ok {
				own.CustomFields[ref] = v
			}
			continue
		}
		a.set(w.To, value, a.job.Types)
	}
}

// set sets one field of the candidate and records the change. A value for which the candidate has
// no room is left out, so that a run always ends.
func (a *ruleRunTx) set(key string, value any, types map[string]string) {
	if a.hasRoom(value) && setField(&a.cand.Candidate, key, value, types) {
		a.changed = append(a.changed, key)
	}
}

// setByPreset is set for a value of a preset, whose record has the new value and the one before.
func (a *ruleRunTx) setByPreset(ch rules.Change) {
	if a.hasRoom(ch.Set, ch.Set, a.cand.field(ch.Value)) &&
		a.cand.setByPreset(ch.Preset, ch.Value, ch.Set, a.targets.types) {
		a.changed = append(a.changed, ch.Value)
	}
}

// hasRoom reports whether the candidate may grow by values, and takes the room.
func (a *ruleRunTx) hasRoom(values ...any) bool {
	text, err := json.Marshal(values)
	if err != nil || len(text) > a.room {
		return false
	}
	a.room -= len(text)
	return true
}

// facts returns the input of the rules, after the write-back.
func (a *ruleRunTx) facts() rules.Facts {
	own := a.touched[a.ownType]
	f := rules.Facts{
		Parsed: a.doc.Parsed, CustomFields: a.cand.CustomFields,
		DocumentCustomFields: own.CustomFields,
		Candidate:            map[string]string{"status": a.before}, Presets: a.cand.PresetIDs,
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
			f.Removed = append(f.Removed, string(dt))
		} else {
			f.DocumentTypes = append(f.DocumentTypes, string(dt))
		}
		if r.State == dossier.StateProcessing {
			f.Frozen = append(f.Frozen, string(dt))
		}
	}
	slices.Sort(f.DocumentTypes)
	slices.Sort(f.Removed)
	for id, p := range a.targets.presets {
		f.PresetContents[id] = rules.PresetContent{Set: p.Set, DocumentTypeIDs: p.DocumentTypeIDs,
			FormIDs: p.FormIDs}
	}
	return f
}

// finishJob returns the writes of the transaction. Events come in this order: the document's own,
// those of the actions, those of the status.
func (a *ruleRunTx) finishJob(ctx context.Context, decision rules.Decision) ([]kv.Write, error) {
	for _, p := range append(a.ownEvents(), a.events...) {
		if err := a.emit(p); err != nil {
			return nil, err
		}
	}
	if err := a.putDocument(a.doc); err != nil {
		return nil, err
	}
	// Lists leave out an entry whose removal does not fit any more, and a sweep removes it.
	a.crowded = len(a.writes)+2*len(a.touched) > maxRunWrites
	for _, r := range sortedCDTs(a.touched) {
		if err := a.putCDT(r, a.snapshot.items[a.at.cdtKey(r.DocumentTypeID)]); err != nil {
			return nil, err
		}
	}
	a.cand.Applied = a.job.Number
	run := dossier.RuleRun{
		ID: a.cause.RuleRunID, CandidateDocumentTypeID: string(a.job.RequestID),
		DocumentID:        a.job.DocumentID,
		SubmissionVersion: a.job.SubmissionVersion, Applied: !a.job.Shared, Rules: decision.Rules,
		StatusBefore: a.before, StatusAfter: a.status(), At: a.now,
	}
	if a.job.Shared {
		run.NotAppliedReason = dossier.NotAppliedShared
	}
	// Absent: a document's rules run once; the id of the run derives from the document.
	kept, err := a.runItem(run, decision)
	if err != nil {
		return nil, err
	}
	a.add(put(kept))
	a.add(remove(a.snapshot.items[a.at.jobKey(a.job.Number)]))
	return a.finish(ctx)
}

// ownEvents returns the events of the validated document and of the fields it changed.
func (a *ruleRunTx) ownEvents() []event.Payload {
	events := []event.Payload{event.NewDocumentValidated(event.Validated{
		CandidateDocumentTypeID: string(a.job.RequestID), DocumentID: a.job.DocumentID,
		Status: a.status()})}
	if a.job.Pass {
		events = append(events, event.NewPassVerification(event.PassVerification{
			Status: dossier.PassVerified, CandidateDocumentTypeID: string(a.job.RequestID),
			DocumentID: a.job.DocumentID}))
	}
	if len(a.changed) > 0 {
		slices.Sort(a.changed)
		events = append(events, event.NewUpdated(event.Updated{Changed: slices.Compact(a.changed)}))
	}
	return events
}

func sortedCDTs(touched map[dossier.DocumentTypeID]storedCDT) []storedCDT {
	list := make([]storedCDT, 0, len(touched))
	for _, r := range touched {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b storedCDT) int {
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return list
}
