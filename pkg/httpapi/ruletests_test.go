package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// permitSettings is a work permit whose rules name a card, a scenario and a form.
type permitSettings struct {
	client
	permit, card, scenario, form, path string
}

func newPermit(t *testing.T) permitSettings {
	t.Helper()
	d := newClient(t)
	d.make("/customFields", fieldBody)
	p := permitSettings{client: d, card: d.make("/documentTypes", typeBody),
		scenario: d.make("/scenarios", notifyBody), form: d.make("/forms", formBody)}
	p.permit = d.make("/documentTypes", permitBody(p.card, p.scenario, p.form))
	p.path = "/documentTypes/" + p.permit
	return p
}

// named replaces CARD, SCENARIO, FORM and OWN by ids.
func (p permitSettings) named(text string) string {
	return strings.NewReplacer("CARD", p.card, "SCENARIO", p.scenario, "FORM", p.form, "OWN",
		p.permit).Replace(text)
}

// driver is a test of the work permit that holds.
const driver = `{"name":"Driver","parsed":{"permit":{"number":"NL-204","class":"CE"}},
	"context":{"candidate":{"nationality":"NLD"},"forms":[{"id":"FORM"}],
		"documentTypes":[{"id":"OWN"}]},
	"expect":{"rules":[{"position":1,"matched":true},{"position":2,"matched":true}],
		"status":"collecting","fields":{"cf_permitNumber":"NL-204","nationality":"NLD","phone":""},
		"changes":[{"type":"addDocumentType","value":"CARD"},
			{"type":"removeForm","value":"FORM"},{"type":"sendNotification","value":"SCENARIO"}]}}`

func testsOf(tests ...string) string {
	return `{"submission":{"tests":[` + strings.Join(tests, ",") + `]}}`
}

// Rules are saved only if their tests hold, and refused with what came instead.
func TestRuleTests(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	saved := p.ok("PATCH", p.path, p.named(testsOf(driver)))
	if saved.str("submission", "tests", 0, "expect", "rules", 1, "id") !=
		saved.str("submission", "rules", 1, "id") || saved.len("submission", "rules") != 2 {
		t.Errorf("saved: %s", saved.text)
	}
	kept := p.ok("GET", p.path, "")
	bad := p.send("PATCH", p.path, `{"submission":{"rules":[]}}`)
	if !cmp.Equal(bad.pointers(), []string{"/submission/tests/0/expect/rules/0/id",
		"/submission/tests/0/expect/rules/1/id"}) {
		t.Errorf("without the rules: %s", bad.text)
	}
	rules := fmt.Sprintf(`{"submission":{"rules":[{"id":%q,"conditionsType":"and","conditions":[
		{"type":"fields","reference":"permit.class","operator":"isEqual","value":["D"]}],
		"actions":[{"type":"addDocumentType","value":"CARD"}]},{"id":%q,"mode":"shadow",
		"conditionsType":"and","conditions":[],"actions":[{"type":"removeForm","value":"FORM"}]}]}}`,
		kept.str("submission", "rules", 0, "id"), kept.str("submission", "rules", 1, "id"))
	failed := p.send("PATCH", p.path, p.named(rules))
	if failed.status != http.StatusUnprocessableEntity ||
		!cmp.Equal(failed.pointers(), []string{"/submission/tests/0"}) ||
		failed.str("errors", 0, "code") != string(dossier.ProblemTestFailed) {
		t.Fatalf("rules that break a test: %d %s", failed.status, failed.text)
	}
	want := p.named(`The test "Driver" fails. Rule 1 should match, and does not. ` +
		"To match, permit.class would have to be D. " +
		"The rules should make these changes, and do not: addDocumentType CARD, " +
		"removeForm FORM, sendNotification SCENARIO.")
	if got := failed.str("errors", 0, "message"); got != want {
		t.Errorf("the sentence is\n%s, want\n%s", got, want)
	}
	if now := p.ok("GET", p.path, ""); now.text != kept.text {
		t.Errorf("a refused save left %s", now.text)
	}
	if none := p.ok("PATCH", p.path, `{"submission":{"tests":null}}`); none.len("submission",
		"tests") != 0 || none.len("submission", "rules") != 2 {
		t.Errorf("without tests: %s", none.text)
	}
}

// A test sees the status and the fields afterwards, and the states of other document types.
func TestRuleTestsOfStatus(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	around := func(state string) string {
		return p.named(testsOf(`{"name":"t","context":{"documentTypes":[{"id":"CARD",` + state +
			`}]},"expect":{"status":"approved","changes":[]}}`))
	}
	p.ok("PATCH", p.path, around(`"state":"validated"`))
	p.ok("PATCH", p.path, around(`"optional":true`))
	for _, state := range []string{`"state":"requested"`, `"state":"inReview"`} {
		got := p.refuse("PATCH", p.path, around(state), http.StatusUnprocessableEntity,
			dossier.CodeValidation)
		if !cmp.Equal(got, []string{"/submission/tests/0"}) {
			t.Errorf("%s: %v", state, got)
		}
	}
	rejected := p.named(testsOf(`{"name":"t","context":{"rejected":true},
		"expect":{"status":"rejected","fields":{"cf_permitNumber":""}}}`))
	p.ok("PATCH", p.path, rejected)
}

// ruleTestProblems maps the pointer of each mistake to a test that has it. NOTHING and END stand
// around a context.
var ruleTestProblems = []struct{ pointer, test string }{
	{"/name", `{"expect":{"changes":[]}}`},
	{"/expect", `{"name":"t","expect":{}}`},
	{"/expect/status", `{"name":"t","expect":{"status":"happy"}}`},
	{"/expect/changes/0/type", `{"name":"t","expect":{"changes":[{"type":"fly","value":"x"}]}}`},
	{"/expect/changes/0/value",
		`{"name":"t","expect":{"changes":[{"type":"addForm","value":"CARD"}]}}`},
	{"/expect/changes/0/set",
		`{"name":"t","expect":{"changes":[{"type":"removeForm","value":"FORM","set":1}]}}`},
	{"/expect/changes/0/set",
		`{"name":"t","expect":{"changes":[{"type":"setField","value":"phone"}]}}`},
	{"/expect/fields/cf_nothing", `{"name":"t","expect":{"fields":{"cf_nothing":"x"}}}`},
	{"/expect/fields/cf_permitNumber", `{"name":"t","expect":{"fields":{"cf_permitNumber":5}}}`},
	{"/expect/rules/0/position",
		`{"name":"t","expect":{"rules":[{"position":3,"matched":true}]}}`},
	{"/expect/rules/0/id", `{"name":"t","expect":{"rules":[{"matched":true}]}}`},
	{"/expect/rules/0/position",
		`{"name":"t","expect":{"rules":[{"id":"rul_x","position":1,"matched":true}]}}`},
	{"/context/candidate/color", `{NOTHING:{"candidate":{"color":"x"}END`},
	{"/context/candidate/phone", `{NOTHING:{"candidate":{"phone":""}END`},
	{"/context/customFields/x", `{NOTHING:{"customFields":{"x":"y"}END`},
	{"/context/documentTypes/0/id", `{NOTHING:{"documentTypes":[{"id":"dty_x"}]END`},
	{"/context/documentTypes/0/state",
		`{NOTHING:{"documentTypes":[{"id":"CARD","state":"lost"}]END`},
	{"/context/documentTypes/1/id", `{NOTHING:{"documentTypes":[{"id":"CARD"},{"id":"CARD"}]END`},
	{"/context/forms/0/id", `{NOTHING:{"forms":[{"id":"CARD"}]END`},
	{"/context/presetIds/0", `{NOTHING:{"presetIds":["pre_x"]END`},
	{"/context/passVerification", `{NOTHING:{"passVerification":"maybe"END`},
	{"/contekst", `{"name":"t","contekst":{END`},
}

// Each mistake in a test is named.
func TestRuleTestProblems(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	for _, c := range ruleTestProblems {
		body := strings.NewReplacer("NOTHING", `"name":"t","context"`, "END",
			`},"expect":{"changes":[]}}`).Replace(c.test)
		got := p.refuse("PATCH", p.path, p.named(testsOf(body)), http.StatusUnprocessableEntity,
			dossier.CodeValidation)
		if !cmp.Equal(got, []string{"/submission/tests/0" + c.pointer}) {
			t.Errorf("%s: %v", body, got)
		}
	}
	twice := `{"name":"t","expect":{"changes":[]}}`
	got := p.refuse("PATCH", p.path, testsOf(twice, twice), http.StatusUnprocessableEntity,
		dossier.CodeValidation)
	if !cmp.Equal(got, []string{"/submission/tests/1/name"}) {
		t.Errorf("two of one name: %v", got)
	}
	many := make([]string, dossier.MaxRuleTests+1)
	for n := range many {
		many[n] = fmt.Sprintf(`{"name":"t%d","expect":{"changes":[]}}`, n)
	}
	got = p.refuse("PATCH", p.path, testsOf(many...), http.StatusUnprocessableEntity,
		dossier.CodeValidation)
	if !cmp.Equal(got, []string{"/submission/tests"}) {
		t.Errorf("%d tests: %v", len(many), got)
	}
	p.ok("PATCH", p.path, testsOf(many[1:]...))
	got = p.refuse("POST", p.path+"/submission/simulate",
		`{"parsed":{},"submission":{"rules":[],"tests":[]}}`, http.StatusUnprocessableEntity,
		dossier.CodeValidation)
	if !cmp.Equal(got, []string{"/submission/tests"}) {
		t.Errorf("tests in a simulation: %v", got)
	}
}

// Tests are part of a version: compared, restored, and left out where the type is embedded.
func TestRuleTestVersions(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	second := p.ok("PATCH", p.path, p.named(testsOf(driver)))
	p.ok("PATCH", p.path, p.named(testsOf(strings.Replace(driver, `"status":"collecting",`, "", 1),
		`{"name":"Nobody","expect":{"changes":[]}}`)))
	p.ok("PATCH", p.path, testsOf())
	versions := p.path + "/submission/versions"
	for pair, want := range map[string][]string{
		"/1/diff/2": {`The test "Driver" was added.`},
		"/2/diff/3": {`The test "Driver" was changed.`, `The test "Nobody" was added.`},
		"/3/diff/4": {`The test "Driver" was removed.`, `The test "Nobody" was removed.`},
	} {
		diff := p.ok("GET", versions+pair, "")
		var got []string
		for n := range diff.len("tests") {
			got = append(got, diff.str("tests", n, "message"))
		}
		if !cmp.Equal(got, want) || diff.len("changes") != 0 {
			t.Errorf("%s: %s", pair, diff.text)
		}
	}
	restored := p.ok("POST", versions+"/2/restore", "")
	if !cmp.Equal(restored.at("submission"), second.at("submission")) {
		t.Errorf("restored: %s, want the tests of %s", restored.text, second.text)
	}
	candidate := p.make("/candidates", fmt.Sprintf(`{"documentTypeIds":[%q]}`, p.permit))
	list := p.ok("GET", "/candidateDocumentTypes?filter[candidateId]="+candidate, "")
	if list.len(0, "documentType", "submission", "rules") != 2 ||
		list.at(0, "documentType", "submission", "tests") != nil {
		t.Errorf("embedded: %s", list.text)
	}
}

// What a test names can't be deleted.
func TestRuleTestsNameSettings(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	form, preset := p.make("/forms", strings.Replace(formBody, "reference\":\"", "reference\":\"x",
		1)), p.make("/presets", `{"name":"Nurse"}`)
	p.ok("PATCH", p.path, testsOf(fmt.Sprintf(`{"name":"t","context":{"forms":[{"id":%q}],
		"presetIds":[%q]},"expect":{"changes":[]}}`, form, preset)))
	for _, path := range []string{"/forms/" + form, "/presets/" + preset} {
		got := p.refuse("DELETE", path, "", http.StatusConflict, dossier.CodeInUse)
		if !cmp.Equal(got, []string{p.path + "/submission/tests/0"}) {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// ran uploads a permit, which is validated with these values, and returns the candidate document
// type and the id of its rule run.
func (p permitSettings) ran(candidate string, parsed map[string]any) (request, run string) {
	p.Helper()
	request = "/candidateDocumentTypes/cdt_" + candidate[len("cnd_"):] + p.permit[len("dty_"):]
	p.ok("POST", request+"/upload", parts("front", pdf))
	p.api.finishChecks(p.T, store.CheckResult{State: dossier.StateInReview, Parsed: parsed})
	p.ok("POST", request+"/validate", "")
	return request, p.ok("GET", request+"/ruleRuns", "").str(0, "id")
}

// A rule run becomes a test with what its rules read, and nothing else of the candidate.
func TestKeepAsTest(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	candidate := p.make("/candidates", p.named(`{"firstName":"Ada","nationality":"NLD",
		"formIds":["FORM"],"documentTypeIds":["OWN"]}`))
	request, run := p.ran(candidate, map[string]any{"permit": map[string]any{"number": "NL-204",
		"class": "CE", "expires": "2031-05-01"}, "secret": "x"})
	keep := request + "/ruleRuns/" + run + "/keepAsTest"
	etag := p.send("GET", p.path, "").header.Get("ETag")
	stale := p.send("POST", keep, `{"name":"Ada"}`, "If-Match", `"99"`)
	if stale.status != http.StatusPreconditionFailed {
		t.Errorf("kept over what nobody has seen: %d %s", stale.status, stale.text)
	}
	kept := p.ok("POST", keep, `{"name":"A driver"}`, "If-Match", etag)
	test := kept.at("submission", "tests", 0).(map[string]any)
	expect := test["expect"].(map[string]any)
	if !cmp.Equal(test["parsed"], any(map[string]any{"permit": map[string]any{
		"number": "NL-204", "class": "CE"}})) ||
		!cmp.Equal(test["context"].(map[string]any)["candidate"],
			any(map[string]any{"nationality": "NLD"})) || expect["status"] != "collecting" ||
		len(expect["rules"].([]any)) != 2 || len(expect["changes"].([]any)) != 3 {
		t.Errorf("kept: %s", kept.text)
	}
	if got := p.refuse("POST", keep, `{"name":"A driver"}`, http.StatusUnprocessableEntity,
		dossier.CodeValidation); !cmp.Equal(got, []string{"/name"}) {
		t.Errorf("kept twice: %v", got)
	}
	if got := p.refuse("POST", keep, `{}`, http.StatusUnprocessableEntity,
		dossier.CodeValidation); !cmp.Equal(got, []string{"/name"}) {
		t.Errorf("without a name: %v", got)
	}
	p.ok("PATCH", p.path, `{"submission":{"rules":[],"tests":[]}}`)
	if got := p.refuse("POST", keep, `{"name":"Before"}`, http.StatusUnprocessableEntity,
		dossier.CodeValidation); !cmp.Equal(got, []string{"/submission/tests/0"}) {
		t.Errorf("kept for rules that do something else: %v", got)
	}
	p.refuse("POST", strings.Replace(keep, run[:8], "run_0123", 1), `{"name":"x"}`,
		http.StatusNotFound, dossier.CodeNotFound)
	p.stranger().refuse("POST", keep, `{"name":"x"}`, http.StatusNotFound, dossier.CodeNotFound)
	p.ok("DELETE", "/candidates/"+candidate, "")
	p.refuse("POST", keep, `{"name":"x"}`, http.StatusNotFound, dossier.CodeNotFound)
}

// Tests run without a save, on the saved rules and on proposed ones, and what fails is an answer.
func TestSimulateTests(t *testing.T) {
	t.Parallel()
	p := newPermit(t)
	path := p.path + "/submission/simulate"
	if none := p.ok("POST", path, `{"tests":true}`); none.len("tests") != 0 {
		t.Errorf("without tests: %s", none.text)
	}
	saved := p.ok("PATCH", p.path, p.named(testsOf(driver)))
	if a := p.ok("POST", path, `{"tests":true}`); a.len("tests") != 1 ||
		a.at("tests", 0, "passed") != true || a.len("tests", 0, "unmet") != 0 {
		t.Errorf("the saved rules: %s", a.text)
	}
	kept, first := p.ok("GET", p.path, ""), saved.str("submission", "rules", 0, "id")
	rules := fmt.Sprintf(`[{"conditionsType":"or","conditions":[],"actions":[]},{"id":%q,
		"conditionsType":"and","conditions":[{"type":"context","reference":"phone",
		"operator":"isNotEmpty"}],"actions":[]}]`, first)
	own := p.named(fmt.Sprintf(`[{"name":"New","expect":{"rules":[{"position":1,"matched":false},
		{"id":%q,"matched":true}],"changes":[]}}]`, first))
	a := p.ok("POST", path, `{"tests":true,"submission":{"rules":`+rules+`,"tests":`+own+`}}`)
	if a.at("tests", 0, "passed") != false || a.len("tests", 0, "unmet") != 1 ||
		!strings.HasPrefix(a.str("tests", 0, "unmet", 0), "Rule 2 should match, and does not.") {
		t.Errorf("proposed rules: %s", a.text)
	}
	got := p.refuse("POST", path, `{"tests":true,"submission":{"rules":[]}}`,
		http.StatusUnprocessableEntity, dossier.CodeValidation)
	if !cmp.Equal(got, []string{"/submission/tests/0/expect/rules/0/id",
		"/submission/tests/0/expect/rules/1/id"}) {
		t.Errorf("rules without those of the saved test: %v", got)
	}
	for _, name := range []string{`"parsed":{}`, `"candidateId":"cnd_x"`, `"over":{}`} {
		got := p.refuse("POST", path, `{"tests":true,`+name+`}`, http.StatusUnprocessableEntity,
			dossier.CodeValidation)
		if pointer, _, _ := strings.Cut(name[1:], `"`); !cmp.Equal(got, []string{"/" + pointer}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if now := p.ok("GET", p.path, ""); now.text != kept.text {
		t.Errorf("it changed %s to %s", kept.text, now.text)
	}
	p.stranger().refuse("POST", path, `{"tests":true}`, http.StatusNotFound, dossier.CodeNotFound)
	weak := p
	weak.key = p.ok("POST", "/keys",
		`{"name":"CI","kind":"integration","scopes":["documents:read"]}`).str("secret")
	weak.refuse("POST", path, `{"tests":true}`, http.StatusForbidden, dossier.CodeForbidden)
}
