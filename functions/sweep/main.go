// Command sweep is the function that rings, every minute, for what is open and due.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/deliveries"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/app/onaws/parts"
	"github.com/dossierhq/dossier/pkg/bus"
	"github.com/dossierhq/dossier/pkg/work"
)

func main() {
	f := onaws.New()
	w := &work.Sweep{Table: f.Table(bus.All{events.Doorbell(f), deliveries.Doorbell(f)}), Blobs: parts.Store(f), Log: f.Log}
	lambda.Start(func(ctx context.Context) error {
		_, err := w.Work(ctx)
		return err
	})
}
