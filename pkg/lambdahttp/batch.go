package lambdahttp

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/aws/aws-lambda-go/events"
	"github.com/go-json-experiment/json"
)

// Queue works on the messages of an SQS batch, all at the same time, each body decoded from JSON into an E. What failed is named in
// the answer, so that SQS brings only those again (the event source needs ReportBatchItemFailures), and in the log.
func Queue[E any](log *slog.Logger, work func(context.Context, E) error) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	return func(ctx context.Context, batch events.SQSEvent) (events.SQSEventResponse, error) {
		errs := make([]error, len(batch.Records))
		var group sync.WaitGroup
		for i, message := range batch.Records {
			group.Go(func() { errs[i] = decode(ctx, []byte(message.Body), work) })
		}
		group.Wait()
		response := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for i, err := range errs {
			if err == nil {
				continue
			}
			id := batch.Records[i].MessageId
			log.ErrorContext(ctx, "message failed", "messageId", id, "error", err)
			response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: id})
		}
		return response, nil
	}
}

// Detail works on the detail of an EventBridge event, decoded from JSON into an E. An error makes Lambda try the event again, as
// often as the function is configured to, and then hand it to the dead-letter queue.
func Detail[E any](work func(context.Context, E) error) func(context.Context, events.EventBridgeEvent) error {
	return func(ctx context.Context, event events.EventBridgeEvent) error { return decode(ctx, event.Detail, work) }
}

func decode[E any](ctx context.Context, text []byte, work func(context.Context, E) error) error {
	var entry E
	if err := json.Unmarshal(text, &entry); err != nil {
		return fmt.Errorf("decode entry: %w", err)
	}
	return work(ctx, entry)
}
