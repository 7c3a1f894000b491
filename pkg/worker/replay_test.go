package worker_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/worker"
)

// A worker that was late with a delivery does not end the one that a replay made of it.
func TestReplayLateWorker(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	ctx := t.Context()
	must(p.store.CreateIntegration(ctx, p.company,
		dossier.IntegrationInput{Name: "I", TriggerEvent: "candidateCreated",
			Target: dossier.Target{Type: dossier.TargetWebhook, URL: "https://example.com"}},
		"whsec_x"))(t)
	must(p.store.CreateCandidate(ctx, p.company, store.NewCandidate{}))(t)
	dispatch := &worker.Dispatch{Store: p.store}
	if err := dispatch.Work(ctx, p.notified.entries[0]); err != nil {
		t.Fatal(err)
	}
	task := p.notified.entries[len(p.notified.entries)-1]
	claim := func() store.Delivery {
		t.Helper()
		claims, err := p.store.ClaimDeliveries(ctx, task)
		if err != nil || len(claims) != 1 {
			t.Fatalf("claims: %d, %v", len(claims), err)
		}
		return claims[0]
	}
	late := claim()
	p.now = p.now.Add(time.Hour) // its lease ends
	if err := p.store.Delivered(ctx, []store.Made{{Claim: claim()}}); err != nil {
		t.Fatal(err)
	}
	log, _, err := p.store.Logs(ctx, p.company, store.LogFilter{}, "", 10)
	if err != nil || len(log) != 1 {
		t.Fatalf("log: %+v, %v", log, err)
	}
	p.notified.entries = nil
	if _, err := p.store.ReplayDelivery(ctx, p.company, log[0].ID); err != nil {
		t.Fatal(err)
	}
	if n := len(p.notified.entries); n != 1 {
		t.Errorf("the replay notified of %d tasks", n)
	}
	again := claim()
	if err := p.store.Delivered(ctx, []store.Made{{Claim: late}}); !errors.Is(err, store.ErrStale) {
		t.Errorf("the late worker ends the replayed delivery: %v", err)
	}
	if err := p.store.Delivered(ctx, []store.Made{{Claim: again}}); err != nil {
		t.Errorf("the worker that has it: %v", err)
	}
}
