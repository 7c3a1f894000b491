package httpapi

import "github.com/dossierhq/dossier/pkg/dossier"

// The bodies that a parser service of a company's own gets and answers, as pkg/check has them.
type (
	parseRequest struct {
		DocumentID     string      `json:"documentId"`
		CandidateID    string      `json:"candidateId"`
		DocumentTypeID string      `json:"documentTypeId"`
		Parts          []parsePart `json:"parts"`
	}
	parsePart struct {
		Name        string `json:"name"`
		FileName    string `json:"fileName,omitzero"`
		ContentType string `json:"contentType"`
		Size        int64  `json:"size"`
		SHA256      string `json:"sha256"`
		Content     []byte `json:"content,omitzero"`
		URL         string `json:"url,omitzero"`
	}
	parseResponse struct {
		Parsed     map[string]any   `json:"parsed"`
		Confidence *float64         `json:"confidence,omitzero"`
		Reasons    []dossier.Reason `json:"reasons,omitzero"`
	}
)
