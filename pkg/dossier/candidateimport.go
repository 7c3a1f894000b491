package dossier

import "slices"

// MaxImported bounds the documents of one imported candidate: what an import writes is one
// transaction.
const MaxImported = 30

// CandidateImportInput is the body that imports a candidate by its external id, or brings the one
// with an id up to date. What it leaves out stays as it is.
type CandidateImportInput struct {
	CandidateInput
	// CandidateID is that of a candidate who is there.
	CandidateID *string                 `json:"candidateId,omitzero"`
	Documents   []ImportedDocumentInput `json:"documents"`
	DryRun      bool                    `json:"dryRun"` // validate and answer, and store nothing
}

// ImportedDocumentInput is a document that the company validated before, elsewhere: its values
// without a file.
type ImportedDocumentInput struct {
	DocumentTypeID string         `json:"documentTypeId"`
	Parsed         map[string]any `json:"parsed,omitzero"`
}

// CandidateImport is the outcome of an import.
type CandidateImport struct {
	Result      string             `json:"result"` // one of ImportResults
	CandidateID string             `json:"candidateId,omitzero"`
	Status      string             `json:"status"`
	Documents   []ImportedDocument `json:"documents"` // in the order of the request
}

// ImportedDocument is the outcome for one document of an import.
type ImportedDocument struct {
	DocumentTypeID          string `json:"documentTypeId"`
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId,omitzero"`
	Result                  string `json:"result"` // one of ImportedDocumentResults
}

// The outcomes of an import.
const (
	ImportCreated   = "created"   // a new candidate
	ImportUpdated   = "updated"   // the candidate has new values or documents
	ImportUnchanged = "unchanged" // everything was there already

	ImportRecorded = "recorded" // the document is the newest version now
	ImportKept     = "kept"     // a file was uploaded: it stays the newest version
)

// The closed lists of an import.
var (
	ImportResults           = []string{ImportCreated, ImportUpdated, ImportUnchanged}
	ImportedDocumentResults = []string{ImportRecorded, ImportUnchanged, ImportKept}
)

// Validate records what is wrong with the input by itself. The values of documents depend on their
// types.
func (in *CandidateImportInput) Validate(p *Problems) {
	in.CandidateInput.Validate(p, CandidateInput{})
	switch {
	case in.CandidateID != nil:
		p.ID("/candidateId", *in.CandidateID)
	case in.ExternalID == nil:
		p.Say("/externalId", ProblemRequired, "is missing")
	}
	var ids []string
	for n := range p.Count("/documents", len(in.Documents), MaxImported) {
		pointer, id := Element("/documents", n)+"/documentTypeId", in.Documents[n].DocumentTypeID
		p.ID(pointer, id)
		if slices.Contains(ids, id) {
			p.Say(pointer, ProblemDuplicate, "is given more than once")
		}
		ids = append(ids, id)
	}
}

// SetGiven sets the values that the input has on a candidate, and leaves the others.
func (in *CandidateImportInput) SetGiven(c *Candidate) {
	for key, field := range in.texts() {
		if *field != nil {
			*c.Text(key) = **field
		}
	}
	for reference, value := range in.CustomFields {
		c.CustomFields[reference] = value
	}
}

// Gives reports whether the input has a value for a key of a candidate, a text field or
// cf_<reference>.
func (in *CandidateImportInput) Gives(key string) bool {
	if field, ok := in.texts()[key]; ok {
		return *field != nil
	}
	for reference := range in.CustomFields {
		if key == "cf_"+reference {
			return true
		}
	}
	return false
}
