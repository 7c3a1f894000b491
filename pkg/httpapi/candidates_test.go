package httpapi

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

func TestCreateCandidate(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ok[dossier.CustomField](t, h, "POST", "/customFields",
		`{"entity":"candidate","reference":"size","label":"Size","type":"number"}`)
	form := ok[dossier.Form](t, h, "POST", "/forms", `{"name":"F","fields":[]}`).ID
	a, b := h.documentType(t, "A", ""), h.documentType(t, "B", "")
	preset := ok[dossier.Preset](t, h, "POST", "/presets",
		`{"name":"P","set":{"language":"nl","cf_size":44},"documentTypeIds":["`+b+
			`"],"formIds":[]}`).ID

	body := `{"externalId":"x-1","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","phone":"1","birthDate":"1990-12-10",
		"nationality":"GBR","language":"en-GB","customFields":{"size":40},"documentTypeIds":["` +
		a + `"],"formIds":["` + form + `"],"presetId":"` + preset + `"}`
	made := ok[dossier.Candidate](t, h, "POST", "/candidates", body)
	want := dossier.Candidate{ID: made.ID, ExternalID: "x-1", FirstName: "Ada",
		LastName: "Lovelace", Email: "ada@example.com", Phone: "1",
		BirthDate: "1990-12-10", Nationality: "GBR", Language: "nl",
		CustomFields: map[string]any{"size": 44.0}, Status: "collecting",
		Forms: []dossier.CandidateForm{
			{FormID: form, Name: "F", State: "open", Answers: map[string]any{}},
		},
		PresetIDs: []string{preset}, CreatedAt: made.CreatedAt, UpdatedAt: made.UpdatedAt}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("OK: (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want, ok[dossier.Candidate](t, h, "GET", "/candidates/"+made.ID,
		"")); diff != "" {
		t.Errorf("OK: read again (-want +got)\n%s", diff)
	}
	if n := len(h.requests(t, made.ID)); n != 2 {
		t.Errorf("OK: requested %d document types", n)
	}
	h.refused(t, call{method: "POST", target: "/candidates", body: `{"externalId":"x-1"}`},
		dossier.CodeConflict)
}

// What is refused makes no candidate.
func TestCreateCandidateRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ok[dossier.CustomField](t, h, "POST", "/customFields",
		`{"entity":"candidate","reference":"size","label":"Size","type":"number"}`)
	form := ok[dossier.Form](t, h, "POST", "/forms", `{"name":"F","fields":[]}`).ID
	a := h.documentType(t, "A", "")
	long := strings.Repeat("é", 201)
	for name, c := range map[string]struct {
		body  string
		named []string
	}{
		"ErrTexts": {`{"externalId":"","firstName":"` + long +
			`","email":"ada@","birthDate":"1990-02-30","nationality":"nld","language":"e"}`,
			[]string{"/externalId tooShort", "/firstName tooLong", "/email malformed",
				"/birthDate malformed", "/nationality malformed", "/language malformed"}},
		"ErrCustomFields": {`{"customFields":{"size":"big","sise":1,"a/b~c":1}}`,
			[]string{"/customFields/a~1b~0c unknown", "/customFields/sise unknown",
				"/customFields/size wrongType"}},
		"ErrTwice": {`{"documentTypeIds":["` + a + `","` + a + `"],"formIds":["x","x"]}`,
			[]string{"/documentTypeIds/1 duplicate", "/formIds/1 duplicate"}},
		"ErrType": {`{"documentTypeIds":["` + a + `","` + form + `"]}`,
			[]string{"/documentTypeIds/1 unknown"}},
		"ErrForm":   {`{"formIds":["` + form + `","frm_x"]}`, []string{"/formIds/1 unknown"}},
		"ErrPreset": {`{"presetId":"` + form + `"}`, []string{"/presetId unknown"}},
		"ErrOurs": {`{"id":"x","status":"approved","createdAt":"x"}`,
			[]string{"/createdAt readOnly", "/id readOnly", "/status readOnly"}},
		"ErrUnknown": {`{"firstname":"Ada","lastName":1}`,
			[]string{"/firstname unknown", "/lastName wrongType"}},
	} {
		t.Run(name, func(t *testing.T) {
			h.refused(t, call{method: "POST", target: "/candidates", body: c.body},
				dossier.CodeValidation, c.named...)
		})
	}
	if all := ok[[]dossier.Candidate](t, h, "GET", "/candidates", ""); len(all) != 0 {
		t.Errorf("refused requests made %d candidates", len(all))
	}
}

// A transaction holds a hundred writes, so a request with more document types is refused.
func TestCreateCandidateAtItsLimit(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	var ids []string
	for range 46 {
		ids = append(ids, h.documentType(t, "T", ""))
	}
	if got := len(h.requests(t, h.candidate(t, ids[:45]...))); got != 45 {
		t.Errorf("OK: requested %d", got)
	}
	h.refused(t, call{method: "POST", target: "/candidates",
		body: `{"documentTypeIds":["` + strings.Join(ids, `","`) + `"]}`}, dossier.CodeLimitReached)
}

func TestListCandidates(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	var ids []string
	for _, external := range []string{"a", "b", "c d/ü"} {
		ids = append(ids, ok[dossier.Candidate](t, h, "POST", "/candidates",
			`{"externalId":"`+external+`"}`).ID)
	}
	ok[dossier.Candidate](t, h, "POST", "/candidates/"+ids[1]+"/reject", `{"reason":"no"}`)
	for query, want := range map[string][]string{
		"":                                   ids,
		"?filter[status][]=rejected":         {ids[1]},
		"?filter%5Bstatus%5D%5B%5D=rejected": {ids[1]},
		"?filter[status][]=rejected&filter[status][]=collecting": ids,
		"?filter[externalId]=" + url.QueryEscape("c d/ü"):        {ids[2]},
		"?filter[externalId]=b&filter[status][]=rejected":        {ids[1]},
		"?filter[externalId]=b&filter[status][]=approved":        {},
		"?filter[externalId]=nobody":                             {},
	} {
		got := []string{}
		for _, c := range ok[[]dossier.Candidate](t, h, "GET", "/candidates"+query, "") {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", query, diff)
		}
	}
	first, w := okWith[[]dossier.Candidate](t, h,
		call{method: "GET", target: "/candidates?page[size]=2"})
	next := strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Link"), "<"), `>; rel="next"`)
	rest, w := okWith[[]dossier.Candidate](t, h, call{method: "GET", target: next})
	if len(first) != 2 || len(rest) != 1 || rest[0].ID != ids[2] || w.Header().Get("Link") != "" {
		t.Errorf("OK: pages of %d and %d, next %q, then %q", len(first), len(rest), next,
			w.Header().Get("Link"))
	}
	h.refused(t, call{method: "GET", target: "/candidates?filter[status][]=approve"},
		dossier.CodeValidation, "?filter[status][] unknown")
}

func TestChangeCandidate(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ok[dossier.CustomField](t, h, "POST", "/customFields",
		`{"entity":"candidate","reference":"a","label":"A","type":"text"}`)
	gone := ok[dossier.CustomField](t, h, "POST", "/customFields",
		`{"entity":"candidate","reference":"b","label":"B","type":"text"}`).ID
	id := ok[dossier.Candidate](t, h, "POST", "/candidates",
		`{"externalId":"one","email":"a@b.nl","customFields":{"a":"1","b":"2"}}`).ID
	at := "/candidates/" + id
	_, w := okWith[dossier.Candidate](t, h, call{method: "GET", target: at})
	tag := w.Header().Get("ETag")

	changed, w := okWith[dossier.Candidate](t, h,
		call{method: "PATCH", target: at, header: []string{"If-Match", tag},
			body: `{"firstName":"Ada","email":null,"externalId":"two","customFields":{"a":null}}`})
	if changed.FirstName != "Ada" || changed.Email != "" || changed.ExternalID != "two" ||
		len(changed.CustomFields) != 1 {
		t.Errorf("OK: %+v", changed)
	}
	_, again := okWith[dossier.Candidate](t, h, call{method: "GET", target: at})
	if got := again.Header().Get("ETag"); got == tag || got != w.Header().Get("ETag") {
		t.Errorf("OK: ETag %s, then %s, read %s", tag, w.Header().Get("ETag"), got)
	}
	h.refused(t, call{method: "PATCH", target: at, body: `{"firstName":"Bob"}`,
		header: []string{"If-Match", tag}}, dossier.CodePrecondition)

	// The old external id is free; the new one is taken.
	other := ok[dossier.Candidate](t, h, "POST", "/candidates", `{"externalId":"one"}`).ID
	h.refused(t, call{method: "PATCH", target: "/candidates/" + other,
		body: `{"externalId":"two"}`}, dossier.CodeConflict)

	// A value whose custom field is gone stays, and can be cleared, but not changed.
	ok[struct{}](t, h, "DELETE", "/customFields/"+gone, "")
	if c := ok[dossier.Candidate](t, h, "PATCH", at,
		`{"customFields":{"a":"3"}}`); c.CustomFields["b"] != "2" || c.CustomFields["a"] != "3" {
		t.Errorf("OK: %v", c.CustomFields)
	}
	h.refused(t, call{method: "PATCH", target: at, body: `{"customFields":{"b":"4"}}`},
		dossier.CodeValidation, "/customFields/b unknown")
	if c := ok[dossier.Candidate](t, h, "PATCH", at,
		`{"customFields":null}`); len(c.CustomFields) != 0 {
		t.Errorf("OK: %v", c.CustomFields)
	}
	h.refused(t, call{method: "PATCH", target: at, body: `{"status":null,"x":1,"email":"a"}`},
		dossier.CodeValidation, "/status readOnly", "/x unknown")
	h.refused(t, call{method: "PATCH", target: at, body: `{"documentTypeIds":[]}`},
		dossier.CodeValidation, "/documentTypeIds unknown")
	h.refused(t, call{method: "PATCH", target: "/candidates/cnd_x", body: `{}`},
		dossier.CodeNotFound)
}

func TestDecideOnCandidate(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	at := "/candidates/" + h.candidate(t)
	rejected := ok[dossier.Candidate](t, h, "POST", at+"/reject", `{"reason":"No permit"}`)
	if rejected.Status != "rejected" || rejected.StatusReason != "No permit" {
		t.Errorf("OK: %+v", rejected)
	}
	h.refused(t, call{method: "POST", target: at + "/reject", body: `{"reason":"again"}`},
		dossier.CodeTransition)
	h.refused(t, call{method: "POST", target: at + "/reject", body: `{"reason":" "}`},
		dossier.CodeValidation, "/reason required")
	reopened := ok[dossier.Candidate](t, h, "POST", at+"/reopen", "")
	if reopened.Status != "collecting" || reopened.StatusReason != "" {
		t.Errorf("OK: %+v", reopened)
	}
	h.refused(t, call{method: "POST", target: at + "/reopen"}, dossier.CodeTransition)
	h.refused(t, call{method: "POST", target: at + "/reopen", body: `{"reason":"x"}`},
		dossier.CodeValidation, "/reason unknown")

	verified := ok[dossier.Candidate](t, h, "POST", at+"/passVerification",
		`{"status":"failed","reason":"blurred"}`)
	if p := verified.PassVerification; p == nil || p.Status != "failed" || p.Reason != "blurred" ||
		p.At.IsZero() {
		t.Errorf("OK: %+v", p)
	}
	h.refused(t, call{method: "POST", target: at + "/passVerification", body: `{"status":"fail"}`},
		dossier.CodeValidation, "/status unknown")

	var names []string
	for _, e := range ok[[]event.Event](t, h, "GET", at+"/events", "") {
		names = append(names, e.Type)
	}
	want := []string{"candidateCreated", "candidateRejected", "candidateStatusChanged",
		"candidateStatusChanged", "candidatePassVerificationFailed"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("OK: events (-want +got)\n%s", diff)
	}
	if list := ok[[]event.Event](t, h, "GET", at+"/events?page[size]=2", ""); len(list) != 2 {
		t.Errorf("OK: a page of %d events", len(list))
	}
}

func TestSubmitForm(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	form := ok[dossier.Form](t, h, "POST", "/forms",
		`{"name":"F","fields":[{"reference":"has","label":"Has","type":"boolean","required":true},
		{"reference":"why","label":"Why","type":"text"}]}`).ID
	other := ok[dossier.Form](t, h, "POST", "/forms", `{"name":"G"}`).ID
	candidate := ok[dossier.Candidate](t, h, "POST", "/candidates", `{"formIds":["`+form+`"]}`).ID
	at := call{method: "POST", target: "/candidates/" + candidate + "/forms/" + form,
		key: h.token(t, candidate)}
	for body, named := range map[string][]string{
		`{}`:             {"/answers required"},
		`{"answers":{}}`: {"/answers/has required"},
		`{"answers":{"has":"yes","why":1,"what":1}}`: {"/answers/has wrongType",
			"/answers/what unknown", "/answers/why wrongType"},
	} {
		at.body = body
		h.refused(t, at, dossier.CodeValidation, named...)
	}
	at.body = `{"answers":{"has":true}}`
	c, _ := okWith[dossier.Candidate](t, h, at)
	if f := c.Forms[0]; f.State != "submitted" || f.Answers["has"] != true {
		t.Errorf("OK: %+v", f)
	}
	h.refused(t, at, dossier.CodeTransition)
	at.target = "/candidates/" + candidate + "/forms/" + other
	h.refused(t, at, dossier.CodeNotFound)
}

func TestEraseCandidate(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate, request := h.candidateWithRequest(t, "")
	ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes/"+request+"/upload",
		parts("front", pdf))
	ok[dossier.Candidate](t, h, "PATCH", "/candidates/"+candidate, `{"externalId":"one"}`)
	document := h.requests(t, candidate)[0].Document.ID
	ok[struct{}](t, h, "DELETE", "/candidates/"+candidate, "")
	for _, target := range []string{"/candidates/" + candidate,
		"/candidates/" + candidate + "/events", "/candidateDocumentTypes/" + request,
		"/candidateDocumentTypes/" + request + "/documents",
		"/candidateDocumentTypes/" + request + "/documents/" + document + "/parts/front"} {
		h.refused(t, call{method: "GET", target: target}, dossier.CodeNotFound)
	}
	h.refused(t, call{method: "DELETE", target: "/candidates/" + candidate}, dossier.CodeNotFound)
	h.refused(t, call{method: "POST", target: "/candidateDocumentTypes/" + request + "/upload",
		body: parts("front", pdf)}, dossier.CodeNotFound)
	if list := ok[[]dossier.Candidate](t, h, "GET", "/candidates", ""); len(list) != 0 {
		t.Errorf("listed still: %+v", list)
	}
	ok[dossier.Candidate](t, h, "POST", "/candidates", `{"externalId":"one"}`)
}

func TestRegister(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	a, b := h.documentType(t, "A", ""), h.documentType(t, "B", "")
	form := ok[dossier.Form](t, h, "POST", "/forms", `{"name":"F"}`).ID
	preset := ok[dossier.Preset](t, h, "POST", "/presets",
		`{"name":"P","set":{"language":"nl"}}`).ID
	page := ok[dossier.RegistrationPage](t, h, "POST", "/registration-pages",
		`{"name":"Drivers","slug":"drivers","documents":[
		{"documentTypeId":"`+a+`","required":true},{"documentTypeId":"`+b+
			`","required":false}],"formIds":["`+form+`"],"presetId":"`+preset+`"}`).ID
	at := call{method: "POST", target: "/registration-pages/" + page + "/register",
		body: `{"firstName":"Ada","nationality":"NLD"}`}
	c, _ := okWith[dossier.Candidate](t, h, at)
	if c.FirstName != "Ada" || c.Language != "nl" || len(c.Forms) != 1 || len(c.PresetIDs) != 1 ||
		c.Status != "collecting" {
		t.Errorf("OK: %+v", c)
	}
	for _, r := range h.requests(t, c.ID) {
		if r.Required != (r.DocumentType.ID == a) || len(r.Metadata) > 0 {
			t.Errorf("OK: %s required %t, metadata %v", r.DocumentType.Name, r.Required, r.Metadata)
		}
	}
	at.body = `{"formIds":[]}`
	h.refused(t, at, dossier.CodeValidation, "/formIds unknown")
	ok[dossier.RegistrationPage](t, h, "PATCH", "/registration-pages/"+page, `{"active":false}`)
	at.body = `{}`
	h.refused(t, at, dossier.CodeTransition)
	at.target = "/registration-pages/rpg_x/register"
	h.refused(t, at, dossier.CodeNotFound)
}
