package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// runTests runs the tests of the rules of a document type that is about to be saved. It returns
// VALIDATION_FAILED with the pointer of each test that fails.
func (s *Store) runTests(ctx context.Context, dt storedType) error {
	results, err := s.testResults(ctx, dt)
	if err != nil {
		return err
	}
	var p dossier.Problems
	for n, t := range results {
		if !t.Passed {
			p.Add(dossier.Element("/submission/tests", n), dossier.ProblemTestFailed,
				"The test %q fails. %s", dossier.Clip(t.Name), strings.Join(t.Unmet, " "))
		}
	}
	return p.Err()
}

// testResults returns the result of each test of the rules of a document type, in their order.
func (s *Store) testResults(ctx context.Context, dt storedType) ([]dossier.RuleTestResult, error) {
	results := make([]dossier.RuleTestResult, len(dt.Submission.Tests))
	if len(results) == 0 {
		return results, nil
	}
	company := dt.Owner.CompanyID
	targets, err := s.readTargets(ctx, company, dt.job(company, "", ""))
	if err != nil {
		return nil, err
	}
	for n, t := range dt.Submission.Tests {
		got, err := s.try(dt, company, targets, runFacts{Parsed: t.Parsed, Context: t.Context})
		if err != nil {
			return nil, err
		}
		unmet := append([]string{}, rules.Unmet(t.Expect, got)...)
		results[n] = dossier.RuleTestResult{Name: t.Name, Passed: len(unmet) == 0, Unmet: unmet}
	}
	return results, nil
}

// SimulateTests runs the tests of the rules of a document type, and writes nothing. Proposed rules
// take the place of the saved ones, and have the saved tests unless they bring their own. FORBIDDEN
// where another company owns the document type. Problems of the proposed rules are those of saving
// them, but a test that fails is no problem.
func (s *Store) SimulateTests(ctx context.Context, company, typeID string,
	proposed *dossier.Submission) (Simulation, error) {
	dt, _, err := s.ownType(ctx, company, typeID, 0)
	if err != nil {
		return Simulation{}, err
	}
	if proposed != nil {
		in := *proposed
		if in.Tests == nil {
			in.Tests = dt.Submission.Tests
		}
		around, err := s.ruleContext(ctx, company)
		if err != nil {
			return Simulation{}, err
		}
		dt.submission(in)
		if err := s.reviewContent(around, &dt); err != nil {
			return Simulation{}, err
		}
	}
	results, err := s.testResults(ctx, dt)
	return Simulation{Tests: results, Warnings: dt.Warnings}, err
}

// KeepAsTest adds a rule run to the tests of the rules that ran: the values that these rules read,
// and what they did. INVALID_TRANSITION for a run that has kept no facts, FORBIDDEN where another
// company owns the document type.
func (s *Store) KeepAsTest(ctx context.Context, company, request, run, name string,
	want Rev) (dossier.DocumentType, Rev, error) {
	id, ok := dossier.ParseCandidateDocumentTypeID(request)
	if !ok {
		return dossier.DocumentType{}, 0, dossier.ErrNotFound
	}
	kept, err := s.ruleRun(ctx, company, id, run)
	if err != nil {
		return dossier.DocumentType{}, 0, err
	}
	return s.changeType(ctx, company, string(id.DocumentType()), want, "",
		func(dt storedType) (in dossier.DocumentTypeInput, version int64, err error) {
			in = dt.content()
			if slices.ContainsFunc(in.Submission.Tests, func(t dossier.RuleTest) bool {
				return t.Name == name
			}) {
				var p dossier.Problems
				p.Say("/name", dossier.ProblemDuplicate, "is that of a test which is kept already")
				return in, 0, p.Err()
			}
			t, err := s.testOf(ctx, company, dt, kept)
			t.Name = name
			in.Submission.Tests = append(slices.Clone(in.Submission.Tests), t)
			return in, 0, err
		})
}

// ruleRun reads a rule run of a candidate document type that can be repeated.
func (s *Store) ruleRun(ctx context.Context, company string, id dossier.CandidateDocumentTypeID,
	run string) (kept storedRun, err error) {
	at := candidateRef{company, id.Candidate()}
	document, ok := strings.CutPrefix(run, dossier.PrefixRuleRun+at.id.ULID())
	_, valid := dossier.ParseID(dossier.PrefixDocument, dossier.PrefixDocument+document, 1)
	if !ok || !valid {
		return kept, dossier.ErrNotFound
	}
	if _, _, err := s.readCandidate(ctx, at); err != nil {
		return kept, err
	}
	kept, _, err = get[storedRun](ctx, s,
		at.runKey(id.DocumentType(), dossier.PrefixDocument+document))
	if err == nil && kept.Applied && kept.Facts == nil {
		err = dossier.Errorf(dossier.CodeTransition, "This rule run cannot be repeated: "+
			"what its rules could read was not kept.")
	}
	return kept, err
}

// testOf makes a test of a rule run: with what the present rules of the document type read of its
// facts, and for the present rules among those that ran.
func (s *Store) testOf(ctx context.Context, company string, dt storedType,
	kept storedRun) (t dossier.RuleTest, err error) {
	if kept.Facts == nil {
		return t, dossier.Errorf(dossier.CodeTransition, "The rules did not run.")
	}
	targets, err := s.readTargets(ctx, company, dt.job(company, "", ""))
	if err != nil {
		return t, err
	}
	around, err := s.ruleContext(ctx, company)
	if err != nil {
		return t, err
	}
	reads := rules.ReadsOf(dt.Submission.Rules)
	for _, preset := range targets.presets {
		reads.Context(sortedKeys(preset.Set)...)
	}
	for _, w := range dt.WriteBack {
		if reads.Has(w.To) {
			reads.Fields(w.From)
		}
	}
	t.Parsed, t.Context = reads.Cut(kept.Facts.Parsed, kept.Facts.Context, around.known)
	t.Expect = dossier.RuleExpectation{Status: kept.StatusAfter, Changes: kept.Effects}
	if t.Expect.Changes == nil {
		t.Expect.Changes = []dossier.RuleEffect{}
	}
	for _, r := range kept.Rules {
		if slices.ContainsFunc(dt.Submission.Rules, func(o dossier.Rule) bool {
			return o.ID == r.ID
		}) {
			t.Expect.Rules = append(t.Expect.Rules,
				dossier.RuleOutcome{ID: r.ID, Matched: r.Matched})
		}
	}
	return t, nil
}

// testReferences lists what the tests of rules name.
func testReferences(at string, tests []dossier.RuleTest) (all []reference) {
	for n, t := range tests {
		pointer := dossier.Element(at+"/submission/tests", n)
		names := slices.Clone(t.Context.PresetIDs)
		for _, d := range t.Context.DocumentTypes {
			names = append(names, d.ID)
		}
		for _, f := range t.Context.Forms {
			names = append(names, f.ID)
		}
		for _, e := range t.Expect.Changes {
			names = append(names, e.Value)
		}
		for ref := range maps.Keys(t.Context.CustomFields) {
			names = append(names, prefixCandidateField+ref)
		}
		for ref := range maps.Keys(t.Context.DocumentCustomFields) {
			names = append(names, prefixDocumentField+ref)
		}
		names = append(names, sortedKeys(t.Expect.Fields)...)
		all = append(all, referencesAt(pointer, names)...)
	}
	return all
}
