// Package deliveries rings through the stack's queue of deliveries.
package deliveries

import (
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/notify/queue"
)

// Doorbell rings for deliveries.
func Notifier(f onaws.Function) *queue.Notifier {
	return queue.New(sqs.NewFromConfig(f.AWS), f.Config.QueueURL, f.Log)
}
