package lambdahttp

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Invoker is a lambda.Handler. It decodes only the members it needs: decoding the library's event
// types would cost reflection time at cold start.
type Invoker func(ctx context.Context, payload []byte) ([]byte, error)

// margin is reserved before Lambda's deadline, so that the handler can still return an error: an
// invocation that Lambda ends has no answer and no log line, and repeats a whole batch. It is
// longer than the two steps that ignore the deadline: a notification, and deleting a refused
// upload.
const margin = 3 * time.Second

// Invoke implements lambda.Handler. A panic is an error without the value, which may hold what is
// personal; the library would log it.
func (i Invoker) Invoke(ctx context.Context, payload []byte) (answer []byte, err error) {
	defer panicked(&err)
	if end, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, end.Add(-margin))
		defer stop()
	}
	return i(ctx, payload)
}

// panicked, deferred, makes a panic an error.
func panicked(err *error) {
	if p := recover(); p != nil {
		*err = dossier.Panicked(p)
	}
}

// messages is the part of an SQS event that Batch reads.
type messages struct {
	Records []struct {
		MessageID string `json:"messageId"`
		Body      string `json:"body"`
	} `json:"Records"`
}

// Queue works on the messages of an SQS batch, all at the same time, each body decoded from JSON
// into an E. What failed or panicked is named in the answer, so that SQS brings only those again
// (the event source needs ReportBatchItemFailures), and in the log.
func Queue[E any](log *slog.Logger, work func(context.Context, E) error) Invoker {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var batch messages
		if err := json.Unmarshal(payload, &batch); err != nil {
			return nil, fmt.Errorf("decode batch: %w", err)
		}
		errs := make([]error, len(batch.Records))
		var group sync.WaitGroup
		for i, message := range batch.Records {
			group.Go(func() {
				defer panicked(&errs[i])
				errs[i] = decode(ctx, []byte(message.Body), work)
			})
		}
		group.Wait()
		response := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for i, err := range errs {
			if err == nil {
				continue
			}
			id := batch.Records[i].MessageID
			log.ErrorContext(ctx, "message failed", "queueMessageId", id, "error", err)
			response.BatchItemFailures = append(response.BatchItemFailures,
				events.SQSBatchItemFailure{ItemIdentifier: id})
		}
		return json.Marshal(response)
	}
}

// Tick works each time that a schedule fires.
func Tick(work func(context.Context) error) Invoker {
	return func(ctx context.Context, _ []byte) ([]byte, error) { return []byte("null"), work(ctx) }
}

func decode[E any](ctx context.Context, text []byte, work func(context.Context, E) error) error {
	var entry E
	if err := json.Unmarshal(text, &entry); err != nil {
		return fmt.Errorf("decode entry: %w", err)
	}
	return work(ctx, entry)
}
