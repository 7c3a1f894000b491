package dossier

// ParserCall is one call of a parser service for one version of a document. It holds nothing of the
// document, and of the service's address only the host.
type ParserCall struct {
	ID                      string `json:"id"`
	DocumentTypeID          string `json:"documentTypeId"`
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	CandidateID             string `json:"candidateId"`
	DocumentID              string `json:"documentId"`
	Version                 int64  `json:"version"` // of the document
	Host                    string `json:"host"`    // with the port if the address names one
	Attempt
}
