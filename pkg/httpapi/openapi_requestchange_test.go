package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

// requestChangeType describes the body that changes a request.
func requestChangeType(fields spec.Fields) []spec.Type {
	return []spec.Type{{Name: "CandidateDocumentTypePatch",
		Of: dossier.CandidateDocumentTypeChange{}, Mode: spec.Change, Fields: fields,
		Text: "What to change of a request (JSON Merge Patch, RFC 7396): absent keeps, `null` clears."}}
}

// requestChangeOperations describes the routes that change a request and end it.
func requestChangeOperations() map[string]operation {
	const path = "/candidateDocumentTypes"
	return map[string]operation{
		"PATCH " + path + "/{id}": {id: "updateCandidateDocumentType",
			summary: "Change what a candidate is asked for", in: "CandidateDocumentTypePatch",
			out: "CandidateDocumentType", versioned: true,
			text:  mergePatch + " The candidate's status is calculated again. Also possible while a check runs.",
			fails: fails(fail(dossier.CodeRemoved, ""))},
		"POST " + path + "/{id}/check": {id: "checkAgain",
			summary: "Start a check again that could not be made", out: "CandidateDocumentType",
			text: "Possible in `checkFailed`. The document is `processing` again, with the parts that were uploaded, and the check is tried for about an hour like the first time.",
			fails: fails(fail(dossier.CodeLocked, ""),
				fail(dossier.CodeTransition, "The state is not `checkFailed`."))},
		"DELETE " + path + "/{id}": {id: "removeDocumentRequest",
			summary: "Stop asking a candidate for a document type", out: "CandidateDocumentType",
			text: "For an administrator. It stays readable with the documents that were uploaded, and its state is `removed`: the candidate's status does not depend on it " +
				"any more, and nothing can be uploaded to it. A POST to `/candidateDocumentTypes` asks for it again.",
			fails: fails(fail(dossier.CodeLocked, ""),
				fail(dossier.CodeTransition, "It was removed already."))},
	}
}
