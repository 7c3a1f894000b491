package store

import (
	"context"
	"slices"
	"strconv"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// inForce is a validated document that a newer one is to replace. Until the newer one is validated
// it decides what others see and the status of the candidate; storedCDT has the newer one.
type inForce struct {
	// without its readings, so that both documents fit one item
	Document  StoredDocument `json:"document"`
	ExpiresOn string         `json:"expiresOn,omitzero"`
	Leads     []int          `json:"leads,omitzero"`
}

// shownState returns the state as others see it: validated while a validated document is in force.
func (r *storedCDT) shownState() string {
	if r.InForce != nil {
		return dossier.StateValidated
	}
	return r.State
}

// requested returns what the status of the candidate depends on.
func (r *storedCDT) requested() dossier.Requested {
	return dossier.Requested{State: r.shownState(), Required: r.Required}
}

// keepInForce keeps the document in force while a newer one comes.
func (r *storedCDT) keepInForce() {
	if r.State != dossier.StateValidated || r.Document == nil {
		return
	}
	r.InForce = &inForce{Document: *r.Document, ExpiresOn: r.ExpiresOn, Leads: r.Leads}
	r.InForce.Document.Readings = nil
}

// replacement returns the newest document as responses show it beside the one in force.
func (r *storedCDT) replacement() *dossier.Replacement {
	if r.InForce == nil || r.Document == nil {
		return nil
	}
	d := r.Document.Document
	return &dossier.Replacement{DocumentID: d.ID, State: r.State, Since: r.Since, Document: &d}
}

// stamp sets the moment of a write, and of its state where that is new.
func (r *storedCDT) stamp(now dossier.Time, read kv.Item) {
	r.UpdatedAt = now
	if r.Since.IsZero() || r.State != read.Fields["state"] {
		r.Since = now
	}
}

// lapse ends the force of the validated document of r, which becomes what change makes of it. From
// then on the newest document counts.
func (c *candidateTx) lapse(ctx context.Context, r *storedCDT,
	change func(*StoredDocument)) error {
	d, _, err := get[StoredDocument](ctx, c.store,
		c.at.documentKey(r.DocumentTypeID, r.InForce.Document.ID))
	if err != nil {
		return err
	}
	change(&d)
	r.InForce = nil
	return c.putDocument(&d)
}

// The fields of a candidate document type whose validated document is in force: that it is, and the
// revision of the replacement entry.
const (
	fieldInForce = "inForce"
	fieldEntry   = "entry"
)

// putEntry writes or removes the entry by which lists find the state of a replacement, and sets the
// field that keeps its revision.
func (c *candidateTx) putEntry(r *storedCDT, read kv.Item, i *kv.Item) error {
	stored, _ := strconv.ParseInt(read.Fields[fieldEntry], 10, 64) // none is 0
	key := c.at.replacementKey(r.DocumentTypeID)
	if r.InForce != nil {
		i.Fields[fieldInForce] = "true"
	}
	switch {
	case r.InForce == nil && stored == 0:
		return nil
	case r.InForce == nil && !c.crowded:
		c.add(remove(kv.Item{Key: key, Rev: stored}))
		return nil
	case r.InForce == nil || stored > 0 && r.State == read.Fields["state"]:
		i.Fields[fieldEntry] = number(stored)
		return nil
	}
	entry, err := item(key, stored, storedCDT{ID: r.ID, CandidateID: r.CandidateID,
		DocumentTypeID: r.DocumentTypeID, State: r.State, Since: r.Since})
	if err != nil {
		return err
	}
	i.Fields[fieldEntry] = number(entry.Rev)
	entry.Lookup, entry.LookupSort = lookupPartition(c.at.company, listCDTs, r.State),
		urgencySort(r.urgency(), r.ID)
	entry.Group, entry.GroupSort = typePartition(c.at.company, r.DocumentTypeID),
		typeSort(r.State, r.urgency(), r.ID)
	c.add(put(entry))
	return nil
}

// leftEntry reports whether a candidate document type has a replacement entry that no list needs
// any more, because its removal did not fit into a transaction.
func leftEntry(r *storedCDT, i kv.Item) bool {
	return r.InForce == nil && i.Fields[fieldEntry] != ""
}

// entryOf returns the key of the candidate document type of a replacement entry; ok is false for
// other keys.
func entryOf(k kv.Key) (of kv.Key, ok bool) {
	dt, ok := cutTask(k.SK, prefixReplacement)
	return kv.Key{PK: k.PK, SK: prefixCDT + dt}, ok
}

// hidesEntries reports whether a list shows candidate document types by their own state, so that it
// leaves replacement entries out: each is in a list once.
func hidesEntries(states []string) bool {
	return len(states) == 0 || slices.Contains(states, dossier.StateValidated)
}

// resolveEntries puts candidate document types in the places of their replacement entries on a
// page, in one more request where there are any.
func (s *Store) resolveEntries(ctx context.Context, page []kv.Item,
	states []string) ([]kv.Item, error) {
	hidden := hidesEntries(states)
	var keys []kv.Key
	for _, i := range page {
		if key, ok := entryOf(i.Key); ok && !hidden && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	behind := map[kv.Key]kv.Item{}
	for part := range slices.Chunk(keys, maxGet) {
		items, err := s.engine.Get(ctx, true, part...)
		if err != nil {
			return nil, err
		}
		for n, i := range items {
			behind[part[n]] = i
		}
	}
	list := make([]kv.Item, 0, len(page))
	for _, i := range page {
		key, isEntry := entryOf(i.Key)
		if isEntry {
			entry := i
			i = behind[key]
			if is, err := isBehind(i, entry); err != nil {
				return nil, err
			} else if !is {
				continue
			}
		}
		list = append(list, i)
	}
	return list, nil
}

// isBehind reports whether an item is the candidate document type of a replacement entry that still
// has its state. One that is gone, erased or hidden is not.
func isBehind(i, entry kv.Item) (bool, error) {
	if i.Rev == 0 || i.List == "" {
		return false, nil
	}
	r, err := decode[storedCDT](i)
	if err != nil {
		return false, err
	}
	e, err := decode[storedCDT](entry)
	return r.InForce != nil && r.State == e.State, err
}

// checkReplaceable is NOT_REPLACEABLE if somebody may not replace a validated document of the type.
func (s storedType) checkReplaceable(by *dossier.Actor) error {
	switch {
	case s.Replaceable == dossier.ReplaceableNever:
		return dossier.Errorf(dossier.CodeNotReplaceable,
			"The document is validated and cannot be "+
				"replaced. An administrator can reject it, and ask for another one.")
	case s.Replaceable == dossier.ReplaceableAdministrator &&
		by != nil && by.Kind == dossier.KindCandidate:
		return dossier.Errorf(dossier.CodeNotReplaceable,
			"The document is validated. Only the company can replace it.")
	}
	return nil
}
