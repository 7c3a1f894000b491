package httpapi

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func TestRegisterInPublic(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		dt := ok[dossier.DocumentType](t, h, "POST", "/documentTypes",
			`{"name":"Permit","description":"Both sides."}`).ID
		form := ok[dossier.Form](t, h, "POST", "/forms",
			`{"name":"Hours","fields":[{"reference":"n","label":"How many?","type":"number"}]}`).ID
		page := ok[dossier.RegistrationPage](t, h, "POST", "/registration-pages", fmt.Sprintf(
			`{"name":"Drivers","slug":"drivers","documents":[{"documentTypeId":%q}],"formIds":[%q]}`, dt, form))
		at := "/public/" + h.company.ID + "/registration-pages/"
		want := dossier.PublicPage{ID: page.ID, Name: "Drivers", Slug: "drivers",
			Company: dossier.SessionCompany{ID: h.company.ID, Name: "One"},
			Documents: []dossier.PublicDocument{
				{Name: "Permit", Description: "Both sides.", Required: true},
			},
			Forms: []dossier.PublicForm{
				{Name: "Hours", Fields: []dossier.FormField{
					{Reference: "n", Label: "How many?", Type: "number"},
				}},
			}}
		for _, name := range []string{page.ID, "drivers"} {
			got, w := okWith[dossier.PublicPage](t, h,
				call{method: "GET", target: at + name, key: "none"})
			if diff := cmp.Diff(want, got); diff != "" ||
				strings.Contains(w.Body.String(), "rules") {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
		}
		in := call{method: "POST", target: at + "drivers/register", key: "none",
			body: `{"firstName":"Ada","email":"ada@example.com","language":"nl"}`}
		made, _ := okWith[dossier.PublicRegistered](t, h, in)
		own, _ := okWith[dossier.Candidate](t, h,
			call{method: "GET", target: "/candidates/" + made.CandidateID, key: made.Token})
		if own.FirstName != "Ada" || own.Email != "ada@example.com" ||
			own.Status != dossier.StatusCollecting || len(own.Forms) != 1 {
			t.Errorf("registered: %+v", own)
		}
		asked, _ := okWith[[]dossier.CandidateDocumentType](t, h, call{method: "GET",
			target: "/candidateDocumentTypes?filter[candidateId]=" + made.CandidateID,
			key:    made.Token})
		if len(asked) != 1 || asked[0].DocumentType.Description != "Both sides." {
			t.Errorf("asked for: %+v", asked)
		}
		ok[struct{}](t, h, "DELETE", "/candidates/"+made.CandidateID, "")
		if got := h.status(t, "GET", "/candidates/"+made.CandidateID, made.Token); got != 404 {
			t.Errorf("erased, by its token: %d", got)
		}
		another, _ := okWith[dossier.PublicRegistered](t, h, in)
		h.countsRegistration(t, another)
		h.refuseRegistrations(t, at, page.ID)
	})
}

// countsRegistration checks that the token of a registration is listed and counted among those of
// the candidate, and ends like them.
func (h *testAPI) countsRegistration(t *testing.T, made dossier.PublicRegistered) {
	t.Helper()
	at := "/candidates/" + made.CandidateID + "/tokens"
	tokens := ok[[]store.Token](t, h, "GET", at, "")
	if len(tokens) != 1 || tokens[0].ExpiresAt != made.ExpiresAt || tokens[0].CreatedBy != nil ||
		tokens[0].Token != "" {
		t.Fatalf("tokens of who registered: %+v, the registration said %+v", tokens, made)
	}
	for range dossier.MaxTokens - 1 {
		ok[store.Token](t, h, "POST", at, "")
	}
	h.refused(t, call{method: "POST", target: at}, dossier.CodeLimitReached)
	ok[struct{}](t, h, "DELETE", at+"/"+tokens[0].ID, "")
	if got := h.status(t, "GET", "/candidates/"+made.CandidateID, made.Token); got != 401 {
		t.Errorf("by a token of a registration that was ended: %d", got)
	}
	ok[store.Token](t, h, "POST", at, "")
}

// refuseRegistrations sends registrations that are refused, at the end to a page that is closed.
func (h *testAPI) refuseRegistrations(t *testing.T, at, page string) {
	t.Helper()
	in := call{method: "POST", target: at + "drivers/register", key: "none"}
	in.body = `{"firstName":"Ada","email":"ada@example.com","website":"http://spam.example"}`
	h.refused(t, in, dossier.CodeValidation, "/website notAllowed")
	in.body = `{}`
	h.refused(t, in, dossier.CodeValidation, "/firstName required", "/email required")
	in.body = `{"firstName":"Ada","email":"ada@example.com","externalId":"x"}`
	h.refused(t, in, dossier.CodeValidation, "/externalId unknown")
	in.body = `{"firstName":"Ada","email":"ada@example.com"}`
	in.target = at + "riders/register"
	h.refused(t, in, dossier.CodeNotFound)
	ok[dossier.RegistrationPage](t, h, "PATCH", "/registration-pages/"+page,
		`{"active":false}`)
	for _, name := range []string{page, "drivers"} {
		h.refused(t, call{method: "GET", target: at + name, key: "none"}, dossier.CodeNotFound)
		in.target = at + name + "/register"
		h.refused(t, in, dossier.CodeNotFound)
	}
}

// TestRegisterOnce answers the same candidate, with another token that works, to a registration
// that is sent again, and to two that are sent at the same time.
func TestRegisterOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		page := ok[dossier.RegistrationPage](t, h, "POST", "/registration-pages",
			`{"name":"Drivers","slug":"drivers","documents":[],"formIds":[]}`)
		in := call{method: "POST", key: "none",
			target: "/public/" + h.company.ID + "/registration-pages/" + page.ID + "/register",
			body:   `{"firstName":"Ada","email":"a@example.com","idempotencyKey":"0123456789abcdef"}`}
		made := make([]dossier.PublicRegistered, 4)
		var all sync.WaitGroup
		for n := range made {
			all.Go(func() { made[n], _ = okWith[dossier.PublicRegistered](t, h, in) })
		}
		all.Wait()
		for n, one := range made {
			if one.CandidateID != made[0].CandidateID || n > 0 && one.Token == made[0].Token {
				t.Errorf("registration %d: %+v, and %+v", n, one, made[0])
			}
			okWith[dossier.Candidate](t, h, call{method: "GET",
				target: "/candidates/" + one.CandidateID, key: one.Token})
		}
		in.body = strings.Replace(in.body, "Ada", "Eve", 1)
		h.refused(t, in, dossier.CodeKeyReused)
		in.body = `{"firstName":"Ada","email":"a@example.com","idempotencyKey":"short"}`
		h.refused(t, in, dossier.CodeValidation, "/idempotencyKey tooShort")
	})
}

// A registration page asks for custom fields: those that it names, and no others, with the values
// that they can have.
func TestRegisterCustomFields(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		for _, f := range []string{
			`{"entity":"candidate","reference":"years","label":"Years of practice","type":"number"}`,
			`{"entity":"candidate","reference":"lifts","label":"Lifting gear","type":"boolean"}`,
			`{"entity":"candidate","reference":"secret","label":"Secret","type":"text"}`,
			`{"entity":"document","reference":"seen","label":"Seen","type":"date"}`} {
			ok[dossier.CustomField](t, h, "POST", "/customFields", f)
		}
		const pages = "/registration-pages"
		h.refused(t, call{method: "POST", target: pages, body: `{"name":"P","slug":"p",
			"customFields":[{"reference":"seen"},{"reference":"lifts"},{"reference":"no"}]}`},
			dossier.CodeValidation, "/customFields/0/reference unknown",
			"/customFields/2/reference unknown")
		h.refused(t, call{method: "POST", target: pages, body: `{"name":"P","slug":"p",
			"customFields":[{"reference":"lifts"},{"reference":"lifts"},{}]}`},
			dossier.CodeValidation, "/customFields/1/reference duplicate",
			"/customFields/2/reference required")
		page := ok[dossier.RegistrationPage](t, h, "POST", pages, `{"name":"P","slug":"p",
			"customFields":[{"reference":"years","required":true},{"reference":"lifts"}]}`)
		at := "/public/" + h.company.ID + pages + "/p"
		shown, _ := okWith[dossier.PublicPage](t, h, call{method: "GET", target: at, key: "none"})
		if diff := cmp.Diff([]dossier.FormField{
			{Reference: "years", Label: "Years of practice", Type: "number", Required: true},
			{Reference: "lifts", Label: "Lifting gear", Type: "boolean"}},
			shown.CustomFields); diff != "" {
			t.Errorf("shown: (-want +got)\n%s", diff)
		}
		in := call{method: "POST", target: at + "/register", key: "none"}
		for values, problems := range map[string][]string{
			`{}`: {"/customFields/years required"},
			`{"years":"many","lifts":"","secret":"x"}`: {"/customFields/secret unknown",
				"/customFields/years wrongType"},
		} {
			in.body = `{"firstName":"Ada","email":"ada@example.com","customFields":` + values + `}`
			h.refused(t, in, dossier.CodeValidation, problems...)
		}
		in.body = `{"firstName":"Ada","email":"ada@example.com","customFields":{"years":3,"lifts":true}}`
		made, _ := okWith[dossier.PublicRegistered](t, h, in)
		c := ok[dossier.Candidate](t, h, "GET", "/candidates/"+made.CandidateID, "")
		if diff := cmp.Diff(map[string]any{"years": 3.0, "lifts": true},
			c.CustomFields); diff != "" {
			t.Errorf("registered: (-want +got)\n%s", diff)
		}
		h.asksForNothing(t, page.ID)
	})
}

// asksForNothing checks that a custom field which a page asks for can't be deleted, and takes the
// fields away from the page.
func (h *testAPI) asksForNothing(t *testing.T, page string) {
	t.Helper()
	fields := ok[[]dossier.CustomField](t, h, "GET", "/customFields", "")
	for _, f := range fields {
		if f.Reference == "years" {
			h.refused(t, call{method: "DELETE", target: "/customFields/" + f.ID},
				dossier.CodeInUse, "/registration-pages/"+page+"/customFields inUse")
		}
	}
	if after := ok[dossier.RegistrationPage](t, h, "PATCH", "/registration-pages/"+page,
		`{"customFields":[]}`); after.CustomFields != nil {
		t.Errorf("the page asks for %v", after.CustomFields)
	}
	for _, f := range fields {
		if f.Reference == "lifts" {
			ok[struct{}](t, h, "DELETE", "/customFields/"+f.ID, "")
		}
	}
}
