package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// triedRules holds the results of rules that are not saved yet.
type triedRules struct {
	Over    *historyView
	Tests   []testView
	Ran     bool // the tests ran
	Failed  int
	Failing []failingTest // because of which the rules were not saved
}

// defaultSpan is the time before today over which rules are tried, unless said.
const defaultSpan = 90 * 24 * time.Hour

// spanOf fills in the days over which rules are tried, where none were typed.
func (p *page) spanOf(f *form) {
	now := p.now.UTC()
	for name, at := range map[string]time.Time{"from": now.Add(-defaultSpan), "to": now} {
		if f.Get(name) == "" {
			f.values.Set(name, at.Format(time.DateOnly))
		}
	}
}

// ruleNames leads from the pointers of rules to the rows of the builder.
func ruleNames(rows []ruleRow) map[string]string {
	names := map[string]string{"/over/from": "from", "/over/to": "to", "/over": "from"}
	for i := range rows {
		names["/submission/rules/"+strconv.Itoa(i)] = "r" + strconv.Itoa(i)
	}
	return names
}

// rulesOf returns the rules in the rows of the builder.
func (c catalog) rulesOf(t dossier.DocumentType, rows []ruleRow) []dossier.Rule {
	rules := make([]dossier.Rule, len(rows))
	for i, row := range rows {
		rules[i] = c.rule(t, row)
	}
	return rules
}

// tryBeforeSaving shows what the rules in the builder would do: over past documents, or on the
// tests that are kept with the saved ones.
func (p *page) tryBeforeSaving(t dossier.DocumentType, c catalog, f *form, rows []ruleRow) error {
	rules := c.rulesOf(t, rows)
	var tried triedRules
	var err error
	if f.Get("_try") == "tests" {
		err = p.tryTests(t, c, f, rules, &tried)
	} else {
		p.spanOf(f)
		tried.Over, err = p.compareOver(t, c, f, rules)
	}
	if err != nil {
		if err := f.refused(err, ruleNames(rows)); err != nil {
			return err
		}
	}
	return p.rulesPage(t, c, f, rows, tried)
}

// tryTests runs the tests on rules that are not saved.
func (p *page) tryTests(t dossier.DocumentType, c catalog, f *form, rules []dossier.Rule,
	tried *triedRules) error {
	tests := without(t.Submission.Tests, f.All("drop"))
	results, err := p.runTests(t.ID, &dossier.Submission{Rules: rules, Tests: tests})
	if err != nil {
		tried.Failing, err = c.failingTests(err, t, tests)
		return err
	}
	t.Submission.Tests = tests
	tried.Tests, tried.Ran = c.tests(t), true
	tried.Failed = c.results(tried.Tests, results)
	return nil
}

// patchRules saves the rules of the builder, without the tests that are to be deleted with it.
func (p *page) patchRules(t dossier.DocumentType, c catalog, f *form, rows []ruleRow) error {
	in, tests := dossier.Submission{Rules: c.rulesOf(t, rows)}, t.Submission.Tests
	if len(f.All("drop")) > 0 {
		tests = without(tests, f.All("drop"))
		in.Tests = tests
	}
	_, err := p.api.do(call{method: http.MethodPatch,
		path: "/documentTypes/" + url.PathEscape(t.ID),
		body: map[string]any{"submission": in}, ifMatch: f.Get("_etag")}, nil)
	if err == nil {
		return p.done("/console/document-types/"+t.ID, "saved")
	}
	failing, err := c.failingTests(err, t, tests)
	if err != nil {
		if err := f.refused(err, ruleNames(rows)); err != nil {
			return err
		}
	}
	if len(failing) > 0 {
		f.Top = append(f.Top, "The rules are not saved: "+count(len(failing), "test")+
			" of theirs would fail. “Before you save” says which, and why.")
	}
	return p.rulesPage(t, c, f, rows, triedRules{Failing: failing})
}
