package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// pair is a name and a value.
type pair struct{ Name, Value string }

// testView is a test of the rules as it is shown.
type testView struct {
	Number      int
	Name        string
	Ran, Passed bool
	Unmet       []string
	Given       []pair
	Expected    []string
}

type testsView struct {
	Type    dossier.DocumentType
	Tests   []testView
	Failing int
	ETag    string
	Form    *form
}

// listTests lists the tests of the rules, each with its result on the saved rules.
func listTests(p *page) error { return p.testsPage(newForm(url.Values{})) }

func (p *page) testsPage(f *form) error {
	v := testsView{Form: f}
	rep, err := p.api.get(p.typePath(""), &v.Type)
	if err != nil {
		return err
	}
	v.ETag = rep.etag
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	v.Tests = c.tests(v.Type)
	if len(v.Tests) > 0 {
		results, err := p.runTests(v.Type.ID, nil)
		if err != nil && !isStatus(err, http.StatusForbidden) {
			return err
		}
		v.Failing = c.results(v.Tests, results)
	}
	sc := screen{name: "tests", title: "Tests of the rules of " + v.Type.Name, section: "types"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// runTests runs the tests of a document type on its saved rules, or on others.
func (p *page) runTests(id string,
	proposed *dossier.Submission) ([]dossier.RuleTestResult, error) {
	body := map[string]any{"tests": true}
	if proposed != nil {
		body["submission"] = proposed
	}
	var would simulated
	_, err := p.api.do(call{method: http.MethodPost,
		path: "/documentTypes/" + url.PathEscape(id) + "/submission/simulate", body: body}, &would)
	return would.Tests, err
}

// results fills in the results of tests, and returns how many failed.
func (c catalog) results(tests []testView, results []dossier.RuleTestResult) (failed int) {
	for n, r := range results {
		if n >= len(tests) {
			break
		}
		tests[n].Ran, tests[n].Passed = true, r.Passed
		for _, sentence := range r.Unmet {
			tests[n].Unmet = append(tests[n].Unmet, c.inWords(sentence))
		}
		if !r.Passed {
			failed++
		}
	}
	return failed
}

var (
	effectInText = regexp.MustCompile(`\b([a-z][A-Za-z]+) ([a-z]{3}_[0-9A-Za-z]+)`)
	fieldInText  = regexp.MustCompile(`\bd?cf_[0-9A-Za-z_]+`)
)

// inWords replaces the API's names of changes and fields in a sentence by the page's.
func (c catalog) inWords(sentence string) string {
	sentence = effectInText.ReplaceAllStringFunc(sentence, func(found string) string {
		kind, id, _ := strings.Cut(found, " ")
		if !slices.Contains(dossier.EffectTypes, kind) {
			return found
		}
		text, name, _ := c.effectWords(kind, id, nil)
		return text + " " + name
	})
	return fieldInText.ReplaceAllStringFunc(sentence, func(found string) string {
		return fieldLabel(c.fields, found)
	})
}

// tests describes the tests of a document type.
func (c catalog) tests(t dossier.DocumentType) []testView {
	all := make([]testView, len(t.Submission.Tests))
	for n, test := range t.Submission.Tests {
		all[n] = testView{Number: n, Name: test.Name, Given: c.given(t, test),
			Expected: c.expected(t, test.Expect)}
	}
	return all
}

// given describes the values of a test, and the candidate around them.
func (c catalog) given(t dossier.DocumentType, test dossier.RuleTest) (all []pair) {
	for _, ref := range flatKeys("", test.Parsed) {
		all = append(all, pair{c.label(t, dossier.ConditionFields, ref),
			plainText(lookup(test.Parsed, ref))})
	}
	around := test.Context
	for _, key := range sortedKeys(around.Candidate) {
		all = append(all, pair{word(key), around.Candidate[key]})
	}
	for _, ref := range sortedKeys(around.CustomFields) {
		all = append(all, pair{fieldLabel(c.fields, "cf_"+ref),
			plainText(around.CustomFields[ref])})
	}
	for _, ref := range sortedKeys(around.DocumentCustomFields) {
		all = append(all, pair{fieldLabel(c.fields, "dcf_"+ref),
			plainText(around.DocumentCustomFields[ref])})
	}
	if around.PassVerification != "" {
		all = append(all, pair{word("passVerification"), badgeOf(around.PassVerification).Word})
	}
	if around.Rejected {
		all = append(all, pair{word("status"), badgeOf(dossier.StatusRejected).Word})
	}
	for _, d := range around.DocumentTypes {
		if d.ID != t.ID {
			name, _ := c.name(d.ID)
			all = append(all, pair{name,
				badgeOf(cmp.Or(d.State, dossier.StateRequested)).Word})
		}
	}
	for _, form := range around.Forms {
		name, _ := c.name(form.ID)
		state := "Open"
		if form.Submitted {
			state = "Submitted"
		}
		all = append(all, pair{name, state})
	}
	for _, id := range around.PresetIDs {
		name, _ := c.name(id)
		all = append(all, pair{name, "Applied"})
	}
	return all
}

// flatKeys lists the references of nested values, with dots.
func flatKeys(prefix string, values map[string]any) (all []string) {
	for _, key := range sortedKeys(values) {
		if inner, ok := values[key].(map[string]any); ok {
			all = append(all, flatKeys(prefix+key+".", inner)...)
		} else {
			all = append(all, prefix+key)
		}
	}
	return all
}

// expected describes what a test expects.
func (c catalog) expected(t dossier.DocumentType, e dossier.RuleExpectation) (all []string) {
	for _, o := range e.Rules {
		verb := " does not match"
		if o.Matched {
			verb = " matches"
		}
		all = append(all, ruleNumber(t, o.ID)+verb)
	}
	for _, change := range e.Changes {
		text, name, _ := c.effectWords(change.Type, change.Value, change.Set)
		all = append(all, capital(text)+" "+name)
	}
	if e.Changes != nil && len(e.Changes) == 0 {
		all = append(all, "Nothing is changed")
	}
	if e.Status != "" {
		all = append(all, "The status is “"+badgeOf(e.Status).Word+"”")
	}
	for _, key := range sortedKeys(e.Fields) {
		value := plainText(e.Fields[key])
		if value == "" {
			value = "empty"
		}
		all = append(all, fieldLabel(c.fields, key)+" is "+value)
	}
	return all
}

// ruleNumber names a saved rule by its position.
func ruleNumber(t dossier.DocumentType, id string) string {
	n := slices.IndexFunc(t.Submission.Rules, func(r dossier.Rule) bool { return r.ID == id })
	if n < 0 {
		return "A rule that is gone"
	}
	return "Rule " + strconv.Itoa(n+1)
}

// deleteTest takes one test away from the rules.
func deleteTest(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	var t dossier.DocumentType
	if _, err := p.api.get(p.typePath(""), &t); err != nil {
		return err
	}
	_, err = p.api.do(call{method: http.MethodPatch, path: p.typePath(""), ifMatch: f.Get("_etag"),
		body: map[string]any{"submission": map[string]any{
			"tests": without(t.Submission.Tests, []string{f.Raw("name")})}}}, nil)
	if err != nil {
		if err := f.refused(err, map[string]string{"/submission": ""}); err != nil {
			return err
		}
		return p.testsPage(f)
	}
	return p.done("/console/document-types/"+t.ID+"/tests", "deleted")
}

// without returns tests but for those of some names.
func without(tests []dossier.RuleTest, names []string) []dossier.RuleTest {
	return slices.DeleteFunc(append([]dossier.RuleTest{}, tests...),
		func(t dossier.RuleTest) bool { return slices.Contains(names, t.Name) })
}

// keepAsTest makes a test of a rule run.
func keepAsTest(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	var t dossier.DocumentType
	_, err = p.api.do(call{method: http.MethodPost, key: f.Key, ifMatch: f.Get("_etag"),
		path: "/candidateDocumentTypes/" + url.PathEscape(p.r.PathValue("request")) +
			"/ruleRuns/" + url.PathEscape(p.r.PathValue("run")) + "/keepAsTest",
		body: dossier.RuleTestInput{Name: f.Get("name")}}, &t)
	if err == nil {
		return p.done("/console/document-types/"+t.ID+"/tests", "kept")
	}
	if isStatus(err, http.StatusPreconditionFailed) {
		f.Top = append(f.Top, "The rules have been changed since this page was opened. "+
			"Look at it again, and keep it then.")
	} else if err := f.refused(err, nil); err != nil {
		return err
	}
	return p.ruleRun(f)
}

// failingTest is a test because of which rules were not saved.
type failingTest struct {
	Name    string
	Reasons []string
}

// failingTests takes what is about tests out of a refusal of rules: the tests that fail, and a
// refusal that has the rest, nil where nothing is left. tests are those that were sent.
func (c catalog) failingTests(err error, t dossier.DocumentType,
	tests []dossier.RuleTest) ([]failingTest, error) {
	var e *apiError
	if !errors.As(err, &e) {
		return nil, err
	}
	var failing []failingTest
	rest := *e
	rest.Errors = nil
	for _, field := range e.Errors {
		path, about := strings.CutPrefix(field.Pointer, "/submission/tests/")
		index, inner, _ := strings.Cut(path, "/")
		n, bad := strconv.Atoi(index)
		if !about || bad != nil || n >= len(tests) {
			rest.Errors = append(rest.Errors, field)
			continue
		}
		if len(failing) == 0 || failing[len(failing)-1].Name != tests[n].Name {
			failing = append(failing, failingTest{Name: tests[n].Name})
		}
		last := &failing[len(failing)-1]
		last.Reasons = append(last.Reasons, c.reason(t, tests[n], field, inner))
	}
	if len(failing) > 0 && len(rest.Errors) == 0 {
		return failing, nil
	}
	return failing, &rest
}

// reason says why a test fails.
func (c catalog) reason(t dossier.DocumentType, test dossier.RuleTest, field dossier.FieldError,
	inner string) string {
	var n int
	if _, err := fmt.Sscanf(inner, "expect/rules/%d/id", &n); err == nil &&
		n < len(test.Expect.Rules) {
		return ruleNumber(t, test.Expect.Rules[n].ID) +
			" is expected to be there, and is removed."
	}
	message := strings.TrimPrefix(field.Message,
		fmt.Sprintf("The test %q fails. ", dossier.Clip(test.Name)))
	return fieldSentence(c.inWords(message))
}
