// Package event is the catalogue of candidate events: names, versions, payloads and a constructor
// for each. The goldens in events/ pin every shape; a changed shape needs a new version. A new
// event is a row of Catalogue, a payload with its constructor, and a sample (sample.go); the use
// case in pkg/store emits it.
package event

import (
	"fmt"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The names. Integrations are triggered by them and scenarios react to them.
const (
	CandidateRejected                 = "candidateRejected"
	CandidatePassVerificationVerified = "candidatePassVerificationVerified"
	CandidatePassVerificationFailed   = "candidatePassVerificationFailed"
	CandidateMessageSent              = "candidateMessageSent"
	CandidateCreated                  = "candidateCreated"
	CandidateUpdated                  = "candidateUpdated"
	CandidateImported                 = "candidateImported"
	CandidateStatusChanged            = "candidateStatusChanged"
	CandidateApproved                 = "candidateApproved"
	CandidateDocumentRequested        = "candidateDocumentRequested"
	CandidateDocumentUploaded         = "candidateDocumentUploaded"
	CandidateDocumentValidated        = "candidateDocumentValidated"
	CandidateDocumentRejected         = "candidateDocumentRejected"
	CandidateDocumentExpired          = "candidateDocumentExpired"
	CandidateFormRemoved              = "candidateFormRemoved"
	CandidatePresetApplied            = "candidatePresetApplied"
	CandidateDocumentExpiring         = "candidateDocumentExpiring"
	CandidateDocumentOverdue          = "candidateDocumentOverdue"
	CandidateDocumentRemoved          = "candidateDocumentRemoved"
	CandidateDocumentCheckFailed      = "candidateDocumentCheckFailed"
	CandidateFormSubmitted            = "candidateFormSubmitted"
)

// Kind is a row of the catalogue: an event name with the version of the payload that is emitted
// now.
type Kind struct {
	Name    string
	Version int
}

// Catalogue lists every event in the order that clients are shown. Integrations, scenarios, filters
// and samples take their names from it; an event that an action of a rule emits also counts in the
// action's writes (pkg/rules/action.go). A changed payload raises its version here; the golden of
// the old version stays in events/, and `go test ./pkg/event -update` writes the new one.
var Catalogue = []Kind{
	{Name: CandidateRejected, Version: 1},
	{Name: CandidatePassVerificationVerified, Version: 1},
	{Name: CandidatePassVerificationFailed, Version: 1},
	{Name: CandidateMessageSent, Version: 1},
	{Name: CandidateCreated, Version: 1},
	{Name: CandidateUpdated, Version: 1},
	{Name: CandidateImported, Version: 1},
	{Name: CandidateStatusChanged, Version: 1},
	{Name: CandidateApproved, Version: 1},
	{Name: CandidateDocumentRequested, Version: 1},
	{Name: CandidateDocumentUploaded, Version: 1},
	{Name: CandidateDocumentValidated, Version: 1},
	{Name: CandidateDocumentRejected, Version: 1},
	{Name: CandidateDocumentExpired, Version: 1},
	{Name: CandidateFormRemoved, Version: 1},
	{Name: CandidatePresetApplied, Version: 1},
	{Name: CandidateDocumentExpiring, Version: 1},
	{Name: CandidateDocumentOverdue, Version: 1},
	{Name: CandidateDocumentRemoved, Version: 1},
	{Name: CandidateDocumentCheckFailed, Version: 1},
	{Name: CandidateFormSubmitted, Version: 1},
}

// Names lists the names of the catalogue in its order.
var Names = func() []string {
	out := make([]string, len(Catalogue))
	for i, k := range Catalogue {
		out[i] = k.Name
	}
	return out
}()

// version returns the version of an event that is emitted now.
func version(name string) int {
	for _, k := range Catalogue {
		if k.Name == name {
			return k.Version
		}
	}
	return 0 // TestGolden finds a constructor whose name the catalogue lacks
}

// MaxDepth bounds a chain of events that cause each other; scenarios do not react beyond it.
const MaxDepth = 8

// Event is one thing that happened to a candidate. Sequence counts per candidate, without gaps,
// from 1.
type Event struct {
	ID          string       `json:"id"`
	Type        string       `json:"type"`
	Version     int          `json:"version"`
	Timestamp   dossier.Time `json:"timestamp"`
	CompanyID   string       `json:"companyId"`
	CandidateID string       `json:"candidateId"`
	Sequence    int64        `json:"sequence"`
	Cause       Cause        `json:"cause"`
	Data        any          `json:"data"`
}

// Cause tells what led to an event. Depth counts the scenarios between a person's act and the
// event.
type Cause struct {
	DocumentID string `json:"documentId,omitzero"`
	RuleRunID  string `json:"ruleRunId,omitzero"`
	// the id of the request that started the chain
	CorrelationID string `json:"correlationId,omitzero"`
	Depth         int    `json:"depth"`
	// Principal caused the event; absent if nobody did, as for an expiry.
	Principal *dossier.Actor `json:"principal,omitzero"`
	// In an event that a scenario caused: the number of the event that started the chain, and the
	// scenarios between the two.
	RootSequence int64    `json:"rootSequence,omitzero"`
	ScenarioIDs  []string `json:"scenarioIds,omitzero"`
	// Trace is the trace context of the cause. It is no part of the event.
	Trace string `json:"-"`
}

// Created is the payload of candidateCreated.
type Created struct {
	Status string `json:"status"`
}

// Updated is the payload of candidateUpdated: the names of the changed fields, `cf_<reference>` for
// custom fields, `forms` where one is asked for or opened again, `presetIds` where one is taken
// back.
type Updated struct {
	Changed []string `json:"changed"`
}

// Imported is the payload of candidateImported, the one event of an import. Changed is as in
// Updated; the candidate document types are those of recorded documents.
type Imported struct {
	Created                  bool     `json:"created"`
	Changed                  []string `json:"changed"`
	CandidateDocumentTypeIDs []string `json:"candidateDocumentTypeIds"`
	Status                   string   `json:"status"`
}

// StatusChange is the payload of candidateStatusChanged, candidateApproved and candidateRejected.
type StatusChange struct {
	Status         string `json:"status"`
	PreviousStatus string `json:"previousStatus"`
}

// Requested is the payload of candidateDocumentRequested.
type Requested struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	DocumentTypeID          string `json:"documentTypeId"`
	Required                bool   `json:"required"`
}

// Uploaded is the payload of candidateDocumentUploaded.
type Uploaded struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	DocumentID              string `json:"documentId"`
	Version                 int64  `json:"version"`
}

// Validated is the payload of candidateDocumentValidated. Status is the candidate's, after the
// rules.
type Validated struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	DocumentID              string `json:"documentId"`
	Status                  string `json:"status"`
}

// Rejected is the payload of candidateDocumentRejected: by an administrator, or by the check. State
// is rejected or needsResubmission.
type Rejected struct {
	CandidateDocumentTypeID string   `json:"candidateDocumentTypeId"`
	DocumentID              string   `json:"documentId"`
	State                   string   `json:"state"`
	Reasons                 []string `json:"reasons"` // codes
}

// Expired is the payload of candidateDocumentExpired.
type Expired struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	DocumentID              string `json:"documentId"`
}

// Expiring is the payload of candidateDocumentExpiring. It is emitted once for each lead of the
// document type, a number of days before the document expires.
type Expiring struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	DocumentID              string `json:"documentId"`
	ExpiresAt               string `json:"expiresAt"` // the last day on which it is valid
	DaysBefore              int    `json:"daysBefore"`
}

// Overdue is the payload of candidateDocumentOverdue. It is emitted once for each moment that a
// request is due at.
type Overdue struct {
	CandidateDocumentTypeID string       `json:"candidateDocumentTypeId"`
	DocumentTypeID          string       `json:"documentTypeId"`
	DueAt                   dossier.Time `json:"dueAt"`
}

// DocumentRemoved is the payload of candidateDocumentRemoved.
type DocumentRemoved struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	DocumentTypeID          string `json:"documentTypeId"`
}

// CheckFailed is the payload of candidateDocumentCheckFailed.
type CheckFailed struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	DocumentID              string `json:"documentId"`
}

// FormSubmitted is the payload of candidateFormSubmitted.
type FormSubmitted struct {
	FormID string `json:"formId"`
}

// FormRemoved is the payload of candidateFormRemoved.
type FormRemoved struct {
	FormID string `json:"formId"`
}

// PresetApplied is the payload of candidatePresetApplied.
type PresetApplied struct {
	PresetID string `json:"presetId"`
}

// PassVerification is the payload of candidatePassVerificationVerified and …Failed. The document
// fields are empty if an outside verifier reported the outcome.
type PassVerification struct {
	Status                  string `json:"status"`
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId,omitzero"`
	DocumentID              string `json:"documentId,omitzero"`
}

// MessageSent is the payload of candidateMessageSent.
type MessageSent struct {
	MessageID  string `json:"messageId"`
	AuthorType string `json:"authorType"`
}

// Payload is the content of an event without its place in a candidate's sequence.
type Payload struct {
	name string
	data any
}

// Name returns the event's name.
func (p Payload) Name() string { return p.name }

// NewCreated makes candidateCreated.
func NewCreated(d Created) Payload { return Payload{CandidateCreated, d} }

// NewUpdated makes candidateUpdated.
func NewUpdated(d Updated) Payload { return Payload{CandidateUpdated, d} }

// NewImported makes candidateImported.
func NewImported(d Imported) Payload { return Payload{CandidateImported, d} }

// NewStatusChanged makes candidateStatusChanged.
func NewStatusChanged(d StatusChange) Payload { return Payload{CandidateStatusChanged, d} }

// NewApproved makes candidateApproved.
func NewApproved(d StatusChange) Payload { return Payload{CandidateApproved, d} }

// NewRejected makes candidateRejected.
func NewRejected(d StatusChange) Payload { return Payload{CandidateRejected, d} }

// NewDocumentRequested makes candidateDocumentRequested.
func NewDocumentRequested(d Requested) Payload { return Payload{CandidateDocumentRequested, d} }

// NewDocumentUploaded makes candidateDocumentUploaded.
func NewDocumentUploaded(d Uploaded) Payload { return Payload{CandidateDocumentUploaded, d} }

// NewDocumentValidated makes candidateDocumentValidated.
func NewDocumentValidated(d Validated) Payload { return Payload{CandidateDocumentValidated, d} }

// NewDocumentRejected makes candidateDocumentRejected.
func NewDocumentRejected(d Rejected) Payload { return Payload{CandidateDocumentRejected, d} }

// NewDocumentExpired makes candidateDocumentExpired.
func NewDocumentExpired(d Expired) Payload { return Payload{CandidateDocumentExpired, d} }

// NewDocumentExpiring makes candidateDocumentExpiring.
func NewDocumentExpiring(d Expiring) Payload { return Payload{CandidateDocumentExpiring, d} }

// NewDocumentOverdue makes candidateDocumentOverdue.
func NewDocumentOverdue(d Overdue) Payload { return Payload{CandidateDocumentOverdue, d} }

// NewDocumentRemoved makes candidateDocumentRemoved.
func NewDocumentRemoved(d DocumentRemoved) Payload { return Payload{CandidateDocumentRemoved, d} }

// NewCheckFailed makes candidateDocumentCheckFailed.
func NewCheckFailed(d CheckFailed) Payload { return Payload{CandidateDocumentCheckFailed, d} }

// NewFormSubmitted makes candidateFormSubmitted.
func NewFormSubmitted(d FormSubmitted) Payload { return Payload{CandidateFormSubmitted, d} }

// NewFormRemoved makes candidateFormRemoved.
func NewFormRemoved(d FormRemoved) Payload { return Payload{CandidateFormRemoved, d} }

// NewPresetApplied makes candidatePresetApplied.
func NewPresetApplied(d PresetApplied) Payload { return Payload{CandidatePresetApplied, d} }

// NewPassVerification makes candidatePassVerificationVerified, or …Failed if the status is failed.
func NewPassVerification(d PassVerification) Payload {
	if d.Status == dossier.PassFailed {
		return Payload{CandidatePassVerificationFailed, d}
	}
	return Payload{CandidatePassVerificationVerified, d}
}

// NewMessageSent makes candidateMessageSent.
func NewMessageSent(d MessageSent) Payload { return Payload{CandidateMessageSent, d} }

// At gives a payload its place: the next number in the candidate's sequence, from which the id
// follows.
func (p Payload) At(now dossier.Time, companyID, candidateID string, sequence int64,
	cause Cause) Event {
	return Event{
		ID:   ID(candidateID, sequence),
		Type: p.name, Version: version(p.name), Timestamp: now,
		CompanyID: companyID, CandidateID: candidateID, Sequence: sequence,
		Cause: cause, Data: p.data,
	}
}

// ID returns the id of a candidate's event. It is derived, so that a repeated step makes the same
// one.
func ID(candidateID string, sequence int64) string {
	return fmt.Sprintf("%s%s%010d", dossier.PrefixEvent,
		strings.TrimPrefix(candidateID, dossier.PrefixCandidate), sequence)
}
