// Package eventbus notifies through an EventBridge bus. Two sources separate its messages:
// "dossier.work" marks internal notifications, which carry the key of an open task only; "dossier"
// marks the candidate events, to which anyone may subscribe.
package eventbus

import (
	"context"
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/notify"
	"github.com/dossierhq/dossier/pkg/store"
)

// The sources on the bus.
const (
	SourceWork  = "dossier.work"
	SourceEvent = "dossier"
)

// The detail types of notifications. That of a candidate event is its name.
const (
	DocumentUploaded  = "documentUploaded"
	DocumentValidated = "documentValidated"
	ScenarioTriggered = "scenarioTriggered"
)

var detailTypes = map[string]string{
	store.TaskCheck:    DocumentUploaded,
	store.TaskRules:    DocumentValidated,
	store.TaskScenario: ScenarioTriggered,
}

// Client is the part of an EventBridge client that a Notifier uses.
type Client interface {
	PutEvents(context.Context, *eventbridge.PutEventsInput,
		...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error)
}

// Notifier notifies of checks, rules, scenarios and events, and ignores other kinds of task.
type Notifier struct {
	client Client
	bus    string
	log    *slog.Logger
}

// NewFromConfig returns a notifier on the bus of this name, with a client of its own.
func NewFromConfig(cfg aws.Config, busName string, log *slog.Logger) *Notifier {
	return New(eventbridge.NewFromConfig(cfg), busName, log)
}

// New returns a notifier on the bus of this name.
func New(client Client, busName string, log *slog.Logger) *Notifier {
	return &Notifier{client: client, bus: busName, log: log}
}

// detail is the detail of a notification. Like a candidate event, it names the company, by which
// the queues behind the bus are fair.
type detail struct {
	Kind      string `json:"kind"`
	CompanyID string `json:"companyId"`
	PK        string `json:"pk"`
	SK        string `json:"sk"`
}

// Notify puts one entry on the bus for each task, in as few requests as possible.
func (d *Notifier) Notify(ctx context.Context, entries []store.Task) {
	var puts []types.PutEventsRequestEntry
	for _, e := range entries {
		put, ok, err := d.put(e)
		if err != nil {
			d.log.ErrorContext(ctx, "notification not written", "kind", e.Kind, "error", err)
		}
		if ok {
			puts = append(puts, put)
		}
	}
	ctx, cancel := notify.Context(ctx)
	defer cancel()
	for _, batch := range notify.Batches(puts, size) {
		out, err := d.client.PutEvents(ctx, &eventbridge.PutEventsInput{Entries: batch})
		switch {
		case err != nil:
			d.log.WarnContext(ctx, "notifications lost", "count", len(batch), "error", err)
		case out.FailedEntryCount > 0:
			d.log.WarnContext(ctx, "notifications lost", "count", out.FailedEntryCount, "code",
				firstCode(out.Entries))
		}
	}
}

// put returns the entry for the bus; ok is false for other kinds of task.
func (d *Notifier) put(e store.Task) (put types.PutEventsRequestEntry, ok bool, err error) {
	put.EventBusName = &d.bus
	var content any
	switch name, internal := detailTypes[e.Kind]; {
	case internal:
		put.Source, put.DetailType = aws.String(SourceWork), &name
		company, _, isTask := e.Owner()
		if !isTask {
			return put, false, nil
		}
		content = detail{e.Kind, company, e.PK, e.SK}
	case e.Kind == store.TaskDispatch && e.Event != nil:
		put.Source, put.DetailType = aws.String(SourceEvent), &e.Event.Type
		put.Time = &e.Event.Timestamp.Time
		content = e.Event
	default:
		return put, false, nil
	}
	text, err := json.Marshal(content, json.Deterministic(true))
	put.Detail = aws.String(string(text))
	return put, err == nil, err
}

// size returns the bytes that EventBridge counts for an entry.
func size(p types.PutEventsRequestEntry) int {
	const timestamp = 14
	return timestamp + len(*p.Source) + len(*p.DetailType) + len(*p.Detail)
}

func firstCode(results []types.PutEventsResultEntry) string {
	for _, r := range results {
		if r.ErrorCode != nil {
			return *r.ErrorCode
		}
	}
	return ""
}
