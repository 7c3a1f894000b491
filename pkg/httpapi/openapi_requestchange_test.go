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
