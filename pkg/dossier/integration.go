package dossier

// Integration is a customer's system that receives one kind of candidate event.
type Integration struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	TriggerEvent string `json:"triggerEvent"`
	Target       Target `json:"target"`
	Payload      string `json:"payload"` // PayloadThin or PayloadFull
	// in order per candidate; false delivers as soon as possible
	Ordered        bool   `json:"ordered"`
	State          string `json:"state"` // IntegrationActive or IntegrationDisabled
	DisabledReason string `json:"disabledReason,omitzero"`
	CreatedAt      Time   `json:"createdAt"`
	UpdatedAt      Time   `json:"updatedAt"`
	Secret         string `json:"secret,omitzero"` // whsec_…, once, when it is made or rotated
	// the newest first: the one that is in use, and the one that it replaced last
	SigningSecrets []SigningSecret `json:"signingSecrets,omitzero"`
}

// SigningSecret describes a secret of an integration without showing it.
type SigningSecret struct {
	// zero where an earlier version replaced the secret
	CreatedAt Time `json:"createdAt,omitzero"`
	EndsAt    Time `json:"endsAt,omitzero"` // of one that was replaced: it signs until then
}

// Target is the address of an integration.
type Target struct {
	Type string `json:"type"` // TargetWebhook
	URL  string `json:"url"`
}

// What an integration is and how it is called.
const (
	TargetWebhook = "webhook"
	PayloadThin   = "thin" // ids only
	// with the candidate and the candidate document type as they are when the event is handed out
	PayloadFull         = "full"
	IntegrationActive   = "active"
	IntegrationDisabled = "disabled"

	DisabledByHand  = "byHand"
	DisabledGone    = "gone"    // the target answered 410
	DisabledFailing = "failing" // nothing but failures for five days
)

// IntegrationInput is the body that creates an integration.
type IntegrationInput struct {
	Name         string  `json:"name"`
	TriggerEvent string  `json:"triggerEvent"`
	Target       Target  `json:"target"`
	Payload      *string `json:"payload"` // thin where it is not given
	Ordered      *bool   `json:"ordered"` // true where it is not given
}

// IntegrationUpdate is the body that changes an integration.
type IntegrationUpdate struct {
	IntegrationInput
	State string `json:"state"`
}

// The closed lists of an integration.
var (
	Targets           = []string{TargetWebhook}
	Payloads          = []string{PayloadThin, PayloadFull}
	IntegrationStates = []string{IntegrationActive, IntegrationDisabled}
)

// CheckURL returns an error for an address that must not be called. Its text is the predicate of a
// sentence, such as "must begin with https://".
type CheckURL func(raw string) error

// URL records an address that is missing or that check refuses.
func (p *Problems) URL(pointer, url string, check CheckURL) {
	if url == "" {
		p.Say(pointer, ProblemRequired, "is missing")
	} else if err := check(url); err != nil {
		p.Say(pointer, ProblemNotAllowed, "%s", err)
	}
}

// Validate records what is wrong with the input by itself. events lists the names of events.
func (in IntegrationInput) Validate(p *Problems, events []string, check CheckURL) {
	p.Line("/name", in.Name, MaxName)
	p.Word("/triggerEvent", in.TriggerEvent, events)
	p.Word("/target/type", in.Target.Type, Targets)
	p.URL("/target/url", in.Target.URL, check)
	if in.Payload != nil {
		p.Word("/payload", *in.Payload, Payloads)
	}
}

// Validate records what is wrong with the update by itself.
func (in IntegrationUpdate) Validate(p *Problems, events []string, check CheckURL) {
	in.IntegrationInput.Validate(p, events, check)
	p.Word("/state", in.State, IntegrationStates)
}
