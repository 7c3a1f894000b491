package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
)

// noBytes deletes nothing.
type noBytes struct{}

func (noBytes) DeleteAll(context.Context, string) error { return nil }

// FuzzEntry makes sure that the consumers do not trust notifications: whatever one says, they end
// without an error of ours and without work done.
func FuzzEntry(f *testing.F) {
	engine, err := bolt.Open(filepath.Join(f.TempDir(), "db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = engine.Close() })
	written := &writes{Engine: engine}
	tbl := store.New(written, store.Config{})
	const candidate = "01JD5T00000000000000000000#CAND#01JD5T0000000000000000000C"
	for _, kind := range []string{store.TaskCheck, store.TaskRules, store.TaskDispatch,
		store.TaskScenario, store.TaskDeliver, store.TaskDate, store.TaskErase,
		store.TaskBackfill} {
		for _, sk := range []string{"", "A#CAND", "B#CDT#x", "C#JOB#1", "CHK#", "EVT#0000000001",
			"EVT#-1", "DLV#x#1", "DLV#", "SCN#", "\x00", strings.Repeat("x", 2000)} {
			f.Add(kind, candidate, sk)
		}
		f.Add(kind, "", "x")
		f.Add(kind, "#CAND#", "x")
		f.Add(kind, "x#CAND#01JD5T0000000000000000000C#MSG", "EVT#1")
	}
	f.Fuzz(func(t *testing.T, kind, pk, sk string) {
		e := store.Task{Kind: kind, PK: pk, SK: sk}
		company, cand, ok := e.Owner()
		_, claimed, _ := tbl.ClaimCheck(t.Context(), e)
		taken, _ := tbl.ClaimDeliveries(t.Context(), e)
		if claimed || len(taken) > 0 {
			t.Fatalf("%+v is claimed", e)
		}
		if ok && kind == store.TaskRules {
			_ = tbl.RunJobs(t.Context(), company, cand)
		}
		_, _, _ = tbl.Dispatch(t.Context(), e), tbl.React(t.Context(), e),
			tbl.ReportDates(t.Context(), e)
		_, _ = tbl.Erase(t.Context(), e, noBytes{}), tbl.Backfill(t.Context(), e)
		if written.n > 0 {
			t.Fatalf("%+v was worth a write", e)
		}
	})
}

// writes counts what is committed.
type writes struct {
	kv.Engine
	n int
}

func (w *writes) Commit(ctx context.Context, all ...kv.Write) error {
	err := w.Engine.Commit(ctx, all...)
	if err == nil {
		w.n++
	}
	return err
}

// An event that comes over a bus names the entry of exactly that event, or none.
func FuzzEvent(f *testing.F) {
	for _, name := range event.Names {
		e, _ := event.Sample(name)
		text, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"companyId":"com_","candidateId":"cnd_"}`))
	f.Add(
		[]byte(
			`{"companyId":"com_01JD5T00000000000000000000","candidateId":"cnd_01JD5T0000000000000000000C","sequence":-1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var e event.Event
		if json.Unmarshal(text, &e) != nil {
			return
		}
		entry, ok := store.EventTask(e)
		if !ok {
			return
		}
		company, candidate, owned := entry.Owner()
		if !owned || company != e.CompanyID || candidate != e.CandidateID ||
			entry.Kind != store.TaskDispatch || !strings.HasPrefix(entry.SK, "EVT#") {
			t.Fatalf("%s is the entry %+v", text, entry)
		}
	})
}
