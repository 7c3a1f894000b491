package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// readCandidate reads a candidate; an erased one is not found.
func (s *Store) readCandidate(ctx context.Context, company, candidate string) (storedCandidate, kv.Item, error) {
	cand, ok := bare(prefixCandidate, candidate, 1)
	if !ok {
		return storedCandidate{}, kv.Item{}, dossier.ErrNotFound
	}
	c, read, err := get[storedCandidate](ctx, s, keyCandidate(company, cand))
	if err == nil && c.Erased {
		err = dossier.ErrNotFound
	}
	return c, read, err
}

// Candidate returns a candidate and the revision it has.
func (s *Store) Candidate(ctx context.Context, company, candidate string) (dossier.Candidate, Rev, error) {
	c, read, err := s.readCandidate(ctx, company, candidate)
	return c.Candidate, Rev(read.Rev), err
}

// changeCandidate is one transaction on a candidate: do changes c.cand, adds writes and events, and returns the answer, a pointer
// where the answer holds the status, which is known last.
func (s *Store) changeCandidate(ctx context.Context, company, candidate string, do func(c *candidateTx) (any, error)) error {
	return s.retryOnConflict(ctx, func() error {
		stored, read, err := s.readCandidate(ctx, company, candidate)
		if err != nil {
			return err
		}
		stored.CustomFields = cloneMap(stored.CustomFields)
		stored.Forms, stored.PresetIDs = slices.Clone(stored.Forms), slices.Clone(stored.PresetIDs)
		c := s.newCandidateTx(company, stored, read, causeOf(ctx))
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
		return s.commit(ctx, answer, writes...)
	})
}

// NewCandidate is what a candidate is made of.
type NewCandidate struct {
	Values    dossier.Candidate // text fields and custom fields
	Documents []DocumentRequest
	FormIDs   []string
	PresetID  string
	// Page: documents and forms are those of a registration page, which may name what is not shared any more. That is left out.
	Page bool
}

// NewRequest asks a candidate for a document type.
type DocumentRequest struct {
	DocumentTypeID string
	Optional       bool // the candidate's status does not depend on it
	DueAt          dossier.Time
	Metadata       map[string]any // kept as it is
	CustomFields   map[string]any
}

// request makes the candidate document type, or asks again for one that was removed.
func (n DocumentRequest) request(cand string, before storedCDT, now dossier.Time) storedCDT {
	r := newCDT(cand, n.DocumentTypeID, before, nil, now)
	r.Required, r.DueAt, r.Metadata, r.CustomFields = !n.Optional, n.DueAt, cloneMap(n.Metadata), cloneMap(n.CustomFields)
	return r
}

// maxAsked is how many document types a new candidate is asked for at most: each is two writes of the one transaction.
const maxInitialRequests = 45

// CreateCandidate makes a candidate and asks for its documents and forms, in one transaction. What does not exist is named by the
// pointer of the request it came in.
func (s *Store) CreateCandidate(ctx context.Context, company string, n NewCandidate) (dossier.Candidate, error) {
	id := s.newID(prefixCandidate)
	var made dossier.Candidate
	err := s.retryOnConflict(ctx, func() error {
		c, err := s.newCandidate(ctx, company, id, n)
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
		return externalTaken(s.commit(ctx, made, writes...), company, made.ExternalID, writes)
	})
	return made, err
}

func (s *Store) newCandidate(ctx context.Context, company, id string, n NewCandidate) (*candidateTx, error) {
	var presets []string
	if n.PresetID != "" {
		presets = []string{n.PresetID}
	}
	targets, err := s.targets(ctx, company, presets, nil, n.FormIDs)
	if err != nil {
		return nil, err
	}
	c := s.newCandidateTx(company, storedCandidate{Candidate: n.Values}, kv.Item{}, causeOf(ctx))
	c.maxBytes = maxCandidate
	c.cand.ID, c.cand.CreatedAt, c.cand.CustomFields = id, c.now, cloneMap(n.Values.CustomFields)
	forms, brought := n.FormIDs, []DocumentRequest{}
	for _, p := range targets.presets {
		for _, key := range sortedKeys(p.Set) {
			setField(&c.cand.Candidate, key, p.Set[key], p.Types)
		}
		c.cand.PresetIDs = append(c.cand.PresetIDs, p.ID)
		forms = append(slices.Clone(forms), p.FormIDs...)
		for _, dt := range p.DocumentTypeIDs {
			brought = append(brought, DocumentRequest{DocumentTypeID: dt})
		}
	}
	documents, err := s.requestable(ctx, company, n, brought)
	if err != nil {
		return nil, err
	}
	if err := targets.missingErr(n.FormIDs); err != nil {
		return nil, err
	}
	for _, form := range forms {
		if c.cand.Form(form) == nil {
			c.cand.Forms = append(c.cand.Forms, dossier.CandidateForm{FormID: form, Name: targets.forms[form], State: dossier.FormOpen, Answers: map[string]any{}})
		}
	}
	if len(c.cand.Forms) > dossier.MaxForms {
		return nil, dossier.Errorf(dossier.CodeLimitReached, "A candidate has at most %d forms.", dossier.MaxForms)
	}
	return c, c.begin(documents)
}

// begin writes the requests of a new candidate and its first events.
func (c *candidateTx) begin(documents []DocumentRequest) error {
	var requested []event.Payload
	for _, d := range documents {
		r := d.request(c.ulid(), storedCDT{}, c.now)
		if err := c.putRequest(r, kv.Item{}); err != nil {
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

// askable returns what a new candidate is asked for, each document type once: what is asked for, then what a preset brings. What is
// asked for and does not exist is named.
func (s *Store) requestable(ctx context.Context, company string, n NewCandidate, brought []DocumentRequest) ([]DocumentRequest, error) {
	var ids []string
	for _, d := range slices.Concat(n.Documents, brought) {
		ids = append(ids, d.DocumentTypeID)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > maxInitialRequests {
		return nil, dossier.Errorf(dossier.CodeLimitReached, "A candidate is asked for at most %d document types at once.", maxInitialRequests)
	}
	types, err := s.types(ctx, company, ids)
	if err != nil {
		return nil, err
	}
	var problems dossier.Problems
	var documents []DocumentRequest
	seen := map[string]bool{}
	for at, d := range slices.Concat(n.Documents, brought) {
		dt, ok := types[d.DocumentTypeID]
		switch {
		case (!ok || dt.Deleted) && at < len(n.Documents) && !n.Page:
			problems.Add(fmt.Sprintf("/documentTypeIds/%d", at), "unknown", "There is no document type %q.", truncate(d.DocumentTypeID))
		case ok && !dt.Deleted && !seen[d.DocumentTypeID]:
			seen[d.DocumentTypeID] = true
			documents = append(documents, d)
		}
	}
	return documents, problems.Err()
}

// types reads document types by their ids, in one request; those that do not exist are left out.
func (s *Store) types(ctx context.Context, company string, ids []string) (map[string]storedType, error) {
	return typesBy(ctx, s, company, false, ids)
}

func typesBy(ctx context.Context, s *Store, company string, eventual bool, ids []string) (map[string]storedType, error) {
	found := map[string]storedType{}
	err := readEntities(ctx, s, company, kindType, eventual, ids, map[string]bool{}, func(id string, dt storedType) { found[id] = dt })
	return found, err
}

// allThere names the preset and the forms of a request that do not exist.
func (g targets) missingErr(forms []string) error {
	var problems dossier.Problems
	for n, id := range forms {
		if g.missing[id] {
			problems.Add(fmt.Sprintf("/formIds/%d", n), "unknown", "There is no form %q.", truncate(id))
		}
	}
	for _, id := range sortedKeys(g.missing) {
		if g.missing[id] && !slices.Contains(forms, id) {
			problems.Add("/presetId", "unknown", "There is no preset %q.", truncate(id))
		}
	}
	return problems.Err()
}

// clip bounds what of a client's text an error repeats.
func truncate(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
