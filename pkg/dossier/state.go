package dossier

import "slices"

// The states of a candidate document type, and of the document it was uploaded with.
const (
	StateRequested         = "requested"         // nothing was uploaded
	StateUploaded          = "uploaded"          // a required part is missing still
	StateProcessing        = "processing"        // being checked: the parts are frozen
	StateInReview          = "inReview"          // checked, waits for an administrator
	StateValidated         = "validated"         // accepted, and its rules have run
	StateNeedsResubmission = "needsResubmission" // the candidate has to upload it again
	StateRejected          = "rejected"          // an administrator rejected it
	StateCheckFailed       = "checkFailed"       // the check failed technically
	StateExpired           = "expired"           // its date of expiry has passed
	StateRemoved           = "removed"           // not asked for any more
)

// States lists them in the order of a document's way.
var States = []string{StateRequested, StateUploaded, StateProcessing, StateInReview, StateValidated,
	StateNeedsResubmission,
	StateRejected, StateCheckFailed, StateExpired, StateRemoved}

// transitions lists where each state may go. Everything else is INVALID_TRANSITION.
var transitions = map[string][]string{
	StateRequested: {StateUploaded, StateProcessing, StateRemoved},
	StateUploaded:  {StateUploaded, StateProcessing, StateRemoved},
	StateProcessing: {StateInReview, StateValidated, StateNeedsResubmission, StateRejected,
		StateCheckFailed, StateRemoved},
	StateInReview: {StateUploaded, StateProcessing, StateValidated, StateNeedsResubmission,
		StateRejected, StateRemoved},
	StateValidated: {StateUploaded, StateProcessing, StateNeedsResubmission, StateRejected,
		StateExpired, StateRemoved},
	StateNeedsResubmission: {StateUploaded, StateProcessing, StateRejected, StateRemoved},
	StateRejected:          {StateUploaded, StateProcessing, StateValidated, StateRemoved},
	StateCheckFailed: {StateUploaded, StateProcessing, StateValidated, StateNeedsResubmission,
		StateRejected, StateRemoved},
	StateExpired: {StateUploaded, StateProcessing, StateRemoved},
	StateRemoved: {StateRequested},
}

// CanGo reports whether a candidate document type may go from one state to another. A validation by
// hand goes through processing, in which its rules run.
func CanGo(from, to string) bool { return slices.Contains(transitions[from], to) }

// Missing reports whether a candidate who is asked for a document type has yet to bring a document:
// in these states a required one keeps the candidate collecting.
func Missing(state string) bool {
	switch state {
	case StateRequested, StateUploaded, StateNeedsResubmission, StateRejected, StateCheckFailed,
		StateExpired:
		return true
	}
	return false
}

// Requested is the part of a candidate document type that the status of its candidate depends on.
type Requested struct {
	State    string `json:"s"`
	Required bool   `json:"r,omitzero"`
}

// Status returns the candidate status: the one pure function of the dossier, whatever caused the
// change.
func Status(rejected bool, requested map[string]Requested, forms []CandidateForm) string {
	if rejected {
		return StatusRejected
	}
	waiting, required, validated := false, 0, false
	for _, r := range requested {
		validated = validated || r.State == StateValidated
		if !r.Required || r.State == StateRemoved {
			continue
		}
		required++
		switch r.State {
		case StateValidated:
		case StateProcessing, StateInReview:
			waiting = true
		default:
			return StatusCollecting
		}
	}
	for _, f := range forms {
		if f.State == FormOpen {
			return StatusCollecting
		}
	}
	switch {
	case waiting:
		return StatusInReview
	case required == 0 && !validated:
		return StatusCollecting
	}
	return StatusApproved
}
