package httpapi

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func TestRequestDocument(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ok[dossier.CustomField](t, h, "POST", "/customFields",
		`{"entity":"document","reference":"copies","label":"Copies","type":"number"}`)
	candidate, dt := h.candidate(t), h.documentType(t, "A", `,"submission":{"rules":[]}`)
	at := call{method: "POST", target: "/candidateDocumentTypes"}
	ids := `"candidateId":"` + candidate + `","documentTypeId":"` + dt + `"`
	at.body = `{` + ids +
		`,"required":false,"dueAt":"2027-01-02T03:04:05.678+01:00","metadata":{"required":true,"note":{"a":[1]}},"customFields":{"copies":2}}`
	made, _ := okWith[dossier.CandidateDocumentType](t, h, at)
	if made.State != "requested" || made.Required ||
		made.DueAt.String() != "2027-01-02T02:04:05.678Z" || made.CustomFields["copies"] != 2.0 ||
		made.DocumentType.ID != dt || made.CandidateID != candidate ||
		made.Metadata["required"] != true {
		t.Errorf("OK: %+v", made)
	}
	if diff := cmp.Diff(made, ok[dossier.CandidateDocumentType](t, h, "GET",
		"/candidateDocumentTypes/"+made.ID, "")); diff != "" {
		t.Errorf("OK: read again (-made +read)\n%s", diff)
	}
	h.refused(t, at, dossier.CodeAlreadyRequested)
	for body, named := range map[string][]string{
		`{}`: {"/candidateId required", "/documentTypeId required"},
		`{"candidateId":"cnd_x","documentTypeId":"` + dt +
			`"}`: {"/candidateId unknown"},
		`{"candidateId":"` + candidate +
			`","documentTypeId":"x"}`: {"/documentTypeId unknown"},
		`{` + ids + `,"metadata":{"a":"` + strings.Repeat("x", 4096) +
			`"}}`: {"/metadata tooLong"},
		`{` + ids + `,"customFields":{"copies":"two","copy":1}}`: {
			"/customFields/copies wrongType", "/customFields/copy unknown",
		},
		`{` + ids + `,"dueAt":"tomorrow"}`: {
			"/dueAt wrongType",
		},
		`{` + ids + `,"dueAt":"9999-12-31T23:59:59-01:00"}`: {
			"/dueAt wrongType",
		},
		`{` + ids + `,"state":"validated","lock":null,"id":"x","createdAt":"x"}`: {
			"/createdAt readOnly", "/id readOnly", "/lock readOnly", "/state readOnly",
		},
	} {
		h.refused(t, call{method: "POST", target: "/candidateDocumentTypes", body: body},
			dossier.CodeValidation, named...)
	}
}

func TestListRequests(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	a, b := h.documentType(t, "A", ""), h.documentType(t, "B", "")
	one, two := h.candidate(t, a, b), h.candidate(t, a)
	uploaded := h.requests(t, two)[0].ID
	ok[dossier.CandidateDocumentType](t, h, "POST", "/containers/"+uploaded+"/upload",
		parts("a", pdf))
	for query, want := range map[string]int{
		"":                            3,
		"?filter[candidateId]=" + one: 2,
		"?filter[candidateId]=cnd_x":  0,
		"?filter[state][]=processing": 1,
		"?page[size]=2":               2,
		"?filter%5Bstate%5D%5B%5D=inReview&filter[state][]=requested":        2,
		"?filter[state][]=processing&filter[candidateId]=" + one:             0,
		"?filter[state][]=processing&filter[candidateId]=" + two:             1,
		"?filter[state][]=requested&page[size]=1&filter[candidateId]=" + one: 1,
	} {
		list := ok[[]dossier.CandidateDocumentType](t, h, "GET",
			"/candidateDocumentTypes"+query, "")
		if len(list) != want {
			t.Errorf("%s: %d, not %d", query, len(list), want)
		}
		for _, r := range list {
			if r.DocumentType.Name == "" {
				t.Errorf("%s: %s without its document type", query, r.ID)
			}
		}
	}
	h.refused(t, call{method: "GET",
		target: "/candidateDocumentTypes?filter[state][]=request&filter[status]=x"},
		dossier.CodeValidation, "?filter[status] unknown")
	h.refused(t, call{method: "GET", target: "/candidateDocumentTypes?filter[state][]=request"},
		dossier.CodeValidation, "?filter[state][] unknown")
}

const permitRules = `,"check":{"parser":"pdf","decision":"manual","fields":[{"reference":"permit.class","label":"Class","type":"text"}]},
	"writeBack":[{"from":"permit.class","to":"language"}],
	"submission":{"rules":[{"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"isEqual","value":["CE"]}],"actions":[]}]}`

func permit(state string) store.CheckResult {
	return store.CheckResult{State: state, Confidence: 1,
		Parsed: map[string]any{"permit": map[string]any{"class": "CE"}}}
}

func TestReviewDocument(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate, request := h.candidateWithRequest(t, permitRules)
	at := "/candidateDocumentTypes/" + request
	h.refused(t, call{method: "POST", target: at + "/validate"}, dossier.CodeTransition)
	h.refused(t, call{method: "POST", target: at + "/reject", body: `{"reason":"x"}`},
		dossier.CodeTransition)
	ok[dossier.CandidateDocumentType](t, h, "POST", at+"/upload", parts("a", pdf))
	h.refused(t, call{method: "POST", target: at + "/validate"}, dossier.CodeLocked)
	h.refused(t, call{method: "POST", target: at + "/reject", body: `{"reason":"x"}`},
		dossier.CodeLocked)
	h.finishChecks(t, permit(dossier.StateInReview))

	h.refused(t, call{method: "POST", target: at + "/reject", body: `{"resubmit":true}`},
		dossier.CodeValidation, "/reason required")
	again := ok[dossier.CandidateDocumentType](t, h, "POST", at+"/reject",
		`{"reason":"blurred","resubmit":true}`)
	if again.State != "needsResubmission" || again.Document.State != "needsResubmission" ||
		again.Document.Reasons[0].Message != "blurred" {
		t.Errorf("OK: %+v", again)
	}
	ok[dossier.CandidateDocumentType](t, h, "POST", at+"/upload", parts("a", pdf))
	h.finishChecks(t, permit(dossier.StateInReview))
	valid := ok[dossier.CandidateDocumentType](t, h, "POST", at+"/validate", "")
	if valid.State != "validated" || valid.Lock != nil || valid.Document.State != "validated" {
		t.Errorf("OK: %+v", valid)
	}
	// The rules' effects are readable as soon as the response is there.
	if c := ok[dossier.Candidate](t, h, "GET", "/candidates/"+candidate, ""); c.Language != "CE" ||
		c.Status != "approved" {
		t.Errorf("OK: %+v", c)
	}
	runs := ok[[]dossier.RuleRun](t, h, "GET", at+"/ruleRuns", "")
	if len(runs) != 1 || !runs[0].Applied || !runs[0].Rules[0].Matched ||
		runs[0].Rules[0].Conditions[0].Read != "CE" {
		t.Errorf("OK: %+v", runs)
	}
	h.refused(t, call{method: "POST", target: at + "/validate"}, dossier.CodeTransition)
	rejected := ok[dossier.CandidateDocumentType](t, h, "POST", at+"/reject", `{"reason":"forged"}`)
	if rejected.State != "rejected" {
		t.Errorf("OK: %+v", rejected)
	}
	h.checkVersions(t, at)
}

// checkVersions pages through the two versions of the document at an address.
func (h *testAPI) checkVersions(t *testing.T, at string) {
	t.Helper()
	list, w := okWith[[]dossier.Document](t, h,
		call{method: "GET", target: at + "/documents?page[size]=1"})
	if len(list) != 1 || list[0].Version != 2 || list[0].State != "rejected" ||
		w.Header().Get("Link") == "" {
		t.Errorf("OK: %+v, Link %q", list, w.Header().Get("Link"))
	}
	next := strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Link"), "<"), `>; rel="next"`)
	list, w = okWith[[]dossier.Document](t, h, call{method: "GET", target: next})
	if len(list) != 1 || list[0].Version != 1 || list[0].State != "needsResubmission" ||
		w.Header().Get("Link") != "" {
		t.Errorf("OK: %+v, Link %q", list, w.Header().Get("Link"))
	}
	for _, target := range []string{"/candidateDocumentTypes/cdt_x/documents",
		"/candidateDocumentTypes/cdt_x/ruleRuns", at + "/documents/doc_x/parts/a",
		at + "/documents/" + list[0].ID + "/parts/b"} {
		h.refused(t, call{method: "GET", target: target}, dossier.CodeNotFound)
	}
}

// Failing rules do not fail the validation: their job stays open and is retried.
func TestValidateWithoutRules(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, permitRules)
	at := "/candidateDocumentTypes/" + request
	ok[dossier.CandidateDocumentType](t, h, "POST", at+"/upload", parts("a", pdf))
	h.finishChecks(t, permit(dossier.StateInReview))
	h.cfg.Rules = broken{}
	if got := ok[dossier.CandidateDocumentType](t, h, "POST", at+"/validate", ""); got.State !=
		"processing" || got.Lock == nil {
		t.Errorf("OK: %+v", got)
	}
	if err := (ruleRunner{h.store}).Run(t.Context(), h.company.ID, "cnd_"+request[4:30]); err !=
		nil {
		t.Fatal(err)
	}
	if got := ok[dossier.CandidateDocumentType](t, h, "GET", at, ""); got.State != "validated" ||
		got.Lock != nil {
		t.Errorf("OK: %+v", got)
	}
}

// A candidate's token reads its own dossier, but neither parsed values nor rule runs.
func TestTokenReadsItsOwnDossier(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate, request := h.candidateWithRequest(t, permitRules)
	stranger, strange := h.candidateWithRequest(t, permitRules)
	token := h.token(t, candidate)
	own := func(method, target, body string) call {
		return call{method: method, target: target, body: body, key: token}
	}
	at, other := "/candidateDocumentTypes/"+request, "/candidateDocumentTypes/"+strange
	uploaded, _ := okWith[dossier.CandidateDocumentType](t, h,
		own("POST", at+"/upload", parts("a", pdf)))
	h.finishChecks(t, permit(dossier.StateInReview))
	for _, path := range []string{"/candidates/" + candidate,
		"/candidates/" + candidate + "/messages",
		at, "/candidateDocumentTypes?filter[candidateId]=" + candidate, at + "/documents",
		at + "/documents/" + uploaded.Document.ID + "/parts/a"} {
		w := h.do(t, own("GET", path, ""))
		if w.Code != 200 {
			t.Errorf("OK: GET %s: %d %s", path, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), `"class":"CE"`) {
			t.Errorf("GET %s tells what the check read: %s", path, w.Body)
		}
	}
	for _, c := range []call{own("GET", "/candidates/"+stranger, ""), own("GET", other, ""),
		own("POST", other+"/upload", parts("a", pdf)),
		own("POST", "/containers/"+strange+"/upload", parts("a", pdf)),
		own("GET", other+"/documents", ""), own("GET", "/candidates/"+stranger+"/messages", "")} {
		h.refused(t, c, dossier.CodeNotFound)
	}
	for _, c := range []call{own("GET", "/candidates", ""),
		own("GET", "/candidateDocumentTypes", ""),
		own("GET", "/candidateDocumentTypes?filter[candidateId]="+stranger, ""),
		own("GET", at+"/ruleRuns", ""), own("POST", at+"/validate", ""),
		own("POST", at+"/reject", `{"reason":"x"}`), own("PATCH", "/candidates/"+candidate, `{}`),
		own("DELETE", "/candidates/"+candidate, ""),
		own("GET", "/integrations/logs", "")} {
		h.refused(t, c, dossier.CodeForbidden)
	}
}

// broken is a rule runner whose storage is unavailable.
type broken struct{}

func (broken) Run(context.Context, string, string) error { return errors.New("away") }

// Errors always come in the order of the fields.
func TestOrderOfErrors(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	for range 20 {
		h.refused(t, call{method: "POST", target: "/candidateDocumentTypes", body: `{}`},
			dossier.CodeValidation, "/candidateId required", "/documentTypeId required")
	}
}

// A repeated validation gets its first response, with the rules' effects.
func TestValidateAgain(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate, request := h.candidateWithRequest(t, permitRules)
	validate := call{method: "POST", target: "/candidateDocumentTypes/" + request + "/validate",
		header: []string{"Idempotency-Key", "k"}}
	ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes/"+request+"/upload",
		parts("a", pdf))
	h.finishChecks(t, permit(dossier.StateInReview))
	first, w := okWith[dossier.CandidateDocumentType](t, h, validate)
	_, again := okWith[dossier.CandidateDocumentType](t, h, validate)
	if first.State != dossier.StateValidated || again.Body.String() != w.Body.String() {
		t.Errorf("first %s\nagain %s", w.Body, again.Body)
	}
	// It is erased with the candidate.
	ok[struct{}](t, h, "DELETE", "/candidates/"+candidate, "")
	h.refused(t, validate, dossier.CodeNotFound)
}
