package worker_test

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/worker"
)

// failing is an engine whose calls fail now and then, commits before or after they happened.
type failing struct {
	kv.Engine
	mu   sync.Mutex // a sweep asks for several things at once
	rnd  *rand.Rand
	odds float64 // of a failure of one call
}

func (f *failing) fails(odds float64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rnd.Float64() < odds
}

func (f *failing) Commit(ctx context.Context, writes ...kv.Write) error {
	switch {
	case f.fails(f.odds / 2):
		return kv.ErrUnavailable
	case f.fails(f.odds / 2):
		_ = f.Engine.Commit(ctx, writes...)
		return kv.ErrUnavailable
	}
	return f.Engine.Commit(ctx, writes...)
}

func (f *failing) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	if f.fails(f.odds / 4) {
		return kv.Page{}, kv.ErrUnavailable
	}
	return f.Engine.Query(ctx, q)
}

// year is a company whose sweeps are days apart, and fail for days.
type year struct {
	*pipeline
	engine  *failing
	sweep   *worker.Sweep
	want    []report
	start   time.Time
	request map[string]string // name of a document by the id of its candidate document type
	current map[string]string // the document that was validated last, by the same
}

// report is one event about a date: of which document, and for which lead or moment.
type report struct{ Event, Of, For string }

func TestReminders(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) kv.Engine{
		"bolt":   newBolt,
		"dynamo": func(t *testing.T) kv.Engine { return dynamotest.New(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := &failing{Engine: open(t), rnd: rand.New(rand.NewPCG(7, 13))}
			p := newPipelineOn(t, engine)
			y := &year{pipeline: p, engine: engine, start: p.now,
				sweep:   &worker.Sweep{Store: p.store, Log: slog.New(slog.DiscardHandler)},
				request: map[string]string{}, current: map[string]string{}}
			y.pass()
			got := y.reports()
			order := func(a, b report) int {
				return cmp.Or(cmp.Compare(a.Event, b.Event), cmp.Compare(a.Of, b.Of),
					cmp.Compare(a.For, b.For))
			}
			slices.SortFunc(got, order)
			slices.SortFunc(y.want, order)
			if diff := gocmp.Diff(y.want, got); diff != "" {
				t.Errorf("reports (-want +got):\n%s", diff)
			}
		})
	}
}

// day returns the date so many days after the start.
func (y *year) day(n int) string { return y.start.AddDate(0, 0, n).Format(dossier.DateLayout) }

// pass lets the year pass.
func (y *year) pass() {
	usual := y.documentType(nil)
	often := y.documentType([]int{1, 60, 14})
	never := y.documentType([]int{})
	y.validate("usual", y.asked("usual", usual, 0), 100)
	y.expiring("usual", 30, 7)
	y.validate("often", y.asked("often", often, 0), 200)
	y.expiring("often", 60, 14, 1)
	y.validate("late", y.asked("late", usual, 0), 5) // the leads of 30 and 7 days have passed
	y.expiring("late", 7)
	y.validate("between", y.asked("between", usual, 0), 20)
	y.expiring("between", 30, 7)
	y.validate("silent", y.asked("silent", never, 0), 50)
	y.expiring("silent")
	moved := y.asked("moved", often, 0)
	y.validate("moved", moved, 100) // replaced before the first lead
	y.asked("overdue", usual, 40)
	y.overdue("overdue", 40)
	later := y.asked("later", usual, 40)
	y.asked("not due", usual, 500)
	y.validate("in time", y.asked("in time", usual, 40), 900)
	twice := y.asked("twice", usual, 10)
	removed := y.asked("removed", usual, 90)

	y.sweepUntil(30, 0.5)
	y.validate("moved again", moved, 300)
	y.expiring("moved again", 60, 14, 1)
	y.due(later, 120) // moved before it was due
	y.overdue("later", 120)
	y.sweepUntil(80, 1) // no sweep gets anywhere for days
	y.sweepUntil(81, 0)
	y.overdue("twice", 10)
	y.due(twice, 150) // moved after it was due: the new date counts too
	y.overdue("twice", 150)
	must(y.store.RemoveRequest(y.t.Context(), y.company, removed))(y.t)
	y.sweepUntil(230, 0.7)
	y.sweepUntil(365, 0.3)
	y.sweepUntil(366, 0)
}

func (y *year) expiring(name string, leads ...int) {
	for _, lead := range leads {
		y.want = append(y.want, report{event.CandidateDocumentExpiring, name,
			time.Duration(lead).String()})
	}
	y.want = append(y.want, report{event.CandidateDocumentExpired, name, ""})
}

func (y *year) overdue(name string, day int) {
	y.want = append(y.want, report{event.CandidateDocumentOverdue, name,
		y.start.AddDate(0, 0, day).Format(time.RFC3339)})
}

func (y *year) documentType(leads []int) string {
	return must(y.store.CreateType(y.t.Context(), y.company, dossier.DocumentTypeInput{
		Name: "T", RemindBefore: leads, Check: dossier.CheckInput{ExpiryReference: new("until"),
			Fields: []dossier.CheckField{{Reference: "until", Label: "Until",
				Type: dossier.FieldDate}}}}, ""))(y.t).ID
}

// asked asks a new candidate for a document, due after some days; 0 is without a date.
func (y *year) asked(name, documentType string, due int) string {
	request := store.DocumentRequest{DocumentTypeID: documentType}
	if due > 0 {
		request.DueAt = dossier.NewTime(y.start.AddDate(0, 0, due))
	}
	c := must(y.store.CreateCandidate(y.t.Context(), y.company,
		store.NewCandidate{Documents: []store.DocumentRequest{request}}))(y.t)
	list, _, err := y.store.Requests(y.t.Context(), y.company,
		store.RequestFilter{CandidateID: c.ID}, "", 50)
	if err != nil || len(list) != 1 {
		y.t.Fatal(list, err)
	}
	y.request[list[0].ID] = name
	y.quiet()
	return list[0].ID
}

// validate uploads a document and validates it, with the day on which it expires.
func (y *year) validate(name, id string, expires int) {
	y.reader.found = store.CheckResult{State: dossier.StateInReview}
	y.upload(id)
	y.quiet()
	in := dossier.ValidationInput{Parsed: map[string]any{"until": y.day(expires)}}
	must(y.store.ValidateByHand(y.t.Context(), y.company, id, in))(y.t)
	y.quiet()
	got := must(y.store.Request(y.t.Context(), y.company, id))(y.t)
	if got.State != dossier.StateValidated || got.ExpiresAt != y.day(expires) {
		y.t.Fatalf("%s: %+v", name, got)
	}
	y.current[got.Document.ID] = name
}

// due moves the day on which a request is due.
func (y *year) due(id string, day int) {
	at := dossier.NewTime(y.start.AddDate(0, 0, day))
	_, _, err := y.store.ChangeRequest(y.t.Context(), y.company, id, 0,
		func(in dossier.CandidateDocumentTypeChange) (dossier.CandidateDocumentTypeChange, error) {
			in.DueAt = &at
			return in, nil
		})
	if err != nil {
		y.t.Fatal(err)
	}
	y.quiet()
}

// sweepUntil sweeps every few days up to a day. Calls of the engine fail with the odds.
func (y *year) sweepUntil(day int, odds float64) {
	for end := y.start.AddDate(0, 0, day); y.now.Before(end); {
		y.now = y.now.Add(time.Duration(1+y.engine.rnd.IntN(10*24)) * time.Hour)
		if y.now.After(end) {
			y.now = end
		}
		y.engine.odds = odds
		_, err := y.sweep.Work(y.t.Context())
		y.engine.odds = 0
		if err != nil && odds == 0 {
			y.t.Fatal(err)
		}
		y.quiet()
	}
}

// reports returns the events about dates of all candidates.
func (y *year) reports() (all []report) {
	candidates, _, err := y.store.Candidates(y.t.Context(), y.company, store.CandidateFilter{}, "",
		100)
	if err != nil {
		y.t.Fatal(err)
	}
	for _, c := range candidates {
		events, _, err := y.store.Events(y.t.Context(), y.company, c.ID, false, "",
			0)
		if err != nil {
			y.t.Fatal(err)
		}
		for _, e := range events {
			var data struct {
				CandidateDocumentTypeID, DocumentID string
				DaysBefore                          int
				DueAt                               time.Time
			}
			text, err := json.Marshal(e.Data)
			if err == nil {
				err = json.Unmarshal(text, &data)
			}
			if err != nil {
				y.t.Fatal(err)
			}
			switch e.Type {
			case event.CandidateDocumentExpiring:
				all = append(all, report{e.Type, y.current[data.DocumentID],
					time.Duration(data.DaysBefore).String()})
			case event.CandidateDocumentExpired:
				all = append(all, report{e.Type, y.current[data.DocumentID], ""})
			case event.CandidateDocumentOverdue:
				all = append(all, report{e.Type, y.request[data.CandidateDocumentTypeID],
					data.DueAt.Format(time.RFC3339)})
			}
		}
	}
	return all
}
