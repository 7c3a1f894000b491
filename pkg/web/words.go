package web

import (
	"cmp"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// badge is a state in a word and a tone.
type badge struct{ Word, Tone string }

// badges are the states as people read them: of document requests, candidates, deliveries and
// integrations.
var badges = map[string]badge{
	"requested":         {"Asked for", "wait"},
	"uploaded":          {"Parts missing", "warn"},
	"processing":        {"Being read", "wait"},
	"inReview":          {"In review", "warn"},
	"validated":         {"Validated", "ok"},
	"needsResubmission": {"Asked again", "warn"},
	"rejected":          {"Rejected", "bad"},
	"checkFailed":       {"Check failed", "bad"},
	"expired":           {"Expired", "bad"},
	"removed":           {"Not asked for any more", "wait"},
	"collecting":        {"Collecting", "wait"},
	"approved":          {"Approved", "ok"},
	"pending":           {"Waiting", "wait"},
	"verified":          {"Verified", "ok"},
	"failed":            {"Failed", "bad"},
	"delivered":         {"Delivered", "ok"},
	"held":              {"Held", "warn"},
	"skipped":           {"Skipped", "wait"},
	"active":            {"Active", "ok"},
	"disabled":          {"Disabled", "bad"},
	"open":              {"Open", "wait"},
	"submitted":         {"Submitted", "ok"},
	"unread":            {"Unread", "wait"},
	"read":              {"Read", "ok"},
}

// badgeOf returns the badge of a state; an unknown one is shown as it is.
func badgeOf(state string) badge {
	if b, ok := badges[state]; ok {
		return b
	}
	return badge{state, "wait"}
}

// wordList are the API's words as people read them. Those of operators and parsers are in their
// tables in dossier.
var wordList = map[string]string{
	"externalId": "External id", "firstName": "First name", "lastName": "Last name",
	"email": "E-mail", "phone": "Phone",
	"birthDate": "Date of birth", "nationality": "Nationality", "language": "Language",
	"status":           "Status",
	"passVerification": "Pass verification", "documentTypes": "Document types asked for",
	"forms":   "Forms",
	"presets": "Presets applied", "presetIds": "Presets",

	"automatic": "A check without problems validates the document",
	"manual":    "A person decides every time",

	"text": "Text", "number": "Number", "date": "Date", "boolean": "Yes or no",
	"list":      "List of texts",
	"candidate": "Candidate", "document": "Document", "administrator": "Administrator",
	"integration": "Integration",
	"thin":        "Ids only", "full": "With the candidate and the document",

	"alreadyRequested": "the candidate was asked for it already",
	"notRequested":     "the candidate was not asked for it",
	"formNotPresent":   "the candidate did not have it",
	"alreadyApplied":   "it was done earlier in the same run",
	"targetDeleted":    "it has been deleted since", "beingChecked": "its parts were being checked",
	"limitReached":       "the candidate has as many as possible",
	"shadow":             "the rule is only recorded",
	"sharedDocumentType": "The document type is shared by another company, so its rules are not applied.",

	"byHand": "by hand", "gone": "the target answered that it is gone (410)",
	"failing": "nothing but failures for five days",

	"candidateRejected": "Candidate rejected", "candidatePassVerificationVerified": "Pass verified",
	"candidatePassVerificationFailed": "Pass verification failed",
	"candidateMessageSent":            "Message sent",
	"candidateCreated":                "Candidate created", "candidateUpdated": "Candidate changed",
	"candidateStatusChanged": "Status changed", "candidateApproved": "Candidate approved",
	"candidateDocumentRequested": "Document asked for",
	"candidateDocumentUploaded":  "Document uploaded",
	"candidateDocumentValidated": "Document validated",
	"candidateDocumentRejected":  "Document not accepted",
	"candidateImported":          "Imported from other records",
	"candidateDocumentExpired":   "Document expired", "candidateFormRemoved": "Form taken back",
	"candidatePresetApplied":       "Preset applied",
	"candidateDocumentExpiring":    "Document expires soon",
	"candidateDocumentOverdue":     "Document overdue",
	"candidateDocumentRemoved":     "Document not asked for any more",
	"candidateDocumentCheckFailed": "Check failed",
	"candidateFormSubmitted":       "Form filled in",

	"candidates:read": "Read candidates", "candidates:write": "Change candidates",
	"documents:read":  "Read documents",
	"documents:write": "Decide on documents", "messages:read": "Read messages",
	"messages:write": "Write messages",
	"settings:read":  "Read settings", "settings:write": "Change settings",
	"keys": "Manage keys and companies",
}

// word returns the words for one of the API's; one without is taken apart at its capitals.
func word(w string) string {
	if s := cmp.Or(wordList[w], dossier.OperatorNamed(w).Label,
		dossier.ParserNamed(w).Label); s != "" {
		return s
	}
	var b strings.Builder
	for i, c := range w {
		switch {
		case i == 0:
			b.WriteString(strings.ToUpper(string(c)))
		case c == '.' || c == '_':
			b.WriteByte(' ')
		case c >= 'A' && c <= 'Z':
			b.WriteString(" " + strings.ToLower(string(c)))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// doneWords are the sentences after something was done.
var doneWords = map[string]string{
	"signedOut": "You are signed out.", "saved": "Saved.", "deleted": "Deleted.",
	"sent":              "The message was sent.",
	"asked":             "The candidate is asked for it now.",
	"removed":           "The candidate is not asked for it any more.",
	"validated":         "The document is validated.",
	"validatedExpired":  "The document is validated. Its date has passed: it counts as expired.",
	"rejected":          "The document is rejected.",
	"again":             "The candidate is asked to upload it again.",
	"inForceRejected":   "The version that was in force is rejected. The newer one stays as it is.",
	"candidateRejected": "The candidate is rejected.", "reopened": "The candidate is open again.",
	"formAsked":    "The candidate is asked for the form now.",
	"formReopened": "The candidate can submit the form again.",
	"kept":         "The rule run is kept as a test.",
	"restored":     "The rules are restored. They are a new version.",
	"erased":       "The candidate is erased.",
	"passSaved":    "The pass verification is saved.", "replayed": "It is sent again.",
	"replayedRange": "They are sent again, the oldest first.",
	"enabled":       "The integration is enabled.",
	"disabled":      "The integration is disabled. New events are held.", "read": "Marked as read.",
	"parserConfirmed": "New documents go to that parser service.",
	"queueEmpty":      "That was the last document to review.",
}
