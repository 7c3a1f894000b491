package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// badPlaceholders are refused with the pointer and a message.
var badPlaceholders = []struct{ name, event, more, note, pointer, message string }{
	{"ErrUnknown", "candidateDocumentRejected", "", `"subject":"s","text":"Dear {{salary}}"`,
		"/notification/text",
		"The text contains the unknown placeholder {{salary}}. The possible " +
			"placeholders are: {{firstName}}, {{documentType}}, {{reason}}, {{dueAt}}."},
	{"ErrNoValue", "candidateCreated", "", `"subject":"For {{ reason }}","text":"t"`,
		"/notification/subject", "The subject contains the placeholder {{reason}}, which has no " +
			"value in a reaction to candidateCreated. The possible placeholders are: {{firstName}}."},
	{"ErrInactive", "candidateCreated", `"active":false,`, `"subject":"s","text":"{{dueAt}} t"`,
		"/notification/text",
		"The text contains the placeholder {{dueAt}}, which has no value in a " +
			"reaction to candidateCreated or a rule. The possible placeholders are: " +
			"{{firstName}}, {{documentType}}."},
	{"ErrOpen", "candidateCreated", "", `"subject":"s","text":"Dear {{firstName}, hello"`,
		"/notification/text",
		"The text contains {{ without }} after it. The possible placeholders " +
			"are: {{firstName}}."},
	{"ErrOnly", "candidateCreated", "", `"subject":"{{firstName}}","text":" {{firstName}} "`,
		"/notification/text",
		"The text consists of placeholders only. It must contain words too, " +
			"because a value can be missing."},
}

func TestPlaceholderProblems(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	for _, c := range badPlaceholders {
		w := h.do(t, call{method: "POST", target: "/scenarios", body: fmt.Sprintf(
			`{"name":"S","eventName":%q,%s"notification":{%s}}`, c.event, c.more, c.note)})
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(),
			`"pointer":"`+c.pointer+`"`) || !strings.Contains(w.Body.String(), c.message) {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
}

// A rule has no value for {{reason}}: neither order of saving brings the two together.
func TestPlaceholdersOfRules(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	const note = `"notification":{"subject":"s","text":"About your {{documentType}}%s"}}`
	made := d.make("/scenarios",
		fmt.Sprintf(`{"name":"S","eventName":"candidateDocumentRejected",`+note, ": {{reason}}"))
	rule := `{"name":"T","submission":{"rules":[{"conditionsType":"and","actions":[{"type":"sendNotification","value":"` + made + `"}]}]}}`
	got := d.refuse("POST", "/documentTypes", rule, http.StatusUnprocessableEntity,
		dossier.CodeValidation)
	if len(got) != 1 || got[0] != "/submission/rules/0/actions/0/value" {
		t.Errorf("the rule is refused at %v", got)
	}
	d.ok("PATCH", "/scenarios/"+made, "{"+fmt.Sprintf(note, ""))
	d.make("/documentTypes", rule)
	got = d.refuse("PATCH", "/scenarios/"+made, "{"+fmt.Sprintf(note, ": {{reason}}"),
		http.StatusUnprocessableEntity, dossier.CodeValidation)
	if len(got) != 1 || got[0] != "/notification/text" {
		t.Errorf("the notification is refused at %v", got)
	}
}

// notices returns the subjects and texts of a candidate's messages.
func (h *testAPI) notices(t *testing.T, candidate string) (list []dossier.Notification) {
	t.Helper()
	for _, m := range ok[[]dossier.Message](t, h, "GET", "/candidates/"+candidate+"/messages", "") {
		list = append(list, dossier.Notification{Subject: m.Subject, Text: m.Text})
	}
	return list
}

// Values are plain text: what looks like a placeholder in one stays. A request without a date
// leaves nothing in its place.
func TestPlaceholdersOfRequests(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.make(t, "candidateDocumentRequested", "{{documentType}}",
		"Dear {{firstName}}, send us {{documentType}} by {{ dueAt }}.")
	card := h.documentType(t, "Card {{firstName}}", "")
	long := strings.Repeat("é", dossier.MaxName)
	for name, more := range map[string]string{
		"<b>{{dueAt}}": `,"dueAt":"2030-11-30T18:00:00+01:00"`,
		"":             "", long: "",
	} {
		candidate := ok[dossier.Candidate](t, h, "POST", "/candidates", "{}").ID
		if name != "" {
			ok[dossier.Candidate](t, h, "PATCH", "/candidates/"+candidate,
				fmt.Sprintf(`{"firstName":%q}`, name))
		}
		ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes", fmt.Sprintf(
			`{"candidateId":%q,"documentTypeId":%q%s}`, candidate, card, more))
		h.dispatchAndReact(t)
		want := map[string]string{
			"":   "Dear, send us Card {{firstName}} by.",
			long: "Dear " + long + ", send us Card {{firstName}} by.",
			"<b>{{dueAt}}": "Dear <b>{{dueAt}}, send us Card {{firstName}} by " +
				"2030-11-30 17:00 UTC.",
		}[name]
		got := h.notices(t, candidate)
		if len(got) != 1 || got[0].Text != want || got[0].Subject != "Card {{firstName}}" {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// make creates a scenario with a notification.
func (h *testAPI) make(t *testing.T, event, subject, text string) string {
	t.Helper()
	return ok[dossier.Scenario](t, h, "POST", "/scenarios", fmt.Sprintf(
		`{"name":"S","eventName":%q,"notification":{"subject":%q,"text":%q}}`, event, subject,
		text)).ID
}

// With its values a subject and a text keep to their limits.
func TestPlaceholdersTooLong(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.make(t, "candidateUpdated", "Dear {{firstName}}",
		strings.Repeat("x", dossier.MaxText-13)+"{{firstName}}")
	candidate := h.candidate(t)
	long := strings.Repeat("é", dossier.MaxName)
	ok[dossier.Candidate](t, h, "PATCH", "/candidates/"+candidate,
		fmt.Sprintf(`{"firstName":%q}`, long))
	h.dispatchAndReact(t)
	got := h.notices(t, candidate)
	if len(got) != 1 || got[0].Subject != "Dear "+long[:2*(dossier.MaxName-6)]+"…" ||
		got[0].Text != strings.Repeat("x", dossier.MaxText-13)+strings.Repeat("é", 12)+"…" {
		t.Errorf("sent %q", got)
	}
}

// The reasons are those that the candidate may read, and the name is that of the document type
// whose rules send the notification.
func TestPlaceholdersOfDecisions(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.make(t, "candidateDocumentRejected", "s",
		"{{firstName}}, we rejected {{documentType}}: {{reason}}")
	note := ok[dossier.Scenario](t, h, "POST", "/scenarios",
		`{"name":"N","active":false,"eventName":"candidateCreated",
		"notification":{"subject":"s","text":"{{documentType}} is fine, {{firstName}}."}}`).ID
	candidate, request := h.candidateWithRequest(t, `,"submission":{"rules":[{
		"conditionsType":"and","actions":[{"type":"sendNotification","value":"`+note+`"}]}]}`)
	at := "/candidateDocumentTypes/" + request
	ok[dossier.CandidateDocumentType](t, h, "POST", at+"/upload", parts("front", pdf))
	h.finishChecks(t, store.CheckResult{State: dossier.StateInReview, Reasons: []dossier.Reason{
		{Code: dossier.ReasonCheckCause, Message: "internal"}}})
	ok[dossier.CandidateDocumentType](t, h, "POST", at+"/reject",
		`{"reason":"It is {{dueAt}} & blurred.","resubmit":true}`)
	h.dispatchAndReact(t)
	ok[dossier.CandidateDocumentType](t, h, "POST", at+"/upload", parts("front", pdf))
	h.finishChecks(t, store.CheckResult{State: dossier.StateValidated})
	want := []string{"Ada, we rejected Permit: It is {{dueAt}} & blurred.",
		"Permit is fine, Ada."}
	var got []string
	for _, n := range h.notices(t, candidate) {
		got = append(got, n.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}
