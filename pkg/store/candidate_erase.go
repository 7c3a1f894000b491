package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// EraseCandidate takes a candidate out of sight and opens the work that erases everything personal about them: from here on the
// candidate is not found. What stays is the skeleton of what happened: ids, states, moments.
//
// The table is scrubbed before this returns, as far as that goes in eraseTime; the work goes over it again, and deletes the bytes.
func (s *Store) EraseCandidate(ctx context.Context, company, candidate string) error {
	if err := s.beginErasure(ctx, company, candidate); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, eraseTime)
	defer cancel()
	// What fails here is not lost: the entry is open.
	_, _ = s.scrubAll(ctx, company, candidate[len(prefixCandidate):])
	return nil
}

// eraseTime is how long the one who asks for an erasure waits for the table.
const eraseTime = 5 * time.Second

func (s *Store) beginErasure(ctx context.Context, company, candidate string) error {
	return s.retryOnConflict(ctx, func() error {
		stored, read, err := s.readCandidate(ctx, company, candidate)
		if err != nil {
			return err
		}
		external := stored.ExternalID
		now := s.now()
		stored.Candidate = dossier.Candidate{ID: stored.ID, Status: stored.Status, CreatedAt: stored.CreatedAt, UpdatedAt: now}
		stored.Erased = true
		i, err := item(read.Key, read.Rev, stored)
		if err != nil {
			return err
		}
		i.Fields = map[string]string{"status": stored.Status, "erased": "true"}
		c := s.newCandidateTx(company, stored, read, causeOf(ctx))
		if err := s.moveExternal(ctx, c, external, ""); err != nil {
			return err
		}
		unlisted, err := s.unlist(ctx, company, stored.ID[len(prefixCandidate):])
		if err != nil {
			return err
		}
		return s.commit(ctx, struct{}{}, append(append(c.writes, put(withDue(i, now))), unlisted...)...)
	})
}

// unlisted is how many candidate document types leave the lists with the candidate, in one transaction; what is more leaves with the
// erasure's work.
const maxUnlisted = 90

// unlist returns the writes that take the candidate's document types out of every list, scrubbed.
func (s *Store) unlist(ctx context.Context, company, cand string) ([]kv.Write, error) {
	page, err := s.engine.Query(ctx, kv.Query{Partition: pkCandidate(company, cand), From: "B#CDT#", To: "B#CDT#~", Limit: maxUnlisted})
	if err != nil {
		return nil, err
	}
	var writes []kv.Write
	for _, i := range page.Items {
		w, err := scrubWrite(i)
		if err != nil {
			return nil, err
		}
		if !w.If.IsZero() {
			writes = append(writes, w)
		}
	}
	return writes, nil
}

// notErased is the condition on a candidate of what has to stop where an erasure begins.
var notErased = kv.Condition{Not: map[string]string{"erased": "true"}}

// Eraser deletes the bytes of a candidate's parts.
type Eraser interface {
	// DeleteAll deletes every version of everything under a prefix.
	DeleteAll(ctx context.Context, prefix string) error
}

// pendingBlobs is where parts wait that were sent through a form and not committed: blob.Pending, which this package does not import.
const pendingBlobs = "pending/"

// BlobPrefix is where the bytes of a candidate's parts are kept.
func BlobPrefix(company, candidate string) string { return company + "/" + candidate + "/" }

// Erase does the work that EraseCandidate opened: the bytes, the messages, every personal value in every item of the candidate. It
// closes the entry last, so that an erasure that stops in the middle goes on.
func (s *Store) Erase(ctx context.Context, e Task, blobs Eraser) error {
	company, candidate, ok := e.Owner()
	if !ok || e.Kind != TaskErase {
		return nil
	}
	for left := true; left; {
		var err error
		if left, err = s.scrubAll(ctx, company, candidate[len(prefixCandidate):]); err != nil {
			return err
		}
	}
	for _, place := range []string{"", pendingBlobs} {
		if err := blobs.DeleteAll(ctx, place+BlobPrefix(company, candidate)); err != nil {
			return err
		}
	}
	return s.retryOnConflict(ctx, func() error {
		_, read, err := get[storedCandidate](ctx, s, e.Key())
		if err != nil || read.Open == "" {
			return err
		}
		closed := read
		closed.Rev, closed.Open, closed.Due = read.Rev+1, "", ""
		return s.commit(ctx, nil, put(closed))
	})
}

// scrubAll scrubs every item of a candidate, and reports whether any needed it: what moved to another key while the items were read,
// a delivery to the log, say, is found the next time.
func (s *Store) scrubAll(ctx context.Context, company, cand string) (left bool, err error) {
	for _, partition := range []kv.Query{
		{Partition: pkCandidate(company, cand) + "#MSG"},
		{Partition: pkCandidate(company, cand)},
		{Index: kv.IndexLookup, Partition: partitionAnswers(company, cand), Eventual: true},
	} {
		page, err := s.engine.Query(ctx, partition)
		if err != nil {
			return false, err
		}
		for _, i := range page.Items {
			needed, err := s.scrub(ctx, i)
			if err != nil {
				return false, err
			}
			left = left || needed
		}
	}
	return left, nil
}

// scrub rewrites one item without what is personal, or deletes it where nothing else would be left.
func (s *Store) scrub(ctx context.Context, i kv.Item) (needed bool, err error) {
	write, err := scrubWrite(i)
	if err != nil || write.If.IsZero() {
		return false, err
	}
	err = s.engine.Commit(ctx, write)
	if failed := (*kv.ConditionFailed)(nil); errors.As(err, &failed) {
		stored := failed.Failed[0]
		if stored.Rev == 0 {
			return true, nil // closed or deleted meanwhile
		}
		return s.scrub(ctx, stored)
	}
	return true, err
}

// scrubbed returns the write that takes what is personal out of an item; a Write that asks nothing where there is nothing.
func scrubWrite(i kv.Item) (kv.Write, error) {
	kind, _, _ := strings.Cut(i.SK, "#")
	switch {
	case strings.HasSuffix(i.PK, "#MSG"), strings.Contains(i.PK, "#IDEM#"), kind == "UPL", kind == "CHK", strings.HasPrefix(i.SK, "C#JOB#"):
		return remove(i), nil
	case strings.HasPrefix(i.SK, "B#CDT#"):
		// Nobody lists it any more, and nothing expires.
		listed := i.Open+i.List+i.Lookup != ""
		i.Open, i.Due, i.List, i.ListSort, i.Lookup, i.LookupSort = "", "", "", "", "", ""
		return rewrite(i, listed, func(r *storedCDT) {
			r.Metadata, r.CustomFields = nil, nil
			if r.Document != nil {
				r.Document.scrub()
			}
		})
	case kind == "DOC":
		return rewrite(i, false, (*StoredDocument).scrub)
	case kind == "RUN":
		return rewrite(i, false, scrubRun)
	case kind == "DLV", kind == "LOG":
		return rewrite(i, false, scrubDelivery)
	}
	return kv.Write{}, nil
}

// rewrite changes what an item stores. Its fields hold nothing personal and stay. moved tells that its place in the indexes is another.
func rewrite[T any](i kv.Item, moved bool, change func(*T)) (kv.Write, error) {
	v, err := decode[T](i)
	if err != nil {
		return kv.Write{}, err
	}
	change(&v)
	doc, err := json.Marshal(v, json.Deterministic(true))
	if err != nil || !moved && string(doc) == string(i.Doc) {
		return kv.Write{}, err
	}
	i.Doc, i.Rev = doc, i.Rev+1
	return put(i), nil
}

func (d *StoredDocument) scrub() {
	d.Parsed, d.Blobs = nil, nil
	for n := range d.Parts {
		d.Parts[n].Name, d.Parts[n].FileName, d.Parts[n].SHA256 = "", "", "" // whoever uploads names a part
	}
	d.Comment = ""
	for n := range d.Corrections {
		d.Corrections[n].Read, d.Corrections[n].Value = nil, nil
	}
	for n := range d.Reasons {
		d.Reasons[n].Message = ""
	}
}

func scrubRun(r *dossier.RuleRun) {
	for _, rule := range r.Rules {
		for n := range rule.Conditions {
			rule.Conditions[n].Read = nil
		}
	}
}

// scrubDelivery leaves what a thin body holds: the event, which has ids only.
func scrubDelivery(d *storedDelivery) {
	var body map[string]any
	if json.Unmarshal(d.Body, &body) != nil || body["candidate"] == nil {
		return
	}
	delete(body, "candidate")
	delete(body, "candidateDocumentType")
	d.Body, _ = json.Marshal(body, json.Deterministic(true))
}
