package dossier

// CandidateDocumentType is one request of a document type to one candidate. The lock is a field of
// it.
type CandidateDocumentType struct {
	ID           string         `json:"id"`
	CandidateID  string         `json:"candidateId"`
	Candidate    *CandidateName `json:"candidate,omitzero"` // in lists that ask for it
	DocumentType DocumentType   `json:"documentType"`
	// one of the State constants: that of Document
	State    string `json:"state"`
	Required bool   `json:"required"`
	DueAt    Time   `json:"dueAt,omitzero"`
	// the last day on which the validated document is valid; "" if it does not expire
	ExpiresAt    string         `json:"expiresAt,omitzero"`
	Metadata     map[string]any `json:"metadata"`
	CustomFields map[string]any `json:"customFields"`
	// names of required parts that the candidate has yet to upload
	MissingParts []string `json:"missingParts"`
	// set exactly while a document is being checked
	Lock *Lock `json:"lock"`
	// the one in force: the newest, unless Replacement is
	Document *Document `json:"document"`
	// the newest document beside a validated one that stays in force until this is validated too
	Replacement *Replacement `json:"replacement,omitzero"`
	CreatedAt   Time         `json:"createdAt"`
	UpdatedAt   Time         `json:"updatedAt"`
}

// Replacement is a newer document of a candidate document type, beside a validated one in force.
type Replacement struct {
	DocumentID string    `json:"documentId"`
	State      string    `json:"state"` // one of the State constants
	Since      Time      `json:"since"` // start of the state
	Document   *Document `json:"document"`
}

// Newest returns the candidate document type as its newest document has it, also where a validated
// one is in force beside it.
func (c CandidateDocumentType) Newest() CandidateDocumentType {
	if newer := c.Replacement; newer != nil {
		c.State, c.Document, c.ExpiresAt, c.Replacement = newer.State, newer.Document, "", nil
	}
	return c
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
