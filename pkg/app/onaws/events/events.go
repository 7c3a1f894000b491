// Package events rings on the stack's EventBridge bus.
package events

import (
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
)

// Doorbell rings for checks, rules, scenarios and events.
func Notifier(f onaws.Function) *eventbus.Notifier {
	return eventbus.New(eventbridge.NewFromConfig(f.AWS), f.Config.Bus, f.Log)
}
