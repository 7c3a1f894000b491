package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// storedCDT is the candidate document type item. It holds the lock of its parts and the newest
// document.
type storedCDT struct {
	ID             dossier.CandidateDocumentTypeID `json:"id"`
	CandidateID    string                          `json:"candidateId"`
	DocumentTypeID dossier.DocumentTypeID          `json:"documentTypeId"`
	State          string                          `json:"state"`
	Required       bool                            `json:"required"`
	DueAt          dossier.Time                    `json:"dueAt,omitzero"`
	Metadata       map[string]any                  `json:"metadata"`
	CustomFields   map[string]any                  `json:"customFields"`
	Lock           *dossier.Lock                   `json:"lock,omitzero"`
	Document       *StoredDocument                 `json:"document,omitzero"`
	Versions       int64                           `json:"versions"` // uploads so far
	// fencing token, raised by each claim, end and takeover of a check
	Token int64 `json:"token"`
	// checks of the newest document that began
	Tries int `json:"tries"`
	// checks in a row that used up their time
	Slow int `json:"slow,omitzero"`
	// no check begins earlier
	NotBefore dossier.Time `json:"notBefore,omitzero"`
	// number of the rules job that validates it
	Job int64 `json:"job,omitzero"`
	// date of the newest validated document
	ExpiresOn string `json:"expiresOn,omitzero"`
	// days before it at which a reminder is still to come, the most first
	Leads []int `json:"leads,omitzero"`
	// the DueAt that was reported as overdue
	OverdueFor dossier.Time `json:"overdueFor,omitzero"`
	// start of the state; older items have none
	Since dossier.Time `json:"since,omitzero"`
	// the validated document that stays in force until the newest is validated too
	InForce   *inForce     `json:"inForce,omitzero"`
	CreatedAt dossier.Time `json:"createdAt"`
	UpdatedAt dossier.Time `json:"updatedAt"`
}

// urgency orders the candidate document types of one state of the newest document: requests to the
// candidate by when they are due, validated documents by when they expire, the rest by how long
// they wait.
func (r *storedCDT) urgency() string {
	switch r.State {
	case dossier.StateRequested, dossier.StateUploaded, dossier.StateNeedsResubmission:
		if r.DueAt.IsZero() || r.InForce != nil {
			return last + r.Since.String()
		}
		return r.DueAt.String()
	case dossier.StateValidated:
		return cmp.Or(r.ExpiresOn, last)
	}
	return r.Since.String()
}

// StoredDocument is a document and the location of its parts.
type StoredDocument struct {
	dossier.Document
	RequestID dossier.CandidateDocumentTypeID `json:"candidateDocumentTypeId"`
	// id of the request that uploaded it
	Correlation string `json:"correlationId,omitzero"`
	// the trace context of that request
	Trace string `json:"traceparent,omitzero"`
	// one for each part, in order
	Blobs []BlobRef `json:"blobs"`
	// of the document's own item
	Rev int64 `json:"rev"`
}

// BlobRef pins the bytes of a part: a key of the blob store and the version of the object.
type BlobRef struct {
	Key     string `json:"key"`
	Version string `json:"version"`
}

// shown returns the candidate document type as responses show it.
func (r *storedCDT) shown(dt dossier.DocumentType) dossier.CandidateDocumentType {
	c := dossier.CandidateDocumentType{
		ID: string(r.ID), CandidateID: r.CandidateID, DocumentType: dt, State: r.shownState(),
		Required: r.Required, DueAt: r.DueAt, ExpiresAt: r.ExpiresOn,
		MissingParts: r.missingParts(dt.RequiredParts),
		Metadata:     r.Metadata, CustomFields: r.CustomFields, Lock: r.Lock,
		CreatedAt: r.CreatedAt,
		UpdatedAt: r.UpdatedAt,
	}
	if r.Document != nil {
		d := r.Document.Document
		c.Document = &d
	}
	if r.InForce != nil {
		d := r.InForce.Document.Document
		c.ExpiresAt, c.Document, c.Replacement = r.InForce.ExpiresOn, &d, r.replacement()
	}
	return c
}

// missingParts returns the required parts that an upload still has to bring: those uploaded before
// count while the document is not complete.
func (r *storedCDT) missingParts(required []string) []string {
	missing := []string{}
	if !slices.Contains(CandidatesTurn, r.State) ||
		r.InForce != nil && r.State != dossier.StateUploaded {
		return missing
	}
	for _, name := range required {
		there := r.State == dossier.StateUploaded && r.Document != nil &&
			slices.ContainsFunc(r.Document.Parts, func(p dossier.Part) bool {
				return p.Name == name
			})
		if !there {
			missing = append(missing, name)
		}
	}
	return missing
}

// newCDT makes a candidate document type, or requests one again that was removed. Of the metadata,
// required, dueAt and customFields also set the fields of these names.
func newCDT(id dossier.CandidateDocumentTypeID, before storedCDT, metadata map[string]any,
	now dossier.Time) storedCDT {
	r := storedCDT{
		ID: id, CandidateID: string(id.Candidate()), DocumentTypeID: id.DocumentType(),
		State:    dossier.StateRequested,
		Required: true, Metadata: cloneMap(metadata), CustomFields: map[string]any{},
		CreatedAt: now,
		Versions:  before.Versions, Token: before.Token,
	}
	if required, ok := metadata["required"].(bool); ok {
		r.Required = required
	}
	if text, ok := metadata["dueAt"].(string); ok {
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			r.DueAt = dossier.NewTime(at)
		}
	}
	if fields, ok := metadata["customFields"].(map[string]any); ok {
		r.CustomFields = cloneMap(fields)
	}
	return r
}

// removedEvent reports that a document type is not requested any more.
func removedEvent(r storedCDT) event.Payload {
	return event.NewDocumentRemoved(event.DocumentRemoved{
		CandidateDocumentTypeID: string(r.ID), DocumentTypeID: string(r.DocumentTypeID)})
}

// requestedEvent reports that a document type was requested.
func requestedEvent(r storedCDT) event.Payload {
	return event.NewDocumentRequested(event.Requested{
		CandidateDocumentTypeID: string(r.ID), DocumentTypeID: string(r.DocumentTypeID),
		Required: r.Required})
}

// expiry returns the date on which a document with these values expires, "" if it does not.
func expiry(dt storedType, parsed map[string]any) string {
	if v, ok := dossier.Lookup(parsed, dt.Check.ExpiryReference); ok {
		if date, ok := v.(string); ok && dossier.ValidDate(date) {
			return date
		}
	}
	return ""
}

// invalidTransition is the error of a state change that the transition table does not allow. It
// names the administrator who decided on the document, if one did.
func invalidTransition(r *storedCDT, to string) error {
	what := "candidate document type"
	if r.InForce != nil {
		what = "newer document"
	}
	e := dossier.Errorf(dossier.CodeTransition, "The %s is %s and cannot become %s.", what, r.State,
		to)
	if e.Decision = r.decision(); e.Decision != nil {
		e.Detail += fmt.Sprintf(" %s decided this at %s.", e.Decision.DecidedBy.Label(),
			e.Decision.DecidedAt)
	}
	return e
}

// decision returns the decision of an administrator on the newest document, nil if there is none.
func (r *storedCDT) decision() *dossier.Decision {
	d := r.Document
	if d == nil || d.DecidedBy == nil {
		return nil
	}
	return &dossier.Decision{State: d.State, DecidedBy: *d.DecidedBy, DecidedAt: d.DecidedAt}
}
