package store

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// presetTx is the transaction that applies a preset to a candidate or takes it back.
type presetTx struct {
	*candidateTx
	snapshot *snapshot
	id       string
	targets  targets  // the presets of the candidate and this one
	fields   []string // that have another value
	done     dossier.PresetChange
}

// ApplyPreset applies a preset to a candidate who exists. VALIDATION_FAILED if there is none with
// the id; INVALID_TRANSITION if it was applied and not taken back.
func (s *Store) ApplyPreset(ctx context.Context, company, candidate,
	preset string) (dossier.PresetChange, error) {
	return s.changePreset(ctx, company, candidate, preset, func(p *presetTx) error {
		stored, ok := p.targets.presets[preset]
		if !ok {
			var problems dossier.Problems
			problems.Add("/presetId", dossier.ProblemUnknown, "There is no preset with the id %q.",
				dossier.Clip(preset))
			return problems.Err()
		}
		if slices.Contains(p.cand.PresetIDs, preset) {
			return dossier.Errorf(dossier.CodeTransition, "The preset has already been applied.")
		}
		p.maxBytes = maxCandidate
		p.cand.PresetIDs = append(p.cand.PresetIDs, preset)
		p.cand.brought(preset)
		if err := p.emit(event.NewPresetApplied(event.PresetApplied{
			PresetID: preset})); err != nil {
			return err
		}
		for _, key := range sortedKeys(stored.Set) {
			set := p.cand.setByPreset(preset, key, stored.Set[key], stored.Types)
			p.report(set, dossier.PartField, key, dossier.KeptThere)
		}
		if err := p.openForms(stored.FormIDs); err != nil {
			return err
		}
		return p.requestTypes(ctx, stored.DocumentTypeIDs)
	})
}

// TakeBackPreset removes from a candidate what a preset brought, unless somebody has filled it or
// another preset has it too. NOT_FOUND if the preset was not applied.
func (s *Store) TakeBackPreset(ctx context.Context, company, candidate,
	preset string) (dossier.PresetChange, error) {
	return s.changePreset(ctx, company, candidate, preset, func(p *presetTx) error {
		at := slices.Index(p.cand.PresetIDs, preset)
		if at < 0 {
			return dossier.ErrNotFound
		}
		p.cand.PresetIDs = slices.Delete(p.cand.PresetIDs, at, at+1)
		record := p.cand.brought(preset)
		delete(p.cand.Brought, preset)
		p.fields = append(p.fields, keyPresets)
		for _, key := range sortedKeys(record.Fields) {
			p.takeField(key, record.Fields[key])
		}
		for _, form := range record.Forms {
			if err := p.takeForm(form); err != nil {
				return err
			}
		}
		for _, dt := range slices.Sorted(maps.Keys(record.DocumentTypes)) {
			if err := p.takeType(dt, record.DocumentTypes[dt]); err != nil {
				return err
			}
		}
		p.reportRest(record)
		return nil
	})
}

// changePreset runs one transaction on a candidate and the document types that it is asked for.
func (s *Store) changePreset(ctx context.Context, company, candidate, preset string,
	do func(*presetTx) error) (done dossier.PresetChange, err error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return done, err
	}
	err = s.retryOnConflict(ctx, func() error {
		d, err := s.readSnapshot(ctx, at)
		if err != nil {
			return err
		}
		p := &presetTx{snapshot: d, id: preset, done: dossier.PresetChange{
			Changed: []dossier.PresetPart{}, Kept: []dossier.PresetPart{}},
			candidateTx: s.newCandidateTx(at, d.stored, d.items[at.candidateKey()], causeOf(ctx))}
		p.cand.CustomFields = cloneMap(p.cand.CustomFields)
		if p.targets, err = s.targets(ctx, company, append(slices.Clone(d.stored.PresetIDs),
			preset), nil, nil); err != nil {
			return err
		}
		if err := do(p); err != nil {
			return err
		}
		if len(p.fields) > 0 {
			slices.Sort(p.fields)
			if err := p.emit(event.NewUpdated(event.Updated{Changed: p.fields})); err != nil {
				return err
			}
		}
		writes, err := p.finish(ctx)
		if err != nil {
			return err
		}
		done = p.done
		done.Candidate = p.cand.Candidate
		return s.commit(ctx, done, writes...)
	})
	return done, err
}

// report records what became of a part. A changed field is one of candidateUpdated.
func (p *presetTx) report(changed bool, kind, value, reason string) {
	if !changed {
		p.done.Kept = append(p.done.Kept, dossier.PresetPart{Type: kind, Value: value,
			Reason: reason})
		return
	}
	p.done.Changed = append(p.done.Changed, dossier.PresetPart{Type: kind, Value: value})
	if kind == dossier.PartField {
		p.fields = append(p.fields, value)
	}
}

func (p *presetTx) openForms(ids []string) error {
	for _, id := range ids {
		name, exists := p.targets.forms[id]
		switch {
		case !exists:
			p.report(false, dossier.PartForm, id, dossier.KeptGone)
		case p.cand.Form(id) != nil:
			p.report(false, dossier.PartForm, id, dossier.KeptThere)
		case len(p.cand.Forms) >= dossier.MaxForms:
			return errTooManyForms()
		default:
			p.openForm(id, name)
			record := p.cand.brought(p.id)
			record.Forms = append(record.Forms, id)
			p.report(true, dossier.PartForm, id, "")
		}
	}
	return nil
}

func (p *presetTx) requestTypes(ctx context.Context, ids []string) error {
	types, err := p.store.types(ctx, p.at.company, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		dt := dossier.DocumentTypeID(id)
		before, requested := p.snapshot.requests[dt]
		shared, exists := types[id]
		switch {
		case !exists || shared.Deleted:
			p.report(false, dossier.PartDocumentType, id, dossier.KeptGone)
		case requested && !dossier.CanGo(before.State, dossier.StateRequested):
			p.report(false, dossier.PartDocumentType, id, dossier.KeptThere)
		case !requested && len(p.cand.Requested) >= dossier.MaxRequested:
			return errTooManyRequests()
		default:
			r := newCDT(p.at.id.DocumentType(dt), before, nil, p.now)
			if err := p.putCDT(r, p.snapshot.items[p.at.cdtKey(dt)]); err != nil {
				return err
			}
			if err := p.emit(requestedEvent(r)); err != nil {
				return err
			}
			p.cand.brought(p.id).documentType(id, p.now)
			p.report(true, dossier.PartDocumentType, id, "")
		}
	}
	return nil
}

// heir returns the record of another preset of the candidate that has the part, nil if there is
// none.
func (p *presetTx) heir(has func(storedPreset) bool) *broughtBy {
	for _, id := range p.cand.PresetIDs {
		if other, ok := p.targets.presets[id]; ok && has(other) {
			return p.cand.brought(id)
		}
	}
	return nil
}

func (p *presetTx) takeField(key string, f broughtField) {
	kind, present := dossier.PartField, p.cand.field(key)
	if !reflect.DeepEqual(present, f.Value) {
		p.cand.passOn(p.id, key, f)
		p.report(false, kind, key, dossier.KeptChanged)
		return
	}
	heir := p.heir(func(o storedPreset) bool {
		want, named := o.Set[key]
		coerced, ok := dossier.Coerce(o.Types[key], want)
		return named && (reflect.DeepEqual(want, present) ||
			ok && reflect.DeepEqual(coerced, present))
	})
	if heir != nil {
		heir.field(key, f)
		p.report(false, kind, key, dossier.KeptOtherPreset)
		return
	}
	p.cand.restoreField(key, f)
	p.report(true, kind, key, "")
}

func (p *presetTx) takeForm(id string) error {
	f := p.cand.Form(id)
	if f == nil {
		return nil
	}
	if f.State != dossier.FormOpen || len(f.Answers) > 0 {
		p.report(false, dossier.PartForm, id, dossier.KeptFilled)
		return nil
	}
	heir := p.heir(func(o storedPreset) bool { return slices.Contains(o.FormIDs, id) })
	if heir != nil {
		heir.Forms = append(heir.Forms, id)
		p.report(false, dossier.PartForm, id, dossier.KeptOtherPreset)
		return nil
	}
	p.cand.Forms = slices.DeleteFunc(p.cand.Forms, func(f dossier.CandidateForm) bool {
		return f.FormID == id
	})
	p.report(true, dossier.PartForm, id, "")
	return p.emit(event.NewFormRemoved(event.FormRemoved{FormID: id}))
}

// takeType withdraws a request that is still the one that the preset made at a moment.
func (p *presetTx) takeType(id string, at dossier.Time) error {
	const kind = dossier.PartDocumentType
	dt := dossier.DocumentTypeID(id)
	r := p.snapshot.requests[dt]
	switch {
	case r.State == "" || r.State == dossier.StateRemoved:
		return nil
	case r.State != dossier.StateRequested:
		p.report(false, kind, id, dossier.KeptFilled)
		return nil
	case !r.Since.Equal(at):
		p.report(false, kind, id, dossier.KeptNotBrought)
		return nil
	}
	heir := p.heir(func(o storedPreset) bool { return slices.Contains(o.DocumentTypeIDs, id) })
	if heir != nil {
		heir.documentType(id, at)
		p.report(false, kind, id, dossier.KeptOtherPreset)
		return nil
	}
	r.State, r.ExpiresOn, r.Leads = dossier.StateRemoved, "", nil
	if err := p.putCDT(r, p.snapshot.items[p.at.cdtKey(dt)]); err != nil {
		return err
	}
	p.report(true, kind, id, "")
	return p.emit(removedEvent(r))
}

// reportRest reports the parts of the preset, as it is now, that it did not bring.
func (p *presetTx) reportRest(record *broughtBy) {
	preset := p.targets.presets[p.id]
	for _, key := range sortedKeys(preset.Set) {
		if _, ok := record.Fields[key]; !ok && p.cand.field(key) != nil {
			p.report(false, dossier.PartField, key, dossier.KeptNotBrought)
		}
	}
	for _, id := range preset.FormIDs {
		if !slices.Contains(record.Forms, id) && p.cand.Form(id) != nil {
			p.report(false, dossier.PartForm, id, dossier.KeptNotBrought)
		}
	}
	for _, id := range preset.DocumentTypeIDs {
		r := p.snapshot.requests[dossier.DocumentTypeID(id)]
		if _, ok := record.DocumentTypes[id]; !ok && r.State != "" &&
			r.State != dossier.StateRemoved {
			p.report(false, dossier.PartDocumentType, id, dossier.KeptNotBrought)
		}
	}
}
