package httpapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// A candidate's token reads the questions of the forms that its candidate is asked to fill in, and
// of no other form.
func TestGetCandidateForm(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	form := ok[dossier.Form](t, h, "POST", "/forms",
		`{"name":"F","fields":[{"reference":"has","label":"Has","type":"boolean","required":true}]}`)
	other := ok[dossier.Form](t, h, "POST", "/forms", `{"name":"G"}`)
	asked := `{"formIds":["` + form.ID + `"]}`
	candidate := ok[dossier.Candidate](t, h, "POST", "/candidates", asked).ID
	stranger := ok[dossier.Candidate](t, h, "POST", "/candidates", asked).ID
	at := call{method: "GET", target: "/candidates/" + candidate + "/forms/" + form.ID,
		key: h.token(t, candidate)}
	want := dossier.CandidateFormDetail{Fields: form.Fields,
		CandidateForm: dossier.CandidateForm{FormID: form.ID, Name: "F", State: dossier.FormOpen,
			Answers: map[string]any{}}}
	got, _ := okWith[dossier.CandidateFormDetail](t, h, at)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("OK: (-want +got)\n%s", diff)
	}
	submit := at
	submit.method, submit.body = "POST", `{"answers":{"has":true}}`
	okWith[dossier.Candidate](t, h, submit)
	got, _ = okWith[dossier.CandidateFormDetail](t, h, at)
	if got.State != dossier.FormSubmitted || got.Answers["has"] != true {
		t.Errorf("OK: submitted %+v", got)
	}
	ok[struct{}](t, h, "DELETE", "/forms/"+form.ID, "")
	if got, _ = okWith[dossier.CandidateFormDetail](t, h, at); got.Name != "F" ||
		got.Fields == nil || len(got.Fields) > 0 {
		t.Errorf("OK: deleted %+v", got)
	}
	at.target = "/candidates/" + candidate + "/forms/" + other.ID
	h.refused(t, at, dossier.CodeNotFound)
	at.target = "/candidates/" + stranger + "/forms/" + form.ID
	h.refused(t, at, dossier.CodeNotFound)
	at.target = "/forms/" + other.ID
	h.refused(t, at, dossier.CodeForbidden)
}
