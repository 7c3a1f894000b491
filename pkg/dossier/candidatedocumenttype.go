package dossier

// CandidateDocumentType is one request of a document type to one candidate. The lock is a field of
// it.
type CandidateDocumentType struct {
	ID           string         `json:"id"`
	CandidateID  string         `json:"candidateId"`
	Candidate    *CandidateName `json:"candidate,omitzero"` // in lists that ask for it
	DocumentType DocumentType   `json:"documentType"`
	State        string         `json:"state"` // one of the State constants
	Required     bool           `json:"required"`
	DueAt        Time           `json:"dueAt,omitzero"`
	// the last day on which the validated document is valid; "" if it does not expire
	ExpiresAt    string         `json:"expiresAt,omitzero"`
	Metadata     map[string]any `json:"metadata"`
	CustomFields map[string]any `json:"customFields"`
	// names of required parts that the candidate has yet to upload
	MissingParts []string  `json:"missingParts"`
	Lock         *Lock     `json:"lock"`     // set exactly while State is processing
	Document     *Document `json:"document"` // the newest
	CreatedAt    Time      `json:"createdAt"`
	UpdatedAt    Time      `json:"updatedAt"`
}

// MetadataCandidate is the member of metadata that the candidate may see. The rest is internal.
const MetadataCandidate = "candidate"

// WithoutInternals returns what may leave the company: the document type without internals, and of
// the metadata what is the candidate's.
func (c CandidateDocumentType) WithoutInternals() CandidateDocumentType {
	c.DocumentType = c.DocumentType.WithoutInternals()
	theirs, ok := c.Metadata[MetadataCandidate]
	c.Metadata = map[string]any{}
	if ok {
		c.Metadata[MetadataCandidate] = theirs
	}
	return c
}

// Lock holds the time since which the parts are frozen, and the time at which the freeze ends by
// itself should the checker die.
type Lock struct {
	StartedAt Time `json:"startedAt"`
	ExpiresAt Time `json:"expiresAt"`
}

// CandidateDocumentTypeInput is the body that asks a candidate for a document type.
type CandidateDocumentTypeInput struct {
	CandidateID    string         `json:"candidateId"`
	DocumentTypeID string         `json:"documentTypeId"`
	Required       *bool          `json:"required"` // true by default
	DueAt          *Time          `json:"dueAt"`
	Metadata       map[string]any `json:"metadata"`
	CustomFields   map[string]any `json:"customFields"`
}

// Validate records what is wrong with the input by itself. size is that of the metadata as JSON.
func (in CandidateDocumentTypeInput) Validate(p *Problems, size int) {
	p.ID("/candidateId", in.CandidateID)
	p.ID("/documentTypeId", in.DocumentTypeID)
	p.metadata(size)
}

// CandidateDocumentTypeChange is the body that changes what a candidate is asked for.
type CandidateDocumentTypeChange struct {
	Required     bool           `json:"required"`
	DueAt        *Time          `json:"dueAt,omitzero"`
	Metadata     map[string]any `json:"metadata"`
	CustomFields map[string]any `json:"customFields"`
}

// Validate records what is wrong with the metadata. size is theirs as JSON.
func (CandidateDocumentTypeChange) Validate(p *Problems, size int) { p.metadata(size) }

func (p *Problems) metadata(size int) {
	if size > MaxMetadata {
		p.Say("/metadata", ProblemTooLong, "has more than %d bytes as JSON", MaxMetadata)
	}
}
