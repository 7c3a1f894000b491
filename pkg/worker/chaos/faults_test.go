package chaos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
	"github.com/dossierhq/dossier/pkg/store"
)

func isUnavailable(err error) bool {
	return errors.Is(err, kv.ErrUnavailable) || errors.Is(err, blob.ErrUnavailable)
}

// faulty is the storage as the machines see it: each call can be interrupted, fail, or seem to
// fail.
type faulty struct{ w *simulation }

// Get implements kv.Engine.
func (f *faulty) Get(ctx context.Context, eventual bool,
	keys ...kv.Key) (items []kv.Item, err error) {
	err = f.w.call("get "+keys[0].SK, func() (err error) {
		items, err = f.w.base.Get(ctx, eventual, keys...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// Query implements kv.Engine.
func (f *faulty) Query(ctx context.Context, q kv.Query) (page kv.Page, err error) {
	err = f.w.call("query "+q.Partition, func() (err error) {
		f.w.truth.asked(f.w.current, q)
		page, err = f.w.base.Query(ctx, q)
		return err
	})
	if err != nil {
		return kv.Page{}, err
	}
	return page, nil
}

// Commit implements kv.Engine.
func (f *faulty) Commit(ctx context.Context, writes ...kv.Write) error {
	return f.w.call("commit "+writes[0].Key().SK, func() error {
		err := f.w.commit(ctx, writes)
		if err == nil {
			f.w.commits++
			f.w.truth.committed(f.w.current, writes)
		}
		return err
	})
}

// commit calls the engine, or the mutation while conditions are under test.
func (w *simulation) commit(ctx context.Context, writes []kv.Write) error {
	w.between(writes)
	if w.mutation == nil {
		return w.base.Commit(ctx, writes...)
	}
	return w.mutation.commit(ctx, w.base.(*kvtest.Memory), writes)
}

// blobs is a blob store in a map.
type blobs struct {
	w    *simulation
	kept map[string][]byte // by key and version
	puts int
}

var (
	errBlobFault = fmt.Errorf("%w: on purpose", blob.ErrUnavailable)
	errNotUsed   = errors.New("not part of these tests")
)

func (b *blobs) call(what string, do func() error) error {
	err := b.w.call(what, do)
	if errors.Is(err, errFault) || errors.Is(err, errDead) {
		return errBlobFault
	}
	return err
}

// Put stores bytes as a version of their own.
func (b *blobs) Put(_ context.Context, key string, content []byte) (info blob.Info, err error) {
	sum := sha256.Sum256(content)
	err = b.call("put blob", func() error {
		b.puts++
		info = blob.Info{Ref: blob.Ref{Key: key, Version: strconv.Itoa(b.puts)},
			Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
		b.kept[key+"@"+info.Version] = content
		return nil
	})
	return info, err
}

// OpenPart implements work.Bytes.
func (b *blobs) OpenPart(_ context.Context, ref store.BlobRef) (content io.ReadCloser, err error) {
	err = b.call("open blob", func() error {
		kept, ok := b.kept[ref.Key+"@"+ref.Version]
		if !ok {
			return blob.ErrNotFound
		}
		content = io.NopCloser(bytes.NewReader(kept))
		return nil
	})
	return content, err
}

// DeleteAll deletes everything under a prefix.
func (b *blobs) DeleteAll(_ context.Context, prefix string) error {
	return b.call("delete blobs", func() error {
		for key := range b.kept {
			if strings.HasPrefix(key, prefix) {
				delete(b.kept, key)
			}
		}
		return nil
	})
}

// Keep copies a version to another key.
func (b *blobs) Keep(ctx context.Context, from blob.Ref, to string) (blob.Info, error) {
	return b.Put(ctx, to, b.kept[from.Key+"@"+from.Version])
}

// Stat finds what was sent by a form: its only version.
func (b *blobs) Stat(_ context.Context, key string) (info blob.Info, err error) {
	err = b.call("stat blob", func() error {
		kept, ok := b.kept[key+"@1"]
		if !ok {
			return blob.ErrNotFound
		}
		sum := sha256.Sum256(kept)
		info = blob.Info{Ref: blob.Ref{Key: key, Version: "1"}, Size: int64(len(kept)),
			SHA256: hex.EncodeToString(sum[:])}
		return nil
	})
	return info, err
}

// Open opens one version.
func (b *blobs) Open(ctx context.Context, ref blob.Ref) (io.ReadCloser, error) {
	return b.OpenPart(ctx, store.BlobRef(ref))
}

// Form names the key as the address.
func (b *blobs) Form(_ context.Context, key string, _ int64, _, _ string,
	_ time.Time) (blob.Form, error) {
	return blob.Form{URL: key}, nil
}

// Link is for reading, which nobody does here.
func (b *blobs) Link(context.Context, blob.Ref, string, string, time.Time) (string, error) {
	return "", errNotUsed
}

// anywhere lets integrations be anywhere: nothing is sent over a network here.
type anywhere struct{}

// CheckURL implements httpapi.Targets.
func (anywhere) CheckURL(string) error { return nil }

// Probe implements httpapi.Prober.
func (anywhere) Probe(context.Context, dossier.Delivery, string) dossier.DeliveryReport {
	return dossier.DeliveryReport{}
}

// checker finds what the seed says; what it found tells which claim found it.
type checker struct {
	w     *simulation
	fixed *store.CheckResult // where the test says what is found
}

// CheckParts implements work.Checker. It can be held in the middle.
func (c *checker) CheckParts(_ context.Context, claim store.Claim, _ []string,
	_ string) (found store.CheckResult, err error) {
	err = c.w.call("parse", func() error {
		found = c.find(claim)
		return nil
	})
	if err != nil {
		return store.CheckResult{}, errors.New("the parser failed")
	}
	return found, c.w.call("verify", func() error {
		if c.fixed != nil || !c.w.lossy {
			return nil
		}
		switch c.w.rnd.IntN(24) {
		case 0, 1:
			return errors.New("the parser failed")
		case 2:
			return context.Canceled // a clean stop of the process
		}
		return nil
	})
}

func (c *checker) find(claim store.Claim) store.CheckResult {
	found := store.CheckResult{State: dossier.StateValidated, Parsed: map[string]any{"class": "CE"}}
	if c.fixed != nil {
		found = store.CheckResult{State: c.fixed.State, Parsed: map[string]any{"class": "CE"}}
	} else {
		switch x := c.w.rnd.IntN(10); {
		case x < 2:
			found.State = dossier.StateInReview
		case x < 3:
			found.State, found.Reasons = dossier.StateNeedsResubmission,
				[]dossier.Reason{{Code: dossier.ReasonMissingValue, Message: "m"}}
		}
		found.Parsed["class"] = []string{"CE", "B", "C"}[c.w.rnd.IntN(3)]
		if c.w.rnd.IntN(3) == 0 {
			found.Parsed["expires"] = c.w.now.AddDate(0, 0, c.w.rnd.IntN(4)-2).Format(
				dossier.DateLayout)
		}
	}
	found.Parsed["token"], found.Parsed["document"], found.Parsed["name"] = strconv.FormatInt(
		claim.Token, 10), claim.Document.ID, canary
	return found
}

// canary is in everything personal.
const canary = "canary-7Q"

// receiver is everybody's endpoint.
type receiver struct {
	w         *simulation
	behaviour map[string]string    // by integration: how it answers; "" is well
	got       map[string]*received // by integration and event
	// by integration and candidate: the sequences in the order of the first time they were taken
	accepted map[string][]int64
}

// received records the deliveries of one event to one integration.
type received struct {
	body  []byte
	times int
	taken bool // answered 2xx
}

// Send implements worker.Sender.
func (r *receiver) Send(_ context.Context, d dossier.Delivery) dossier.Outcome {
	mood := r.behaviour[d.IntegrationID]
	ok := mood == "" || mood == "lost"
	err := r.w.call("send "+d.ID, func() error {
		if mood != "refused" {
			r.receive(d, ok)
		}
		return nil
	})
	if r.w.current != nil && r.w.current.dead {
		return dossier.Outcome{Result: dossier.Interrupted}
	}
	// The answer may take its time, longer than the lease.
	late := r.w.call("answer of "+d.ID, func() error { return nil })
	switch {
	case r.w.current != nil && r.w.current.dead:
		return dossier.Outcome{Result: dossier.Interrupted}
	case r.w.lossy && r.w.rnd.IntN(24) == 0: // a clean stop of the process
		return dossier.Outcome{Result: dossier.Interrupted}
	case err != nil || late != nil || mood == "lost":
		return dossier.Outcome{Result: dossier.Retry, Attempt: failed(0, "timeout")}
	case mood == "gone":
		return dossier.Outcome{Result: dossier.Gone, Attempt: failed(410, "")}
	case !ok:
		return dossier.Outcome{Result: dossier.Retry, Attempt: failed(500, ""),
			RetryAfter: time.Duration(r.w.rnd.IntN(2)) * time.Hour}
	}
	return dossier.Outcome{Result: dossier.Delivered, Attempt: dossier.Attempt{StatusCode: 200}}
}

func (r *receiver) receive(d dossier.Delivery, taken bool) {
	id := d.IntegrationID + " " + d.ID
	g := r.got[id]
	if g == nil {
		g = &received{body: bytes.Clone(d.Body)}
		r.got[id] = g
	}
	if !bytes.Equal(g.body, d.Body) && !r.w.truth.erased(d.Body) {
		r.w.truth.wrong("other bytes", "%s got %s twice, with different bytes", d.IntegrationID,
			d.ID)
	}
	g.times++
	if taken && !g.taken {
		g.taken = true
		r.w.truth.received(d)
	}
}

func failed(status int, word string) dossier.Attempt {
	return dossier.Attempt{StatusCode: status, Error: word}
}
