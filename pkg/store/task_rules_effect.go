package store

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/rules"
)

// maxRunWrites bounds what the actions of a run write, so that the rest of its transaction fits.
const maxRunWrites = 75

// carryOut applies the changes that the rules decided on to the transaction's copies.
func (a *ruleRunTx) carryOut(decision rules.Decision) error {
	for _, ch := range decision.Changes {
		switch ch.Type {
		case dossier.ActionAddDocumentType:
			a.requestDocument(dossier.DocumentTypeID(ch.Value), ch.Metadata)
			if ch.Preset != "" {
				a.cand.brought(ch.Preset).documentType(ch.Value, a.now)
			}
		case dossier.ActionRemoveDocumentType:
			a.removeRequest(dossier.DocumentTypeID(ch.Value))
		case dossier.ActionRemoveForm:
			a.cand.Forms = slices.DeleteFunc(a.cand.Forms, func(f dossier.CandidateForm) bool {
				return f.FormID == ch.Value
			})
			a.cand.forgetForm(ch.Value)
			a.events = append(a.events, event.NewFormRemoved(event.FormRemoved{FormID: ch.Value}))
		case dossier.ActionApplyPreset:
			a.cand.PresetIDs = append(a.cand.PresetIDs, ch.Value)
			a.events = append(a.events, event.NewPresetApplied(
				event.PresetApplied{PresetID: ch.Value}))
		case rules.ChangeAddForm:
			a.openForm(ch.Value, a.targets.forms[ch.Value])
			record := a.cand.brought(ch.Preset)
			record.Forms = append(record.Forms, ch.Value)
		case rules.ChangeSetValue:
			a.setByPreset(ch)
		case dossier.ActionSendNotification:
			sent, ok, err := a.notification(a.targets.notifications[ch.Value], a.values)
			if err != nil {
				return err
			}
			if ok {
				a.events = append(a.events, sent)
			}
		}
	}
	return nil
}

// requestDocument requests a document type that is not requested now.
func (a *ruleRunTx) requestDocument(dt dossier.DocumentTypeID, metadata map[string]any) {
	before, _ := a.request(dt)
	r := newCDT(a.at.id.DocumentType(dt), before, metadata, a.now)
	a.touched[dt] = r
	a.events = append(a.events, requestedEvent(r))
}

// removeRequest withdraws the request of a document type. The rules leave frozen ones alone.
func (a *ruleRunTx) removeRequest(dt dossier.DocumentTypeID) {
	r, ok := a.request(dt)
	if !ok || !dossier.CanGo(r.State, dossier.StateRemoved) {
		return
	}
	r.State, r.Lock, r.ExpiresOn, r.Leads = dossier.StateRemoved, nil, "", nil
	r.InForce = nil
	a.touched[dt] = r
	// Rules that were saved before this event existed may remove more than one transaction reports.
	if len(a.touched)+len(a.events)+len(a.writes) < maxRunWrites {
		a.events = append(a.events, removedEvent(r))
	}
}
