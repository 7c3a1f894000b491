// Package eventbus rings on an EventBridge bus. Two sources keep apart what is on it: "dossier.work" are doorbells, ours alone,
// with nothing but the key of an open entry; "dossier" are the candidate events that anyone may subscribe to.
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

// The detail types of the doorbells. That of a candidate event is its name.
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

// Client is what is used of an EventBridge client.
type Client interface {
	PutEvents(context.Context, *eventbridge.PutEventsInput, ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error)
}

// Doorbell rings for checks, rules, scenarios and events; other kinds are not its own.
type Notifier struct {
	client Client
	bus    string
	log    *slog.Logger
}

// NewFromConfig returns a notifier on the bus of this name, with a client of its own.
func NewFromConfig(cfg aws.Config, busName string, log *slog.Logger) *Notifier {
	return New(eventbridge.NewFromConfig(cfg), busName, log)
}

// New rings on the bus of this name.
func New(client Client, busName string, log *slog.Logger) *Notifier {
	return &Notifier{client: client, bus: busName, log: log}
}

// ring is the detail of a doorbell.
type ring struct {
	Kind string `json:"kind"`
	PK   string `json:"pk"`
	SK   string `json:"sk"`
}

// Ring puts one entry on the bus for each open entry, in as few requests as possible.
func (d *Notifier) Notify(ctx context.Context, entries []store.Task) {
	var puts []types.PutEventsRequestEntry
	for _, e := range entries {
		put, ok, err := d.put(e)
		if err != nil {
			d.log.ErrorContext(ctx, "ring not written", "kind", e.Kind, "error", err)
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
			d.log.WarnContext(ctx, "rings lost", "count", len(batch), "error", err)
		case out.FailedEntryCount > 0:
			d.log.WarnContext(ctx, "rings lost", "count", out.FailedEntryCount, "code", firstCode(out.Entries))
		}
	}
}

// put returns the entry for the bus; ok is false for what does not ring here.
func (d *Notifier) put(e store.Task) (put types.PutEventsRequestEntry, ok bool, err error) {
	put.EventBusName = &d.bus
	var detail any
	switch name, isDoorbell := detailTypes[e.Kind]; {
	case isDoorbell:
		put.Source, put.DetailType = aws.String(SourceWork), &name
		detail = ring{e.Kind, e.PK, e.SK}
	case e.Kind == store.TaskDispatch && e.Event != nil:
		put.Source, put.DetailType = aws.String(SourceEvent), &e.Event.Type
		put.Time = &e.Event.Timestamp.Time
		detail = e.Event
	default:
		return put, false, nil
	}
	text, err := json.Marshal(detail, json.Deterministic(true))
	put.Detail = aws.String(string(text))
	return put, err == nil, err
}

// size is how EventBridge counts an entry.
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
