package table

import (
	"context"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// readCandidate reads a candidate; an erased one is not found.
func (t *Table) readCandidate(ctx context.Context, company, candidate string) (storedCandidate, Item, error) {
	cand, ok := bare(prefixCandidate, candidate, 1)
	if !ok {
		return storedCandidate{}, Item{}, dossier.ErrNotFound
	}
	c, read, err := get[storedCandidate](ctx, t, keyCandidate(company, cand))
	if err == nil && c.Erased {
		err = dossier.ErrNotFound
	}
	return c, read, err
}

// Candidate returns a candidate and the revision it has.
func (t *Table) Candidate(ctx context.Context, company, candidate string) (dossier.Candidate, Rev, error) {
	c, read, err := t.readCandidate(ctx, company, candidate)
	return c.Candidate, Rev(read.Rev), err
}

// changeCandidate is one transaction on a candidate: do changes c.cand, adds writes and events, and returns the answer, a pointer
// where the answer holds the status, which is known last.
func (t *Table) changeCandidate(ctx context.Context, company, candidate string, do func(c *change) (any, error)) error {
	return t.again(ctx, func() error {
		stored, read, err := t.readCandidate(ctx, company, candidate)
		if err != nil {
			return err
		}
		stored.CustomFields = cloneMap(stored.CustomFields)
		stored.Forms, stored.PresetIDs = slices.Clone(stored.Forms), slices.Clone(stored.PresetIDs)
		c := t.change(company, stored, read, event.Cause{CorrelationID: correlation(ctx)})
		answer, err := do(c)
		if err != nil {
			return err
		}
		writes, err := c.finish()
		if err != nil {
			return err
		}
		if answer == nil {
			answer = c.cand.Candidate
		}
		return t.commit(ctx, answer, writes...)
	})
}

// NewCandidate is what a candidate is made of.
type NewCandidate struct {
	Values    dossier.Candidate // text fields and custom fields
	Documents []NewRequest
	FormIDs   []string
	PresetID  string
}

// NewRequest asks a candidate for a document type.
type NewRequest struct {
	DocumentTypeID string
	Metadata       map[string]any // with required, dueAt and customFields where they are given
}

// CreateCandidate makes a candidate and asks for its documents and forms, in one transaction. What does not exist is named by the
// pointer of the request it came in.
func (t *Table) CreateCandidate(ctx context.Context, company string, n NewCandidate) (dossier.Candidate, error) {
	id := t.newID(prefixCandidate)
	var made dossier.Candidate
	err := t.again(ctx, func() error {
		c, err := t.newCandidate(ctx, company, id, n)
		if err != nil {
			return err
		}
		writes, err := c.finish()
		if err != nil {
			return err
		}
		made = c.cand.Candidate
		if made.ExternalID != "" {
			external, err := item(keyExternal(company, made.ExternalID), 0, externalID{id})
			if err != nil {
				return err
			}
			writes = append(writes, put(external))
		}
		return externalTaken(t.commit(ctx, made, writes...), company, made.ExternalID, writes)
	})
	return made, err
}

func (t *Table) newCandidate(ctx context.Context, company, id string, n NewCandidate) (*change, error) {
	var presets []string
	if n.PresetID != "" {
		presets = []string{n.PresetID}
	}
	targets, err := t.targets(ctx, company, presets, nil, n.FormIDs)
	if err != nil {
		return nil, err
	}
	c := t.change(company, storedCandidate{Candidate: n.Values}, Item{}, event.Cause{CorrelationID: correlation(ctx)})
	c.cand.ID, c.cand.CreatedAt, c.cand.CustomFields = id, c.now, cloneMap(n.Values.CustomFields)
	forms, documents := n.FormIDs, n.Documents
	for _, p := range targets.presets {
		for _, key := range sortedKeys(p.Set) {
			setField(&c.cand.Candidate, key, p.Set[key], p.Types)
		}
		c.cand.PresetIDs = append(c.cand.PresetIDs, p.ID)
		forms = append(slices.Clone(forms), p.FormIDs...)
		for _, dt := range p.DocumentTypeIDs {
			documents = append(slices.Clone(documents), NewRequest{DocumentTypeID: dt})
		}
	}
	if err := t.typesExist(ctx, company, documents); err != nil {
		return nil, err
	}
	if err := targets.allThere(); err != nil {
		return nil, err
	}
	for _, form := range forms {
		if c.cand.Form(form) == nil {
			c.cand.Forms = append(c.cand.Forms, dossier.CandidateForm{FormID: form, Name: targets.forms[form], State: dossier.FormOpen, Answers: map[string]any{}})
		}
	}
	return c, c.begin(documents)
}

// begin writes the requests of a new candidate and its first events.
func (c *change) begin(documents []NewRequest) error {
	var requested []event.Payload
	for _, d := range documents {
		if _, twice := c.cand.Requested[d.DocumentTypeID[len(prefixType):]]; twice {
			continue
		}
		r := newRequest(c.ulid(), d.DocumentTypeID, storedRequest{}, d.Metadata, c.now)
		if err := c.putRequest(r, Item{}); err != nil {
			return err
		}
		requested = append(requested, requestedEvent(r))
	}
	payloads := append([]event.Payload{event.NewCreated(event.Created{Status: c.status()})}, requested...)
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

// typesExist names the first document type that does not exist.
func (t *Table) typesExist(ctx context.Context, company string, documents []NewRequest) error {
	ids := make([]string, len(documents))
	for n, d := range documents {
		ids[n] = d.DocumentTypeID
	}
	types, err := t.types(ctx, company, ids)
	if err != nil {
		return err
	}
	var problems dossier.Problems
	for _, id := range ids {
		if dt, ok := types[id]; !ok || dt.Deleted {
			problems.Add("/documentTypeIds", "unknown", "There is no document type %q.", clip(id))
		}
	}
	return problems.Err()
}

// types reads document types by their ids, in one request; those that do not exist are left out.
func (t *Table) types(ctx context.Context, company string, ids []string) (map[string]storedType, error) {
	found := map[string]storedType{}
	err := readSettings(ctx, t, company, kindType, ids, map[string]bool{}, func(id string, dt storedType) { found[id] = dt })
	return found, err
}

// allThere names what does not exist.
func (g Targets) allThere() error {
	var problems dossier.Problems
	for _, id := range sortedKeys(g.missing) {
		pointer := "/formIds"
		if strings.HasPrefix(id, prefixPreset) {
			pointer = "/presetId"
		}
		problems.Add(pointer, "unknown", "There is no %q.", clip(id))
	}
	return problems.Err()
}

// clip bounds what of a client's text an error repeats.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
