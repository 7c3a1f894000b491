package eventbus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

// bridge is an EventBridge that the real client talks to: it keeps what was put, and answers as it
// is told.
type bridge struct {
	mu     sync.Mutex
	puts   [][]entry
	answer func(n int) (status int, body string)
}

type entry struct {
	EventBusName, Source, DetailType, Detail string
	Time                                     float64
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Entries []entry }
	text, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(text, &in); err != nil ||
		r.Header.Get("X-Amz-Target") != "AWSEvents.PutEvents" {
		http.Error(w, "not PutEvents", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.puts = append(b.puts, in.Entries)
	status, body := http.StatusOK, `{"FailedEntryCount":0,"Entries":[]}`
	if b.answer != nil {
		status, body = b.answer(len(b.puts))
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(status)
	io.WriteString(w, body)
}

func notified(t *testing.T, b *bridge, entries []store.Task) (log string) {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	client := eventbridge.New(eventbridge.Options{
		Region: "eu-west-1", BaseEndpoint: &server.URL,
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
		Retryer:     aws.NopRetryer{},
	})
	var lines bytes.Buffer
	New(client, "dossier-bus", slog.New(slog.NewJSONHandler(&lines, nil))).Notify(t.Context(),
		entries)
	return lines.String()
}

// candidate is the partition of one.
const candidate = "01JD5T00000000000000000000#CAND#01JD5T0000000000000000000C"

func TestNotify(t *testing.T) {
	t.Parallel()
	at := dossier.NewTime(time.Date(2026, 9, 1, 10, 0, 0, 123e6, time.UTC))
	happened := event.NewMessageSent(event.MessageSent{MessageID: "msg_1", AuthorType: "system"}).
		At(at, "com_1", "cnd_1", 4, event.Cause{CorrelationID: "req", Depth: 1})
	b := &bridge{}
	log := notified(t, b, []store.Task{
		{Kind: store.TaskCheck, PK: candidate, SK: "CHK#1", Due: at},
		{Kind: store.TaskRules, PK: candidate, SK: "C#JOB#1"},
		{Kind: store.TaskScenario, PK: candidate, SK: "SCN#1"},
		{Kind: store.TaskDispatch, PK: candidate, SK: "EVT#4", Event: &happened},
		{Kind: store.TaskDispatch, PK: candidate, SK: "EVT#5"},
		{Kind: store.TaskDeliver}, {Kind: store.TaskDate}, {Kind: store.TaskErase},
	})
	const name = "dossier-bus"
	want := [][]entry{{
		{name, "dossier.work", "documentUploaded",
			`{"kind":"check","companyId":"com_01JD5T00000000000000000000","pk":"` + candidate +
				`","sk":"CHK#1"}`, 0},
		{name, "dossier.work", "documentValidated",
			`{"kind":"rules","companyId":"com_01JD5T00000000000000000000","pk":"` + candidate +
				`","sk":"C#JOB#1"}`, 0},
		{name, "dossier.work", "scenarioTriggered",
			`{"kind":"scenario","companyId":"com_01JD5T00000000000000000000","pk":"` + candidate +
				`","sk":"SCN#1"}`, 0},
		{name, "dossier", "candidateMessageSent",
			`{"id":"evt_10000000004","type":"candidateMessageSent","version":1,` +
				`"timestamp":"2026-09-01T10:00:00.123Z","companyId":"com_1","candidateId":"cnd_1","sequence":4,` +
				`"cause":{"correlationId":"req","depth":1},"data":{"messageId":"msg_1","authorType":"system"}}`, 1788256800.123},
	}}
	if diff := cmp.Diff(want, b.puts); diff != "" {
		t.Errorf("OK: on the bus (-want +got):\n%s", diff)
	}
	if log != "" {
		t.Errorf("OK: log %s", log)
	}
}

func TestNotifyManyAndFailing(t *testing.T) {
	t.Parallel()
	var entries []store.Task
	for i := range 35 {
		entries = append(entries, store.Task{Kind: store.TaskCheck, PK: candidate,
			SK: fmt.Sprint(i)})
	}
	b := &bridge{answer: func(n int) (int, string) {
		switch n {
		case 2:
			return http.StatusOK,
				`{"FailedEntryCount":3,"Entries":[{"EventId":"1"},{"ErrorCode":"ThrottlingException"}]}`
		case 3:
			return http.StatusInternalServerError, `{"__type":"InternalException"}`
		}
		return http.StatusOK, `{"FailedEntryCount":0}`
	}}
	log := notified(t, b, entries)
	if len(b.puts) != 4 || len(b.puts[3]) != 5 {
		t.Fatalf("OK: %d requests; a failed one stops the others or is repeated", len(b.puts))
	}
	for _, want := range []string{`"count":3`, `"code":"ThrottlingException"`, `"count":10`} {
		if !strings.Contains(log, want) {
			t.Errorf("ErrLost: log without %s: %s", want, log)
		}
	}
	if strings.Count(log, "\n") != 2 {
		t.Errorf("ErrLost: log %s", log)
	}
}
