package store

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

func cloneMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// setField gives a candidate key or cf_<reference> a value; types names the type of each custom field by cf_ reference. It
// reports whether that changed anything: a value of the wrong type changes nothing.
func setField(c *dossier.Candidate, key string, value any, types map[string]string) bool {
	if ref, custom := strings.CutPrefix(key, "cf_"); custom {
		v, ok := dossier.Coerce(types[key], value)
		if !ok || reflect.DeepEqual(c.CustomFields[ref], v) {
			return false
		}
		c.CustomFields[ref] = v
		return true
	}
	// The external id is the company's own and unique: only the company changes it.
	field := c.Text(key)
	text, ok := dossier.ScalarText(value)
	text = strings.TrimSpace(text)
	if field == nil || key == "externalId" || !ok || *field == text || len([]rune(text)) > dossier.MaxName {
		return false
	}
	if key == "birthDate" && !dossier.ValidDate(text) {
		return false
	}
	*field = text
	return true
}

// newRequest makes a candidate document type, or asks again for one that was removed. Metadata is that of the action or request:
// required, dueAt and customFields in it are honoured.
func newCDT(cand, documentTypeID string, before storedCDT, metadata map[string]any, now dossier.Time) storedCDT {
	r := storedCDT{
		ID: requestID(cand, documentTypeID[len(prefixType):]), CandidateID: prefixCandidate + cand, DocumentTypeID: documentTypeID,
		State: dossier.StateRequested, Required: true, Metadata: cloneMap(metadata), CustomFields: map[string]any{}, CreatedAt: now,
		Versions: before.Versions, Token: before.Token,
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

// requestedEvent tells that a document type was asked for.
func requestedEvent(r storedCDT) event.Payload {
	return event.NewDocumentRequested(event.Requested{CandidateDocumentTypeID: r.ID, DocumentTypeID: r.DocumentTypeID, Required: r.Required})
}

// ask asks the candidate for a document type that it is not asked for now.
func (a *ruleRunTx) requestDocument(documentTypeID string, metadata map[string]any) {
	dt := documentTypeID[len(prefixType):]
	before, _ := a.request(dt)
	r := newCDT(a.ulid(), documentTypeID, before, metadata, a.now)
	a.touched[dt] = r
	a.events = append(a.events, requestedEvent(r))
}

// notify writes a message by the service itself, with what the scenario says.
func (a *ruleRunTx) notify(scenarioID string, n dossier.Notification) error {
	m, err := a.message(n)
	if err != nil {
		return err
	}
	a.events = append(a.events, event.NewMessageSent(event.MessageSent{MessageID: m.ID, AuthorType: dossier.AuthorSystem}))
	return nil
}
