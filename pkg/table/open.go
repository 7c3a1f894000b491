package table

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// The kinds of open work.
const (
	WorkCheck    = "check"    // a document waits for its check
	WorkRules    = "rules"    // a document was validated: write back, run the rules, recalculate the status
	WorkDispatch = "dispatch" // an event is to be handed to integrations and scenarios
	WorkScenario = "scenario" // a scenario reacts to an event
	WorkDeliver  = "deliver"  // an event is to be sent to an integration
	WorkExpire   = "expire"   // a validated document reaches its date
	WorkErase    = "erase"    // a candidate is being erased
)

// Entry is one open piece of work: a stored item that is not closed. It holds ids only, except for the event that is published
// with a ring for WorkDispatch.
type Entry struct {
	Kind  string       `json:"kind"` // one of the Work constants
	PK    string       `json:"pk"`
	SK    string       `json:"sk"`
	Due   dossier.Time `json:"due"`
	Event *event.Event `json:"-"` // WorkDispatch, when it rings
}

// Doorbell tells the consumers that there is work. A ring may be lost, doubled, late or out of order; nothing depends on it but speed.
type Doorbell interface {
	Ring(ctx context.Context, entries []Entry)
}
