// Package deliveries rings through the stack's queue of deliveries.
package deliveries

import (
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/bus/queue"
)

// Doorbell rings for deliveries.
func Doorbell(f onaws.Function) *queue.Doorbell {
	return queue.New(sqs.NewFromConfig(f.AWS), f.Config.QueueURL, f.Log)
}
