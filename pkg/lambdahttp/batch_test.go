package lambdahttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/notify"
)

type notificationEvent struct {
	Kind string `json:"kind"`
	PK   string `json:"pk"`
}

// worked hands a batch to a handler as Lambda does: bytes in, bytes out.
func worked(t *testing.T, handler Invoker, batch events.SQSEvent) (answer events.SQSEventResponse) {
	t.Helper()
	payload, err := json.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	text, err := handler.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestQueue(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var together sync.WaitGroup
	together.Add(4)
	handler := Queue(slog.New(slog.NewJSONHandler(&log, nil)),
		func(_ context.Context, r notificationEvent) error {
			together.Done()
			together.Wait() // ends only where the messages are worked on at the same time
			switch r.PK {
			case "bad":
				return errors.New("no answer")
			case "worse":
				panic(r)
			}
			return nil
		})
	batch := events.SQSEvent{Records: []events.SQSMessage{
		{MessageId: "1", Body: `{"kind":"deliver","pk":"good","sk":"s"}`},
		{MessageId: "2", Body: `{"kind":"deliver","pk":"bad"}`},
		{MessageId: "3", Body: `not JSON`}, {MessageId: "4", Body: `{"pk":"good"}`},
		{MessageId: "5", Body: `{"pk":"worse"}`},
	}}
	got := worked(t, handler, batch)
	want := []events.SQSBatchItemFailure{{ItemIdentifier: "2"}, {ItemIdentifier: "3"},
		{ItemIdentifier: "5"}}
	if diff := cmp.Diff(want, got.BatchItemFailures); diff != "" {
		t.Errorf("OK: failures (-want +got):\n%s", diff)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 3 ||
		!strings.Contains(log.String(), `"queueMessageId":"2"`) ||
		strings.Contains(log.String(), "worse") {
		t.Errorf("OK: log %s", log.String())
	}
}

func TestQueueAnswersAList(t *testing.T) {
	t.Parallel()
	handler := Queue(slog.New(slog.DiscardHandler), func(context.Context, notificationEvent) error {
		return nil
	})
	text, err := handler.Invoke(t.Context(), []byte(`{"Records":[]}`))
	if err != nil || string(text) != `{"batchItemFailures":[]}` {
		t.Errorf("OK: %s, %v", text, err)
	}
}

func TestInvokeEndsInTime(t *testing.T) {
	t.Parallel()
	end := time.Now().Add(time.Minute)
	ctx, stop := context.WithDeadline(t.Context(), end)
	defer stop()
	_, err := Invoker(func(ctx context.Context, _ []byte) ([]byte, error) {
		if own, ok := ctx.Deadline(); !ok || !own.Equal(end.Add(-margin)) ||
			margin <= notify.Timeout {
			t.Errorf("OK: the work may take until %v of %v", own, end)
		}
		return nil, nil
	}).Invoke(ctx, nil)
	if err != nil {
		t.Error(err)
	}
}

func TestTick(t *testing.T) {
	t.Parallel()
	failure := errors.New("storage is away")
	for _, want := range []error{nil, failure} {
		text, err := Tick(func(context.Context) error {
			return want
		}).Invoke(t.Context(), []byte(`{}`))
		if !errors.Is(err, want) || string(text) != "null" {
			t.Errorf("%v: %s, %v", want, text, err)
		}
	}
}
