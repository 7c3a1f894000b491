package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// importTx is the one transaction of an import.
type importTx struct {
	*candidateTx
	in       dossier.CandidateImportInput
	types    map[string]storedType
	requests map[dossier.DocumentTypeID]storedCDT
	items    map[kv.Key]kv.Item
	recorded []string // ids of candidate document types
	result   dossier.CandidateImport
}

// ImportCandidate creates the candidate with the input's external id, or brings the one who has it,
// or the input's id, up to date, and records the documents as validated, in one transaction. Rules
// do not run, and one event, candidateImported, tells of everything. An import that changes nothing
// writes nothing, so that it may be repeated; so does a dry run. An id of no candidate is
// VALIDATION_FAILED, the external id of another candidate CONFLICT.
func (s *Store) ImportCandidate(ctx context.Context, company string,
	in dossier.CandidateImportInput) (result dossier.CandidateImport, err error) {
	newID := dossier.CandidateID(s.newID(dossier.PrefixCandidate))
	types, err := s.importedTypes(ctx, company, in.Documents)
	if err != nil {
		return result, err
	}
	err = s.retryOnConflict(ctx, func() error {
		m, err := s.readImport(ctx, candidateRef{company, newID}, in)
		if err != nil {
			return err
		}
		m.types = types
		writes, err := m.apply(ctx)
		if err != nil {
			return err
		}
		if result = m.result; in.DryRun || result.Result == dossier.ImportUnchanged {
			return nil
		}
		return s.commit(ctx, result, writes...)
	})
	if in.DryRun && result.Result == dossier.ImportCreated {
		result.CandidateID = ""
	}
	return result, err
}

// importedTypes returns the document types of an import by id. Unknown ids, and values that a
// reviewer could not enter, are VALIDATION_FAILED.
func (s *Store) importedTypes(ctx context.Context, company string,
	documents []dossier.ImportedDocumentInput) (map[string]storedType, error) {
	ids := make([]string, len(documents))
	for n, d := range documents {
		ids[n] = d.DocumentTypeID
	}
	types, err := s.types(ctx, company, ids)
	if err != nil {
		return nil, err
	}
	if err := s.ownFields(ctx, company, types); err != nil {
		return nil, err
	}
	var p dossier.Problems
	for n, d := range documents {
		at := dossier.Element("/documents", n)
		dt, ok := types[d.DocumentTypeID]
		if !ok || dt.Deleted {
			p.Add(at+"/documentTypeId", dossier.ProblemUnknown,
				"There is no document type with the id %q.", dossier.Clip(d.DocumentTypeID))
			continue
		}
		var values dossier.Problems
		entered(&values, dt.Check, d.Parsed)
		if dt.Check.Parser == dossier.ParserNone {
			missingValues(&values, dt.Check, d.Parsed)
		}
		tooManyBytes(&values, d.Parsed)
		for _, field := range values.List() {
			field.Pointer = at + field.Pointer
			p.AddAll([]dossier.FieldError{field})
		}
	}
	return types, p.Err()
}

// ownFields makes types that another company shares write back to custom fields of this company:
// the owner's are not this company's.
func (s *Store) ownFields(ctx context.Context, company string,
	types map[string]storedType) error {
	var own map[string]string
	for id, dt := range types {
		if !dt.sharedTo(company) || len(dt.WriteTypes) == 0 {
			continue
		}
		if own == nil {
			var err error
			if own, err = s.fieldTypes(ctx, company); err != nil {
				return err
			}
		}
		dt.WriteTypes = own
		types[id] = dt
	}
	return nil
}

// importedRef returns the place of the candidate that an import is about; NOT_FOUND if nobody has
// its external id yet.
func (s *Store) importedRef(ctx context.Context, company string,
	in dossier.CandidateImportInput) (candidateRef, error) {
	if in.ExternalID == nil {
		return parseRef(company, *in.CandidateID)
	}
	found, _, err := get[externalID](ctx, s, externalKey(company, *in.ExternalID))
	switch {
	case in.CandidateID != nil && errors.Is(err, dossier.ErrNotFound):
		return parseRef(company, *in.CandidateID)
	case err != nil:
		return candidateRef{}, err
	case in.CandidateID != nil && *in.CandidateID != found.CandidateID:
		return candidateRef{}, errExternalTaken
	}
	return parseRef(company, found.CandidateID)
}

// readImport reads the candidate that an import is about, with its document types. fresh is its
// place if nobody has its external id.
func (s *Store) readImport(ctx context.Context, fresh candidateRef,
	in dossier.CandidateImportInput) (*importTx, error) {
	m := &importTx{in: in, items: map[kv.Key]kv.Item{},
		requests: map[dossier.DocumentTypeID]storedCDT{}}
	at, err := s.importedRef(ctx, fresh.company, in)
	if errors.Is(err, dossier.ErrNotFound) && in.CandidateID == nil {
		m.candidateTx = s.newCandidateTx(fresh, storedCandidate{}, kv.Item{}, causeOf(ctx))
		m.cand.ID, m.cand.CreatedAt = string(fresh.id), m.now
		m.cand.CustomFields, m.maxBytes = map[string]any{}, maxCandidate
		return m, nil
	}
	var stored storedCandidate
	if err == nil {
		stored, err = m.read(ctx, s, at)
	}
	if err == nil && (stored.ID == "" || stored.Erased) {
		err = dossier.ErrNotFound
	}
	switch {
	case in.CandidateID != nil && errors.Is(err, dossier.ErrNotFound):
		var p dossier.Problems
		p.Add("/candidateId", dossier.ProblemUnknown, "There is no candidate with the id %q.",
			dossier.Clip(*in.CandidateID))
		return nil, p.Err()
	case in.CandidateID == nil && (errors.Is(err, dossier.ErrNotFound) ||
		err == nil && stored.ExternalID != *in.ExternalID):
		return nil, &kv.ConditionFailed{} // the external id moved since it was read
	case err != nil:
		return nil, err
	}
	stored.CustomFields = cloneMap(stored.CustomFields)
	m.candidateTx = s.newCandidateTx(at, stored, m.items[at.candidateKey()], causeOf(ctx))
	m.maxBytes = maxCandidate
	return m, nil
}

// read reads a candidate with its document types.
func (m *importTx) read(ctx context.Context, s *Store,
	at candidateRef) (stored storedCandidate, err error) {
	page, err := s.engine.Query(ctx, at.cdtQuery())
	if err != nil {
		return stored, err
	}
	for _, i := range page.Items {
		m.items[i.Key] = i
		if i.SK == skCandidate {
			stored, err = decode[storedCandidate](i)
		} else {
			var r storedCDT
			r, err = decode[storedCDT](i)
			m.requests[r.DocumentTypeID] = r
		}
		if err != nil {
			return stored, err
		}
	}
	return stored, nil
}

// apply returns the writes of the import, and sets its result.
func (m *importTx) apply(ctx context.Context) ([]kv.Write, error) {
	before := m.cand.Candidate
	before.CustomFields = cloneMap(before.CustomFields)
	m.in.SetGiven(&m.cand.Candidate)
	m.result.Documents = []dossier.ImportedDocument{}
	for n, d := range m.in.Documents {
		result, err := m.record(m.types[d.DocumentTypeID], d.Parsed)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		m.result.Documents = append(m.result.Documents, result)
	}
	changed := changedFields(before, m.cand.Candidate)
	switch {
	case m.isNew:
		m.result.Result = dossier.ImportCreated
	case len(changed) > 0 || len(m.recorded) > 0:
		m.result.Result = dossier.ImportUpdated
	default:
		m.result.Result = dossier.ImportUnchanged
	}
	m.result.CandidateID, m.result.Status = string(m.at.id), m.status()
	if changed == nil {
		changed = []string{}
	}
	if m.recorded == nil {
		m.recorded = []string{}
	}
	if err := m.emit(event.NewImported(event.Imported{Created: m.isNew, Changed: changed,
		CandidateDocumentTypeIDs: m.recorded, Status: m.result.Status})); err != nil {
		return nil, err
	}
	// Fails if another import of the same external id was first, and this one starts again.
	if err := m.store.moveExternal(ctx, m.candidateTx, before.ExternalID,
		m.cand.ExternalID); err != nil {
		return nil, err
	}
	return m.finish(ctx)
}

// record makes a document with these values the newest version, validated, or expired if its date
// has passed. The values that were recorded before change nothing, whatever became of them since,
// and a file that was uploaded stays the newest version.
func (m *importTx) record(dt storedType, parsed map[string]any) (dossier.ImportedDocument, error) {
	typeID := dossier.DocumentTypeID(dt.ID)
	id := m.at.id.DocumentType(typeID)
	result := dossier.ImportedDocument{DocumentTypeID: dt.ID, CandidateDocumentTypeID: string(id),
		Result: dossier.ImportRecorded}
	if m.isNew && m.in.DryRun {
		result.CandidateDocumentTypeID = ""
	}
	r, asked := m.requests[typeID]
	parsed = recordable(parsed)
	switch {
	case r.State == dossier.StateProcessing || uploadedFile(r):
		result.Result = dossier.ImportKept
		return result, nil
	case isRecorded(r.Document, parsed),
		r.InForce != nil && isRecorded(&r.InForce.Document, parsed):
		result.Result = dossier.ImportUnchanged
		return result, nil
	case !asked && len(m.cand.Requested) >= dossier.MaxRequested:
		return result, dossier.Errorf(dossier.CodeLimitReached,
			"A candidate can be asked for at most %d document types.", dossier.MaxRequested)
	case !asked || r.State == dossier.StateRemoved:
		r = newCDT(id, r, nil, m.now)
	}
	if err := (uploadTarget{cand: m.cand, request: r}).checkRoom(nil); err != nil {
		return result, err
	}
	r.Versions, r.Tries, r.Job, r.NotBefore = r.Versions+1, 0, 0, dossier.Time{}
	r.State, r.ExpiresOn = dossier.StateValidated, expiry(dt, parsed)
	if r.ExpiresOn != "" && !m.now.Before(startOfNextDay(r.ExpiresOn).Time) {
		r.State, r.ExpiresOn = dossier.StateExpired, ""
	}
	r.InForce = nil
	r.Leads = leadsFrom(r.ExpiresOn, dt.RemindBefore, m.now)
	r.Document = &StoredDocument{RequestID: id, Correlation: m.cause.CorrelationID,
		Document: dossier.Document{ID: m.store.newID(dossier.PrefixDocument), Version: r.Versions,
			State: r.State, Parsed: parsed, CreatedAt: m.now}}
	m.decided(r.Document)
	r.CustomFields = cloneMap(r.CustomFields)
	m.writeBack(dt, parsed, r.CustomFields)
	if dt.Pass && r.State == dossier.StateValidated {
		m.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassVerified, At: m.now}
	}
	m.recorded = append(m.recorded, string(id))
	if err := m.putDocument(r.Document); err != nil {
		return result, err
	}
	return result, m.putCDT(r, m.items[m.at.cdtKey(typeID)])
}

// isRecorded reports whether a document was recorded by an import, with these values.
func isRecorded(d *StoredDocument, parsed map[string]any) bool {
	return d != nil && len(d.Parts) == 0 && reflect.DeepEqual(d.Parsed, parsed)
}

// uploadedFile reports whether the newest version, or the one in force, is a file that was not
// turned down.
func uploadedFile(r storedCDT) bool {
	return r.InForce != nil && len(r.InForce.Document.Parts) > 0 ||
		r.Document != nil && len(r.Document.Parts) > 0 &&
			slices.Contains([]string{dossier.StateUploaded, dossier.StateInReview,
				dossier.StateValidated}, r.State)
}

// recordable returns the values without those that are null, as they are read back from storage.
func recordable(parsed map[string]any) map[string]any {
	kept := map[string]any{}
	for name, value := range parsed {
		if inner, nested := value.(map[string]any); nested {
			value = recordable(inner)
		}
		if value != nil {
			kept[name] = value
		}
	}
	return kept
}

// writeBack copies values of a recorded document onto the candidate and into the document's custom
// fields. A value that the input gives itself stays, so that the same import changes nothing.
func (m *importTx) writeBack(dt storedType, parsed, documentFields map[string]any) {
	for _, w := range dt.WriteBack {
		value, ok := dossier.Lookup(parsed, w.From)
		if !ok || m.in.Gives(w.To) {
			continue
		}
		if reference, document := strings.CutPrefix(w.To, prefixDocumentField); document {
			if v, ok := dossier.Coerce(dt.WriteTypes[w.To], value); ok {
				documentFields[reference] = v
			}
			continue
		}
		setField(&m.cand.Candidate, w.To, value, dt.WriteTypes)
	}
}
