package dossier

// DocumentType is a kind of document a company asks for, how it is checked, and what follows.
type DocumentType struct {
	ID            string      `json:"id"`
	Name          string      `json:"name"`
	Description   string      `json:"description,omitzero"`
	Pass          bool        `json:"pass"`          // its outcome is the candidate's pass verification
	RequiredParts []string    `json:"requiredParts"` // names of parts without which a document is not complete
	Check         Check       `json:"check"`
	WriteBack     []WriteBack `json:"writeBack"`
	SharedWith    []string    `json:"sharedWith"` // ids of companies of the group
	Owner         Owner       `json:"owner"`
	Submission    Submission  `json:"submission"`
	Warnings      []Warning   `json:"warnings"`
	CreatedAt     Time        `json:"createdAt"`
	UpdatedAt     Time        `json:"updatedAt"`
}

// Owner names the company that made a document type and alone may change it.
type Owner struct {
	CompanyID string `json:"companyId"`
}

// Check says how the parts of a document are read and what a passed check means.
type Check struct {
	Parser          string       `json:"parser"`   // one of the Parser constants
	Decision        string       `json:"decision"` // DecisionAutomatic or DecisionManual
	Fields          []CheckField `json:"fields"`   // for ParserPDF
	Required        []string     `json:"required"` // references that must not stay empty
	ExpiryReference string       `json:"expiryReference,omitzero"`
	HTTP            *HTTPParser  `json:"http,omitzero"`
}

// The parsers of a check.
const (
	ParserPDF  = "pdf"
	ParserMRZ  = "mrz"
	ParserJSON = "json"
	ParserHTTP = "http"
	ParserNone = "none"
)

// What a passed check means: the document is validated, or an administrator looks at it.
const (
	DecisionAutomatic = "automatic"
	DecisionManual    = "manual"
)

// CheckField is a value that the pdf parser looks for: a form field of that name, or the text beside that label.
type CheckField struct {
	Reference string `json:"reference"` // dotted
	Label     string `json:"label"`
	Type      string `json:"type"` // FieldText, FieldNumber or FieldDate
}

// The types of fields, of forms and of custom fields; a check field is text, number or date.
const (
	FieldText    = "text"
	FieldNumber  = "number"
	FieldDate    = "date"
	FieldBoolean = "boolean"
	FieldList    = "list"
)

// HTTPParser is a parser service of the company's own. Secret (`whsec_…`) signs what is sent to it and is shown once.
type HTTPParser struct {
	URL    string `json:"url"`
	Secret string `json:"secret,omitzero"`
}

// WriteBack copies a parsed value onto the candidate when the document is validated.
type WriteBack struct {
	From string `json:"from"` // a parser reference, dotted
	To   string `json:"to"`   // a candidate key, cf_<reference> or dcf_<reference>
}

// CandidateDocumentType is one request of a document type to one candidate. The lock is a field of it.
type CandidateDocumentType struct {
	ID           string         `json:"id"`
	CandidateID  string         `json:"candidateId"`
	DocumentType DocumentType   `json:"documentType"`
	State        string         `json:"state"` // one of the State constants
	Required     bool           `json:"required"`
	DueAt        Time           `json:"dueAt,omitzero"`
	Metadata     map[string]any `json:"metadata"`
	CustomFields map[string]any `json:"customFields"`
	Lock         *Lock          `json:"lock"`     // set exactly while State is processing
	Document     *Document      `json:"document"` // the newest
	CreatedAt    Time           `json:"createdAt"`
	UpdatedAt    Time           `json:"updatedAt"`
}

// Lock tells since when the parts are frozen, and when the freeze ends by itself should the checker die.
type Lock struct {
	StartedAt Time `json:"startedAt"`
	ExpiresAt Time `json:"expiresAt"`
}

// Document is one upload to a candidate document type and what the check made of it.
type Document struct {
	ID         string         `json:"id"`
	Version    int64          `json:"version"` // counts the uploads to the candidate document type, from 1
	State      string         `json:"state"`   // one of the State constants
	Parts      []Part         `json:"parts"`
	Parsed     map[string]any `json:"parsed"` // nested by the dots of the references
	Confidence float64        `json:"confidence,omitzero"`
	Reasons    []Reason       `json:"reasons"`
	CheckedAt  Time           `json:"checkedAt,omitzero"`
	CreatedAt  Time           `json:"createdAt"`
}

// Part is one file of a document: front, back, a page.
type Part struct {
	Name        string `json:"name"`
	FileName    string `json:"fileName,omitzero"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`   // bytes
	SHA256      string `json:"sha256"` // lower-case hexadecimal
}

// Reason says why a document did not pass.
type Reason struct {
	Code      string `json:"code"` // one of the Reason… codes, or a word of an http parser
	Reference string `json:"reference,omitzero"`
	Message   string `json:"message"`
}

// The reasons built in.
const (
	ReasonUnreadablePart   = "UNREADABLE_PART"      // the file can't be read as what it says it is
	ReasonNoText           = "NO_TEXT_IN_PART"      // an image, and the parser reads text only
	ReasonMissingValue     = "MISSING_VALUE"        // a required reference stayed empty
	ReasonMissingPart      = "MISSING_PART"         // a required part is not there
	ReasonCheckDigit       = "CHECK_DIGIT_FAILED"   // of a machine readable zone
	ReasonNoMRZ            = "NO_MRZ_FOUND"         // no machine readable zone in the text
	ReasonExpired          = "DOCUMENT_EXPIRED"     // the date of expiry has passed
	ReasonInvalidDate      = "INVALID_DATE"         // a date field does not hold a date
	ReasonInvalidNumber    = "INVALID_NUMBER"       // a number field does not hold a number
	ReasonCheckUnavailable = "CHECK_UNAVAILABLE"    // the check failed technically three times
	ReasonRejectedByHand   = "REJECTED_BY_REVIEWER" // an administrator rejected it
)
