package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// NewCandidate holds the input of CreateCandidate.
type NewCandidate struct {
	Values    dossier.Candidate // text fields and custom fields
	Documents []DocumentRequest
	FormIDs   []string
	PresetID  string
	// Page marks documents and forms as those of a registration page. A page may name what is no
	// longer shared with the company; such ids are skipped instead of refused.
	Page bool
}

// DocumentRequest requests a document type from a candidate.
type DocumentRequest struct {
	DocumentTypeID string
	Optional       bool // the candidate's status does not depend on it
	DueAt          dossier.Time
	Metadata       map[string]any // stored unchanged
	CustomFields   map[string]any
}

// cdt makes the candidate document type, or requests one again that was removed.
func (n DocumentRequest) cdt(id dossier.CandidateDocumentTypeID, before storedCDT,
	now dossier.Time) storedCDT {
	r := newCDT(id, before, nil, now)
	r.Required, r.DueAt, r.Metadata, r.CustomFields = !n.Optional, n.DueAt, cloneMap(n.Metadata),
		cloneMap(n.CustomFields)
	return r
}

// maxInitialRequests bounds the document types requested from a new candidate: each takes two
// writes of the one transaction.
const maxInitialRequests = 45

// CreateCandidate creates a candidate and requests its documents and forms, in one transaction.
// Unknown ids are VALIDATION_FAILED with the pointer of the request body.
func (s *Store) CreateCandidate(ctx context.Context, company string,
	n NewCandidate) (dossier.Candidate, error) {
	at := candidateRef{company, dossier.CandidateID(s.newID(dossier.PrefixCandidate))}
	var made dossier.Candidate
	err := s.retryOnConflict(ctx, func() error {
		c, err := s.newCandidate(ctx, at, n)
		if err != nil {
			return err
		}
		writes, err := c.finish(ctx)
		if err != nil {
			return err
		}
		made = c.cand.Candidate
		if made.ExternalID != "" {
			external, err := item(externalKey(company, made.ExternalID), 0, externalID{made.ID})
			if err != nil {
				return err
			}
			writes = append(writes, put(external))
		}
		return externalTaken(s.commit(ctx, made, writes...), company, made.ExternalID, writes)
	})
	return made, err
}

func (s *Store) newCandidate(ctx context.Context, at candidateRef,
	n NewCandidate) (*candidateTx, error) {
	var presets []string
	if n.PresetID != "" {
		presets = []string{n.PresetID}
	}
	targets, err := s.targets(ctx, at.company, presets, nil, n.FormIDs)
	if err != nil {
		return nil, err
	}
	c := s.newCandidateTx(at, storedCandidate{Candidate: n.Values}, kv.Item{}, causeOf(ctx))
	c.maxBytes = maxCandidate
	c.cand.ID, c.cand.CreatedAt, c.cand.CustomFields = string(at.id), c.now,
		cloneMap(n.Values.CustomFields)
	forms, fromPreset := c.applyPresets(targets, n.FormIDs)
	documents, err := s.requestable(ctx, at.company, n, fromPreset)
	if err != nil {
		return nil, err
	}
	if err := targets.missingErr(n.FormIDs); err != nil {
		return nil, err
	}
	for _, form := range forms {
		if c.cand.Form(form) == nil {
			c.openForm(form, targets.forms[form])
		}
	}
	if len(c.cand.Forms) > dossier.MaxForms {
		return nil, errTooManyForms()
	}
	c.noteInitial(n, documents)
	return c, c.requestInitial(documents)
}

// applyPresets sets the values of presets on a new candidate. It returns the forms to open, those
// of the request first, and the documents that the presets request.
func (c *candidateTx) applyPresets(targets targets,
	requested []string) (forms []string, documents []DocumentRequest) {
	forms = requested
	for _, p := range targets.presets {
		for _, key := range sortedKeys(p.Set) {
			c.cand.setByPreset(p.ID, key, p.Set[key], p.Types)
		}
		c.cand.PresetIDs = append(c.cand.PresetIDs, p.ID)
		forms = slices.Concat(forms, p.FormIDs)
		for _, dt := range p.DocumentTypeIDs {
			documents = append(documents, DocumentRequest{DocumentTypeID: dt})
		}
	}
	return forms, documents
}

// noteInitial records the forms and document types of a new candidate that its preset brings.
func (c *candidateTx) noteInitial(n NewCandidate, documents []DocumentRequest) {
	if len(c.cand.PresetIDs) == 0 {
		return
	}
	record := c.cand.brought(n.PresetID)
	for _, form := range c.cand.Forms {
		if !slices.Contains(n.FormIDs, form.FormID) {
			record.Forms = append(record.Forms, form.FormID)
		}
	}
	for _, d := range documents {
		asked := func(o DocumentRequest) bool { return o.DocumentTypeID == d.DocumentTypeID }
		if !slices.ContainsFunc(n.Documents, asked) {
			record.documentType(d.DocumentTypeID, c.now)
		}
	}
}

// requestInitial writes the document types requested from a new candidate and its first events.
func (c *candidateTx) requestInitial(documents []DocumentRequest) error {
	payloads := []event.Payload{{}} // candidateCreated comes first, with the status known last
	for _, d := range documents {
		r := d.cdt(c.at.id.DocumentType(dossier.DocumentTypeID(d.DocumentTypeID)), storedCDT{},
			c.now)
		if err := c.putCDT(r, kv.Item{}); err != nil {
			return err
		}
		payloads = append(payloads, requestedEvent(r))
	}
	payloads[0] = event.NewCreated(event.Created{Status: c.status()})
	for _, id := range c.cand.PresetIDs {
		payloads = append(payloads, event.NewPresetApplied(event.PresetApplied{PresetID: id}))
	}
	for _, p := range payloads {
		if err := c.emit(p); err != nil {
			return err
		}
	}
	return nil
}

// requestable returns the document types to request, without duplicates: those of the request, then
// those of a preset. Unknown ids of the request are VALIDATION_FAILED.
func (s *Store) requestable(ctx context.Context, company string, n NewCandidate,
	fromPreset []DocumentRequest) ([]DocumentRequest, error) {
	all := slices.Concat(n.Documents, fromPreset)
	var ids []string
	for _, d := range all {
		ids = append(ids, d.DocumentTypeID)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > maxInitialRequests {
		return nil, dossier.Errorf(dossier.CodeLimitReached,
			"A candidate can be asked for at most %d document types at once.", maxInitialRequests)
	}
	types, err := s.types(ctx, company, ids)
	if err != nil {
		return nil, err
	}
	var problems dossier.Problems
	var documents []DocumentRequest
	seen := map[string]bool{}
	for at, d := range all {
		dt, ok := types[d.DocumentTypeID]
		switch {
		case (!ok || dt.Deleted) && at < len(n.Documents) && !n.Page:
			problems.Add(fmt.Sprintf("/documentTypeIds/%d", at), dossier.ProblemUnknown,
				"There is no document type with the id %q.", dossier.Clip(d.DocumentTypeID))
		case ok && !dt.Deleted && !seen[d.DocumentTypeID]:
			seen[d.DocumentTypeID] = true
			documents = append(documents, d)
		}
	}
	return documents, problems.Err()
}

// types reads document types by id, a hundred in one request; ids that do not exist are left out.
func (s *Store) types(ctx context.Context, company string,
	ids []string) (map[string]storedType, error) {
	return typesBy(ctx, s, company, false, ids)
}

func typesBy(ctx context.Context, s *Store, company string, eventual bool,
	ids []string) (map[string]storedType, error) {
	found := map[string]storedType{}
	err := readEntities(ctx, s, company, kindType, eventual, ids, map[string]bool{},
		func(id string, dt storedType) { found[id] = dt })
	return found, err
}

// missingErr is VALIDATION_FAILED if the preset or forms of a request do not exist.
func (g targets) missingErr(forms []string) error {
	var problems dossier.Problems
	for n, id := range forms {
		if g.missing[id] {
			problems.Add(fmt.Sprintf("/formIds/%d", n), dossier.ProblemUnknown,
				"There is no form with the id %q.", dossier.Clip(id))
		}
	}
	for _, id := range sortedKeys(g.missing) {
		if g.missing[id] && !slices.Contains(forms, id) {
			problems.Add("/presetId", dossier.ProblemUnknown, "There is no preset with the id %q.",
				dossier.Clip(id))
		}
	}
	return problems.Err()
}
