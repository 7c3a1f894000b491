package dossier

// Candidate is a person whose dossier is kept.
type Candidate struct {
	ID string `json:"id"`
	// the company's own id, unique in it
	ExternalID       string            `json:"externalId,omitzero"`
	FirstName        string            `json:"firstName,omitzero"`
	LastName         string            `json:"lastName,omitzero"`
	Email            string            `json:"email,omitzero"`
	Phone            string            `json:"phone,omitzero"`
	BirthDate        string            `json:"birthDate,omitzero"` // YYYY-MM-DD
	Nationality      string            `json:"nationality,omitzero"`
	Language         string            `json:"language,omitzero"`
	CustomFields     map[string]any    `json:"customFields"` // by reference
	Status           string            `json:"status"`       // one of the Status constants
	StatusReason     string            `json:"statusReason,omitzero"`
	PassVerification *PassVerification `json:"passVerification,omitzero"`
	Forms            []CandidateForm   `json:"forms"`
	PresetIDs        []string          `json:"presetIds"` // applied so far
	CreatedAt        Time              `json:"createdAt"`
	UpdatedAt        Time              `json:"updatedAt"`
}

// The statuses of a candidate.
const (
	StatusCollecting = "collecting" // something that is required is missing
	StatusInReview   = "inReview"   // all is there, not all is decided
	StatusApproved   = "approved"   // all that is required is validated
	StatusRejected   = "rejected"   // an administrator rejected the candidate
)

// Statuses lists them in the order of a candidate's way.
var Statuses = []string{StatusCollecting, StatusInReview, StatusApproved, StatusRejected}

// PassVerification is the outcome for the candidate's pass.
type PassVerification struct {
	Status string `json:"status"` // one of the Pass constants
	At     Time   `json:"at"`
	Reason string `json:"reason,omitzero"`
}

// The outcomes of a pass verification.
const (
	PassPending  = "pending"
	PassVerified = "verified"
	PassFailed   = "failed"
)

// CandidateForm is a form that the candidate is asked to fill in.
type CandidateForm struct {
	FormID  string         `json:"formId"`
	Name    string         `json:"name"`
	State   string         `json:"state"`   // FormOpen or FormSubmitted
	Answers map[string]any `json:"answers"` // by reference
}

// CandidateFormDetail is a form that the candidate is asked to fill in, with its questions. A form
// that was deleted since has none left.
type CandidateFormDetail struct {
	CandidateForm
	Fields []FormField `json:"fields"`
}

// The states of a candidate's form.
const (
	FormOpen      = "open"
	FormSubmitted = "submitted"
)

// TextKeys are the candidate's text and date fields that rules read and write-back and presets set,
// by JSON name.
var TextKeys = []string{"externalId", "firstName", "lastName", "email", "phone", "birthDate",
	"nationality", "language"}

// Text returns the text field of that JSON name, nil where there is none.
func (c *Candidate) Text(key string) *string {
	switch key {
	case "externalId":
		return &c.ExternalID
	case "firstName":
		return &c.FirstName
	case "lastName":
		return &c.LastName
	case "email":
		return &c.Email
	case "phone":
		return &c.Phone
	case "birthDate":
		return &c.BirthDate
	case "nationality":
		return &c.Nationality
	case "language":
		return &c.Language
	}
	return nil
}

// Form returns the candidate's form of that id, nil where it has none.
func (c *Candidate) Form(id string) *CandidateForm {
	for i := range c.Forms {
		if c.Forms[i].FormID == id {
			return &c.Forms[i]
		}
	}
	return nil
}

// PassStatuses lists the outcomes of a pass verification.
var PassStatuses = []string{PassPending, PassVerified, PassFailed}
