package httpapi

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const pastYears = `"from":"2000-01-01T00:00:00Z","to":"2100-01-01T00:00:00Z"`

// Each mistake in a simulation over past documents is named.
func TestSimulateHistoryProblems(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	path := "/documentTypes/" + d.make("/documentTypes", typeBody) + "/submission/simulate"
	for over, pointer := range map[string]string{
		`{"from":"2026-01-01T00:00:00Z"}`:                             "/over/to",
		`{"to":"2026-01-01T00:00:00Z"}`:                               "/over/from",
		`{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`: "/over/from",
		`{"from":"yesterday","to":"2026-01-01T00:00:00Z"}`:            "/over/from",
		`{` + pastYears + `,"limit":501}`:                             "/over/limit",
		`{` + pastYears + `,"limit":0}`:                               "/over/limit",
		`{` + pastYears + `,"limit":"all"}`:                           "/over/limit",
		`{` + pastYears + `,"until":"x"}`:                             "/over/until",
		`{` + pastYears + `},"parsed":{}`:                             "/parsed",
		`{` + pastYears + `},"candidateId":"cnd_x"`:                   "/candidateId",
		`{` + pastYears + `},"x":{}`:                                  "/x",
	} {
		got := d.refuse("POST", path, `{"submission":{"rules":[]},"over":`+over+`}`,
			http.StatusUnprocessableEntity, dossier.CodeValidation)
		if !cmp.Equal(got, []string{pointer}) {
			t.Errorf("%s: %v, want %s", over, got, pointer)
		}
	}
	for submission, pointer := range map[string]string{
		`{}`: "/submission",
		`{"submission":{"rules":[{"conditionsType":"x"}]}}`: "/submission/rules/0/conditionsType",
		`{"submission":{"rules":[],"tests":[]}}`:            "/submission/tests",
	} {
		got := d.refuse("POST", path, submission[:len(submission)-1]+comma(submission)+
			`"over":{`+pastYears+`}}`, http.StatusUnprocessableEntity, dossier.CodeValidation)
		if !cmp.Equal(got, []string{pointer}) {
			t.Errorf("%s: %v, want %s", submission, got, pointer)
		}
	}
	over := `{"submission":{"rules":[]},"over":{` + pastYears + `}}`
	d.stranger().refuse("POST", path, over, http.StatusNotFound, dossier.CodeNotFound)
	for scopes, status := range map[string]int{`"documents:read"`: http.StatusForbidden,
		`"candidates:read"`:                  http.StatusForbidden,
		`"documents:read","candidates:read"`: http.StatusOK} {
		key := d.ok("POST", "/keys", fmt.Sprintf(
			`{"name":"CI","kind":"integration","scopes":[%s]}`, scopes))
		weak := d
		weak.key = key.str("secret")
		if a := weak.send("POST", path, over); a.status != status {
			t.Errorf("a key with %s: %d %s", scopes, a.status, a.text)
		}
	}
}

// comma separates a member from those of an object before it.
func comma(object string) string {
	if object == "{}" {
		return ""
	}
	return ","
}

// The newest documents in the span are compared, up to the limit. Those of an erased candidate, and
// those of before or behind the span, are not; those of a shared type are skipped.
func TestSimulateHistorySpan(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	partner := p
	partner.client = p.partner()
	p.ok("PATCH", p.path, fmt.Sprintf(`{"sharedWith":[%q]}`, partner.company.ID))
	parsed := map[string]any{"permit": map[string]any{"number": "NL-204", "class": "CE"}}
	over := func(c client, span string) textResponse {
		return c.ok("POST", p.path+"/submission/simulate",
			`{"submission":{"rules":[]},"over":{`+span+`}}`)
	}
	counts := func(what string, a textResponse, compared, skipped int, more bool) {
		t.Helper()
		if a.at("over", "compared") != float64(compared) ||
			a.at("over", "skipped") != float64(skipped) || a.at("over", "more") != more {
			t.Errorf("%s: %s", what, a.text)
		}
	}
	counts("nothing", over(p.client, pastYears), 0, 0, false)
	body := p.named(`{"firstName":"Ada","documentTypeIds":["OWN"]}`)
	first := p.make("/candidates", body)
	p.ran(first, parsed)
	last := p.make("/candidates", body)
	p.ran(last, parsed)
	counts("all", over(p.client, pastYears), 2, 0, false)
	newest := over(p.client, pastYears+`,"limit":1`)
	counts("the newest", newest, 1, 0, true)
	if newest.str("over", "lost", 0, "examples", 0, "candidateId") != last ||
		newest.len("rules") != 0 {
		t.Errorf("the newest: %s", newest.text)
	}
	counts("before", over(p.client, `"from":"2000-01-01T00:00:00Z","to":"2001-01-01T00:00:00Z"`),
		0, 0, false)
	p.ok("DELETE", "/candidates/"+last, "")
	counts("without the erased", over(p.client, pastYears+`,"limit":1`), 1, 0, false)

	partner.ran(partner.make("/candidates", body), parsed)
	counts("a shared type", over(partner.client, pastYears), 0, 1, false)
	counts("of the owner only", over(p.client, pastYears), 1, 0, false)
}
