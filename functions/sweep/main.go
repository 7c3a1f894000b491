// Command sweep is the function that notifies, every minute, of the tasks that are due.
package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/metrics"
	"github.com/dossierhq/dossier/pkg/blob/s3blob"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
	"github.com/dossierhq/dossier/pkg/notify"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
	"github.com/dossierhq/dossier/pkg/notify/queue"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := aws.New()
	w := &worker.Sweep{Store: f.Store(
		notify.Fanout{eventbus.NewFromConfig(f.AWS, f.Config.Bus, f.Log),
			queue.NewFromConfig(f.AWS, f.Config.QueueURL, f.Log)}),
		Blobs: s3blob.NewFromConfig(f.AWS, f.Config.Bucket), Log: f.Log}
	lambda.Start(lambdahttp.Tick(func(ctx context.Context) error {
		swept, err := w.Work(ctx)
		if err != nil && swept.Due == 0 {
			return err // it could not look; silence is an alarm too
		}
		return errors.Join(err, metrics.Emit(os.Stdout, f.Config.Stack, time.Now(),
			metrics.Value{Name: "OldestOpenSeconds", Unit: "Seconds",
				Value: swept.Oldest.Seconds()},
			metrics.Value{Name: "OpenDue", Unit: "Count", Value: float64(swept.Due)}))
	}))
}
