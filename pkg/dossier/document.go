package dossier

// Document is one upload to a candidate document type and what the check made of it.
type Document struct {
	ID string `json:"id"`
	// counts the uploads to the candidate document type, from 1
	Version    int64          `json:"version"`
	State      string         `json:"state"` // one of the State constants
	Parts      []Part         `json:"parts"`
	Parsed     map[string]any `json:"parsed"` // nested by the dots of the references
	Confidence float64        `json:"confidence,omitzero"`
	Reasons    []Reason       `json:"reasons"`
	CheckedAt  Time           `json:"checkedAt,omitzero"`
	CreatedAt  Time           `json:"createdAt"`

	// what parsers read from text, kept from candidates; absent in documents of earlier versions
	Readings []Reading `json:"readings,omitempty"`

	// Corrections, DecidedBy and Comment are kept from candidates. Where the check decided, there
	// is no DecidedBy.
	Corrections []Correction `json:"corrections,omitempty"`
	// who validated or rejected it last, by hand
	DecidedBy *Actor `json:"decidedBy,omitzero"`
	DecidedAt Time   `json:"decidedAt,omitzero"`
	Comment   string `json:"comment,omitzero"` // of whoever validated it, for colleagues
}

// Correction is a value that a reviewer entered, changed or took away. Parsed has the value as it
// is now.
type Correction struct {
	Reference string `json:"reference"`
	Read      any    `json:"read,omitzero"`  // what the check read; absent: nothing
	Value     any    `json:"value,omitzero"` // absent: it was taken away
	ChangedBy Actor  `json:"changedBy"`
	ChangedAt Time   `json:"changedAt"`
}

// ValidationInput is the body that validates a document by hand. Parsed has the values that are
// entered or corrected, nested by the dots of the references; null takes a value away.
type ValidationInput struct {
	Parsed  map[string]any `json:"parsed,omitzero"`
	Comment string         `json:"comment,omitzero"`
}

// Decision is a decision on a document: the resulting state, the author and the time.
type Decision struct {
	State     string `json:"state"`
	DecidedBy Actor  `json:"decidedBy"`
	DecidedAt Time   `json:"decidedAt"`
}

// Part is one file of a document: front, back, a page.
type Part struct {
	Name        string `json:"name"`
	FileName    string `json:"fileName,omitzero"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`   // bytes
	SHA256      string `json:"sha256"` // lower-case hexadecimal
}

// Reason is a reason for which a document did not pass.
type Reason struct {
	Code      string `json:"code"` // one of the Reason… codes, or a word of an http parser
	Reference string `json:"reference,omitzero"`
	Message   string `json:"message"`
}

// The reasons built in.
const (
	ReasonUnreadablePart   = "UNREADABLE_PART"    // the file can't be read as what it says it is
	ReasonNoText           = "NO_TEXT_IN_PART"    // an image, and the parser reads text only
	ReasonLowConfidence    = "LOW_CONFIDENCE"     // a value in a picture is not certain
	ReasonMissingValue     = "MISSING_VALUE"      // a required reference stayed empty
	ReasonMissingPart      = "MISSING_PART"       // a required part is not there
	ReasonCheckDigit       = "CHECK_DIGIT_FAILED" // of a machine readable zone
	ReasonNoMRZ            = "NO_MRZ_FOUND"       // no machine readable zone in the text
	ReasonExpired          = "DOCUMENT_EXPIRED"   // the date of expiry has passed
	ReasonInvalidDate      = "INVALID_DATE"       // a date field does not hold a date
	ReasonInvalidNumber    = "INVALID_NUMBER"     // a number field does not hold a number
	ReasonCheckUnavailable = "CHECK_UNAVAILABLE"  // the check failed technically for an hour
	ReasonCheckCause       = "CHECK_CAUSE"        // why, for administrators only
	// another company's parser service was not asked, whose host is not confirmed: for
	// administrators only
	ReasonParserNotConfirmed = "PARSER_NOT_CONFIRMED"
	ReasonRejectedByHand     = "REJECTED_BY_REVIEWER" // an administrator rejected it
)

// Internal reports whether a reason is for administrators only.
func (r Reason) Internal() bool {
	return r.Code == ReasonCheckCause || r.Code == ReasonParserNotConfirmed
}

// Validate records a comment that is too long. The values are checked against the document type.
func (in ValidationInput) Validate(p *Problems) { p.OptionalText("/comment", in.Comment, MaxText) }
