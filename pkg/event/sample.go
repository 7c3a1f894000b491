package event

import (
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The ids in samples.
const (
	sampleULID     = "01JD5T0000000000000000000C"
	sampleForm     = "frm_01JD5T0000000000000000000F"
	samplePreset   = "pre_01JD5T0000000000000000000P"
	sampleTypeULID = "01JD5T0000000000000000000A"
	sampleCompany  = dossier.PrefixCompany + "01JD5T00000000000000000000"
)

// Sample returns an example of an event, as golden files pin it and integrations are tried with it.
// ok is false for a name that the catalogue lacks.
func Sample(name string) (e Event, ok bool) {
	request := "cdt_" + sampleULID + sampleTypeULID
	documentType, document := "dty_"+sampleTypeULID, "doc_01JD5T0000000000000000000D"
	at := dossier.NewTime(time.Date(2024, 11, 20, 8, 30, 0, 0, time.UTC))
	approved := StatusChange{Status: dossier.StatusApproved, PreviousStatus: dossier.StatusInReview}
	payloads := map[string]Payload{
		CandidateCreated: NewCreated(Created{Status: dossier.StatusCollecting}),
		CandidateUpdated: NewUpdated(
			Updated{Changed: []string{"cf_permitNumber", "lastName"}}),
		CandidateImported: NewImported(Imported{Created: true, Changed: []string{"lastName"},
			CandidateDocumentTypeIDs: []string{request}, Status: dossier.StatusApproved}),
		CandidateStatusChanged: NewStatusChanged(approved),
		CandidateApproved:      NewApproved(approved),
		CandidateRejected: NewRejected(
			StatusChange{Status: dossier.StatusRejected, PreviousStatus: dossier.StatusCollecting}),
		CandidateDocumentRequested: NewDocumentRequested(
			Requested{CandidateDocumentTypeID: request, DocumentTypeID: documentType,
				Required: true}),
		CandidateDocumentUploaded: NewDocumentUploaded(
			Uploaded{CandidateDocumentTypeID: request, DocumentID: document, Version: 1}),
		CandidateDocumentValidated: NewDocumentValidated(
			Validated{CandidateDocumentTypeID: request, DocumentID: document,
				Status: dossier.StatusCollecting}),
		CandidateDocumentRejected: NewDocumentRejected(
			Rejected{CandidateDocumentTypeID: request, DocumentID: document,
				State:   dossier.StateNeedsResubmission,
				Reasons: []string{dossier.ReasonMissingValue}}),
		CandidateDocumentExpired: NewDocumentExpired(
			Expired{CandidateDocumentTypeID: request, DocumentID: document}),
		CandidateFormRemoved: NewFormRemoved(FormRemoved{FormID: sampleForm}),
		CandidateDocumentExpiring: NewDocumentExpiring(
			Expiring{CandidateDocumentTypeID: request, DocumentID: document,
				ExpiresAt: "2024-12-20", DaysBefore: 30}),
		CandidateDocumentOverdue: NewDocumentOverdue(
			Overdue{CandidateDocumentTypeID: request, DocumentTypeID: documentType, DueAt: at}),
		CandidateDocumentRemoved: NewDocumentRemoved(
			DocumentRemoved{CandidateDocumentTypeID: request, DocumentTypeID: documentType}),
		CandidateDocumentCheckFailed: NewCheckFailed(
			CheckFailed{CandidateDocumentTypeID: request, DocumentID: document}),
		CandidateFormSubmitted: NewFormSubmitted(FormSubmitted{FormID: sampleForm}),
		CandidatePresetApplied: NewPresetApplied(PresetApplied{PresetID: samplePreset}),
		CandidatePassVerificationVerified: NewPassVerification(
			PassVerification{Status: dossier.PassVerified,
				CandidateDocumentTypeID: request, DocumentID: document}),
		CandidatePassVerificationFailed: NewPassVerification(
			PassVerification{Status: dossier.PassFailed,
				CandidateDocumentTypeID: request, DocumentID: document}),
		CandidateMessageSent: NewMessageSent(
			MessageSent{MessageID: "msg_" + sampleULID + "01JD5T0000000000000000000M",
				AuthorType: dossier.KindAdministrator}),
	}
	p, ok := payloads[name]
	if !ok {
		return Event{}, false
	}
	cause := Cause{DocumentID: document, RuleRunID: "run_" + sampleULID + document[len("doc_"):],
		CorrelationID: "01JD5T0000000000000000000R"}
	return p.At(at, sampleCompany, dossier.PrefixCandidate+sampleULID, 4, cause), true
}
