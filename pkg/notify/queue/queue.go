// Package queue notifies of deliveries through an SQS queue: deliveries are many and slow, and the
// queue bounds how many are under way at the same time. It gives them no order; the table does.
// Each message names its integration, so that SQS keeps a slow endpoint with many messages from
// delaying the others (docs.aws.amazon.com, SQS developer guide, "fair queues").
package queue

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/notify"
	"github.com/dossierhq/dossier/pkg/store"
)

// Client is the part of an SQS client that a Notifier uses.
type Client interface {
	SendMessageBatch(context.Context, *sqs.SendMessageBatchInput,
		...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
}

// Notifier notifies of deliveries and ignores other kinds of task.
type Notifier struct {
	client Client
	url    string
	log    *slog.Logger
}

// NewFromConfig returns a notifier on the queue with this address, with a client of its own.
func NewFromConfig(cfg aws.Config, queueURL string, log *slog.Logger) *Notifier {
	return New(sqs.NewFromConfig(cfg), queueURL, log)
}

// New returns a notifier on the queue with this address.
func New(client Client, queueURL string, log *slog.Logger) *Notifier {
	return &Notifier{client: client, url: queueURL, log: log}
}

// message is the body of a message.
type message struct {
	Kind string `json:"kind"`
	PK   string `json:"pk"`
	SK   string `json:"sk"`
}

// Notify sends one message for each delivery, in as few requests as possible.
func (d *Notifier) Notify(ctx context.Context, entries []store.Task) {
	var messages []types.SendMessageBatchRequestEntry
	for _, e := range entries {
		if e.Kind != store.TaskDeliver {
			continue
		}
		body, err := json.Marshal(message{e.Kind, e.PK, e.SK})
		if err != nil {
			d.log.ErrorContext(ctx, "notification not written", "kind", e.Kind, "error", err)
			continue
		}
		messages = append(messages, types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(len(messages))), MessageBody: aws.String(string(body)),
			MessageGroupId: aws.String(e.Target()),
		})
	}
	ctx, cancel := notify.Context(ctx)
	defer cancel()
	for _, batch := range notify.Batches(messages, func(m types.SendMessageBatchRequestEntry) int {
		return len(*m.MessageBody)
	}) {
		out, err := d.client.SendMessageBatch(ctx,
			&sqs.SendMessageBatchInput{QueueUrl: &d.url, Entries: batch})
		switch {
		case err != nil:
			d.log.WarnContext(ctx, "notifications lost", "count", len(batch), "error", err)
		case len(out.Failed) > 0:
			d.log.WarnContext(ctx, "notifications lost", "count", len(out.Failed), "code",
				aws.ToString(out.Failed[0].Code))
		}
	}
}
