package event

import "github.com/dossierhq/dossier/pkg/dossier"

// Placeholders lists the placeholders that have a value in a scenario's reaction to an event, in
// the order of dossier.Placeholders.
func Placeholders(name string) []string {
	switch name {
	case CandidateDocumentRequested, CandidateDocumentOverdue:
		return []string{dossier.PlaceholderFirstName, dossier.PlaceholderDocumentType,
			dossier.PlaceholderDueAt}
	case CandidateDocumentRejected:
		return dossier.Placeholders
	case CandidateDocumentUploaded, CandidateDocumentValidated, CandidateDocumentExpired,
		CandidateDocumentExpiring, CandidateDocumentRemoved, CandidateDocumentCheckFailed,
		CandidatePassVerificationVerified, CandidatePassVerificationFailed:
		return []string{dossier.PlaceholderFirstName, dossier.PlaceholderDocumentType}
	}
	return []string{dossier.PlaceholderFirstName}
}
