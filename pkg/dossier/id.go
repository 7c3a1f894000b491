package dossier

import "strings"

// The prefixes of ids. An id is a prefix and one or more ULIDs; ids that stand alone in a path
// start with the candidate's ULID, so that the item is found without a lookup.
const (
	PrefixCompany               = "com_"
	PrefixGroup                 = "grp_"
	PrefixCandidate             = "cnd_"
	PrefixCandidateDocumentType = "cdt_"
	PrefixDocumentType          = "dty_"
	PrefixDocument              = "doc_"
	PrefixRuleRun               = "run_"
	PrefixEvent                 = "evt_"
	PrefixDelivery              = "log_"
	PrefixUpload                = "upl_"
	PrefixMessage               = "msg_"
	PrefixKey                   = "key_"
	PrefixToken                 = "tok_"
	PrefixScenario              = "scn_"
	PrefixForm                  = "frm_"
	PrefixPreset                = "pre_"
	PrefixRegistrationPage      = "rpg_"
	PrefixIntegration           = "int_"
	PrefixCustomField           = "cfd_"
	PrefixRule                  = "rul_"
	PrefixParserCall            = "pcl_"
	PrefixSignInProvider        = "sip_"
)

// ULIDLen is the length of a ULID as text.
const ULIDLen = 26

// kinds maps the prefixes of ids to what has the id, as clients are told.
var kinds = map[string]string{
	PrefixCompany: "company", PrefixGroup: "group", PrefixCandidate: "candidate",
	PrefixCandidateDocumentType: "candidate document type", PrefixDocumentType: "document type",
	PrefixDocument: "document", PrefixRuleRun: "rule run", PrefixEvent: "event",
	PrefixDelivery: "log entry", PrefixUpload: "upload", PrefixMessage: "message",
	PrefixKey: "key", PrefixToken: "token", PrefixScenario: "scenario", PrefixForm: "form",
	PrefixPreset:           "preset",
	PrefixRegistrationPage: "registration page", PrefixIntegration: "integration",
	PrefixCustomField: "custom field", PrefixRule: "rule",
	PrefixParserCall: "parser call", PrefixSignInProvider: "sign-in provider",
}

// KindOf returns what a text of the form of an id is the id of, such as "document type"; "" if it
// has no such form. It says nothing about whether the thing exists.
func KindOf(id string) string {
	prefix, rest, _ := strings.Cut(id, "_")
	if rest == "" || len(rest)%ULIDLen != 0 {
		return ""
	}
	if _, ok := ParseID(prefix+"_", id, len(rest)/ULIDLen); !ok {
		return ""
	}
	return kinds[prefix+"_"]
}

// ParseID returns the ULIDs of an id with this prefix, one after the other; ok is false for
// everything that is not a prefix and n ULIDs in their canonical form.
func ParseID(prefix, id string, n int) (ulids string, ok bool) {
	ulids, ok = strings.CutPrefix(id, prefix)
	if !ok || len(ulids) != n*ULIDLen {
		return "", false
	}
	for at := 0; at < len(ulids); at += ULIDLen {
		if !isULID(ulids[at : at+ULIDLen]) {
			return "", false
		}
	}
	return ulids, true
}

// isULID reports whether a text of ULIDLen is a ULID: Crockford's base 32 in upper case, 128 bits.
func isULID(text string) bool {
	return text[0] <= '7' && strings.Trim(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ""
}

// CandidateID is the id of a candidate. It is made by a conversion only from what the store made.
type CandidateID string

// ParseCandidateID checks the form of an id.
func ParseCandidateID(id string) (CandidateID, bool) {
	_, ok := ParseID(PrefixCandidate, id, 1)
	return CandidateID(id), ok
}

// NewCandidateID returns the id of the candidate with a ULID.
func NewCandidateID(ulid string) CandidateID { return CandidateID(PrefixCandidate + ulid) }

// ULID returns the id without its prefix.
func (id CandidateID) ULID() string { return string(id[len(PrefixCandidate):]) }

// DocumentType returns the id of the candidate's request of a document type.
func (id CandidateID) DocumentType(dt DocumentTypeID) CandidateDocumentTypeID {
	return CandidateDocumentTypeID(PrefixCandidateDocumentType + id.ULID() + dt.ULID())
}

// RuleRun returns the id of the rule run for a document: derived, since a document has one.
func (id CandidateID) RuleRun(document string) string {
	return PrefixRuleRun + id.ULID() + document[len(PrefixDocument):]
}

// DocumentTypeID is the id of a document type.
type DocumentTypeID string

// ParseDocumentTypeID checks the form of an id.
func ParseDocumentTypeID(id string) (DocumentTypeID, bool) {
	_, ok := ParseID(PrefixDocumentType, id, 1)
	return DocumentTypeID(id), ok
}

// NewDocumentTypeID returns the id of the document type with a ULID.
func NewDocumentTypeID(ulid string) DocumentTypeID {
	return DocumentTypeID(PrefixDocumentType + ulid)
}

// ULID returns the id without its prefix.
func (id DocumentTypeID) ULID() string { return string(id[len(PrefixDocumentType):]) }

// CandidateDocumentTypeID is the id of a request of a document type to a candidate: it holds both.
type CandidateDocumentTypeID string

// ParseCandidateDocumentTypeID checks the form of an id.
func ParseCandidateDocumentTypeID(id string) (CandidateDocumentTypeID, bool) {
	_, ok := ParseID(PrefixCandidateDocumentType, id, 2)
	return CandidateDocumentTypeID(id), ok
}

// Candidate returns the candidate who is asked.
func (id CandidateDocumentTypeID) Candidate() CandidateID {
	return NewCandidateID(string(id[len(PrefixCandidateDocumentType):][:ULIDLen]))
}

// DocumentType returns the document type that is asked for.
func (id CandidateDocumentTypeID) DocumentType() DocumentTypeID {
	return NewDocumentTypeID(string(id[len(PrefixCandidateDocumentType)+ULIDLen:]))
}
