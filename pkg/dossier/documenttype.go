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

// DocumentTypeInput is the body that creates or changes a document type.
type DocumentTypeInput struct {
	Name          string      `json:"name"`
	Description   string      `json:"description,omitzero"`
	Pass          bool        `json:"pass"`
	RequiredParts []string    `json:"requiredParts"`
	Check         CheckInput  `json:"check"`
	WriteBack     []WriteBack `json:"writeBack"`
	SharedWith    []string    `json:"sharedWith"`
	Submission    Submission  `json:"submission"`
}

// CheckInput is the check of a DocumentTypeInput. The parser defaults to none, the decision to manual.
type CheckInput struct {
	Parser          *string          `json:"parser"`
	Decision        *string          `json:"decision"`
	Fields          []CheckField     `json:"fields"`
	Required        []string         `json:"required"`
	ExpiryReference *string          `json:"expiryReference"`
	HTTP            *HTTPParserInput `json:"http"`
}

// HTTPParserInput is the address of a company's own parser service.
type HTTPParserInput struct {
	URL string `json:"url"`
}
