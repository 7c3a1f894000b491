package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// NameOutcomes replaces the positions of rules in tests by the ids that the rules have, in a copy.
// A position without a rule stays: Review reports it.
func NameOutcomes(s dossier.Submission) []dossier.RuleTest {
	tests := slices.Clone(s.Tests)
	for n := range tests {
		outcomes := slices.Clone(tests[n].Expect.Rules)
		for m, o := range outcomes {
			if o.ID == "" && o.Position >= 1 && o.Position <= len(s.Rules) {
				outcomes[m] = dossier.RuleOutcome{ID: s.Rules[o.Position-1].ID, Matched: o.Matched}
			}
		}
		tests[n].Expect.Rules = outcomes
	}
	return tests
}

// tests reviews the tests of a submission.
func (v *review) tests(s dossier.Submission) {
	const list = "/submission/tests"
	if len(s.Tests) > dossier.MaxRuleTests {
		v.add(list, dossier.ProblemTooMany,
			"There are %d tests. A document type can have at most %d.", len(s.Tests),
			dossier.MaxRuleTests)
		return
	}
	for n, t := range s.Tests {
		var p dossier.Problems
		at := dossier.Element(list, n)
		p.Line(at+"/name", t.Name, dossier.MaxName)
		if slices.ContainsFunc(s.Tests[:n], func(o dossier.RuleTest) bool {
			return o.Name == t.Name
		}) {
			p.Say(at+"/name", dossier.ProblemDuplicate, "repeats that of an earlier test")
		}
		p.Parsed(at+"/parsed", t.Parsed)
		v.context(&p, at+"/context", t.Context)
		v.expectation(&p, at+"/expect", s.Rules, t.Expect)
		v.addAll(p)
	}
}

// context reviews what is around the document of a test.
func (v *review) context(p *dossier.Problems, at string, c dossier.RuleContext) {
	for _, key := range slices.Sorted(maps.Keys(c.Candidate)) {
		pointer := dossier.Member(at+"/candidate", key)
		if !slices.Contains(dossier.TextKeys, key) {
			p.Add(pointer, dossier.ProblemUnknown, "The candidate has no text field %s.%s",
				quoted(key), v.hint(key, dossier.TextKeys, "fields"))
			continue
		}
		p.CandidateText(pointer, key, c.Candidate[key])
	}
	v.fields(p, at+"/customFields", c.CustomFields, v.known.CandidateFields)
	v.fields(p, at+"/documentCustomFields", c.DocumentCustomFields, v.known.DocumentFields)
	if c.PassVerification != "" {
		p.Word(at+"/passVerification", c.PassVerification, dossier.PassStatuses)
	}
	for n := range p.Count(at+"/documentTypes", len(c.DocumentTypes), dossier.MaxRequested) {
		d, pointer := c.DocumentTypes[n], dossier.Element(at+"/documentTypes", n)
		v.entity(p, pointer+"/id", kindDocumentType, d.ID)
		if d.State != "" {
			p.Word(pointer+"/state", d.State, dossier.States)
		}
		if slices.ContainsFunc(c.DocumentTypes[:n], func(o dossier.ContextDocumentType) bool {
			return o.ID == d.ID
		}) {
			p.Say(pointer+"/id", dossier.ProblemDuplicate, "repeats an earlier one")
		}
	}
	for n := range p.Count(at+"/forms", len(c.Forms), dossier.MaxForms) {
		v.entity(p, dossier.Element(at+"/forms", n)+"/id", kindForm, c.Forms[n].ID)
	}
	for n := range p.Count(at+"/presetIds", len(c.PresetIDs), dossier.MaxListed) {
		v.entity(p, dossier.Element(at+"/presetIds", n), kindPreset, c.PresetIDs[n])
	}
}

// fields reviews the values of custom fields.
func (v *review) fields(p *dossier.Problems, at string, values map[string]any,
	types map[string]string) {
	for _, ref := range slices.Sorted(maps.Keys(values)) {
		fieldType, known := types[ref]
		if !known {
			p.Add(dossier.Member(at, ref), dossier.ProblemUnknown,
				"There is no custom field %s.%s", quoted(ref),
				v.hint(ref, slices.Sorted(maps.Keys(types)), "references"))
			continue
		}
		p.Value(dossier.Member(at, ref), fieldType, values[ref])
	}
}

// entity reports an id that names no entity of a kind.
func (v *review) entity(p *dossier.Problems, at, kind, id string) {
	_, scenario := v.known.Scenarios[id]
	known := map[string]bool{kindDocumentType: v.known.DocumentTypes[id] || id == v.known.TypeID,
		kindForm: v.known.Forms[id], kindPreset: v.known.Presets[id], kindScenario: scenario}
	if id == "" || !known[kind] {
		p.Add(at, dossier.ProblemUnknown, "There is no %s with the id %s.", kind, quoted(id))
	}
}

// expectation reviews what a test expects.
func (v *review) expectation(p *dossier.Problems, at string, rules []dossier.Rule,
	e dossier.RuleExpectation) {
	if len(e.Rules)+len(e.Fields) == 0 && e.Status == "" && e.Changes == nil {
		p.Say(at, dossier.ProblemRequired, "has to name rules, a status, changes or fields")
	}
	for n := range p.Count(at+"/rules", len(e.Rules), dossier.MaxRules) {
		o, pointer := e.Rules[n], dossier.Element(at+"/rules", n)
		switch {
		case o.ID != "" && o.Position != 0:
			p.Say(pointer+"/position", dossier.ProblemNotAllowed, "cannot be combined with the id")
		case o.Position != 0:
			p.Add(pointer+"/position", dossier.ProblemOutOfRange,
				"There are %d rules. Their positions are counted from 1.", len(rules))
		case !slices.ContainsFunc(rules, func(r dossier.Rule) bool { return r.ID == o.ID }):
			p.Add(pointer+"/id", dossier.ProblemUnknown,
				"No rule of this document type has the id %s.", quoted(o.ID))
		}
	}
	if e.Status != "" {
		p.Word(at+"/status", e.Status, dossier.Statuses)
	}
	for n := range p.Count(at+"/changes", len(e.Changes), dossier.MaxCustomFields) {
		v.effect(p, dossier.Element(at+"/changes", n), e.Changes[n])
	}
	for _, key := range slices.Sorted(maps.Keys(e.Fields)) {
		pointer := dossier.Member(at+"/fields", key)
		if e.Fields[key] != "" {
			v.field(p, pointer, pointer, key, e.Fields[key])
		} else {
			v.field(p, pointer, pointer, key, nil)
		}
	}
}

// effectTargets holds the kind of entity that the value of an effect names, beside those of
// ActionTypes.
var effectTargets = map[string]string{dossier.EffectAddForm: kindForm}

// effect reviews a change that a test expects.
func (v *review) effect(p *dossier.Problems, at string, e dossier.RuleEffect) {
	if e.Type != dossier.EffectSetField && e.Set != nil {
		p.Say(at+"/set", dossier.ProblemNotAllowed, "goes with %s only", dossier.EffectSetField)
	}
	target := effectTargets[e.Type] + actionNamed(e.Type).Target
	switch {
	case e.Type == dossier.EffectSetField:
		if e.Set == nil {
			p.Say(at+"/set", dossier.ProblemRequired, "is missing")
		}
		v.field(p, at+"/value", at+"/set", e.Value, e.Set)
	case target == "":
		p.Word(at+"/type", e.Type, dossier.EffectTypes)
	default:
		v.entity(p, at+"/value", target, e.Value)
	}
}

// field reports a key that names no field of the candidate or the document, and a value that the
// field cannot have.
func (v *review) field(p *dossier.Problems, at, valueAt, key string, value any) {
	fieldType := ""
	switch where, ref := contextSource(key); where {
	case fromCustomFields:
		fieldType = v.known.CandidateFields[ref]
	case fromDocumentCustomFields:
		fieldType = v.known.DocumentFields[ref]
	case fromCandidate:
		if slices.Contains(dossier.TextKeys, ref) {
			fieldType = dossier.FieldText
		}
	}
	switch {
	case fieldType == "":
		p.Add(at, dossier.ProblemUnknown, "There is no field %s.%s", quoted(key),
			v.hint(key, slices.Concat(dossier.TextKeys,
				prefixed(prefixCustomField, v.known.CandidateFields),
				prefixed(prefixDocumentCustomField, v.known.DocumentFields)), "fields"))
	case value != nil:
		p.Value(valueAt, fieldType, value)
	}
}

// Outcome is the effect of the rules of a submission on the candidate of a test.
type Outcome struct {
	Rules   []dossier.RuleResult
	Changes []dossier.RuleEffect
	Status  string
	Field   func(key string) any // a value afterwards, nil for none
}

// Unmet returns a sentence for each expectation that an outcome does not meet.
func Unmet(e dossier.RuleExpectation, got Outcome) (sentences []string) {
	say := func(format string, args ...any) {
		sentences = append(sentences, fmt.Sprintf(format, args...))
	}
	WhyNot(got.Rules)
	for _, o := range e.Rules {
		n := slices.IndexFunc(got.Rules, func(r dossier.RuleResult) bool { return r.ID == o.ID })
		switch {
		case n < 0 || got.Rules[n].Matched == o.Matched:
		case o.Matched:
			say("Rule %d should match, and does not. %s", n+1, got.Rules[n].WhyNotMessage)
		default:
			say("Rule %d should not match, and does.", n+1)
		}
	}
	if e.Changes != nil {
		expected, changed := effectLines(e.Changes), effectLines(got.Changes)
		if lost := subtract(expected, changed); len(lost) > 0 {
			say("The rules should make these changes, and do not: %s.", strings.Join(lost, ", "))
		}
		if more := subtract(changed, expected); len(more) > 0 {
			say("The rules should not make these changes, and do: %s.", strings.Join(more, ", "))
		}
	}
	if e.Status != "" && e.Status != got.Status {
		say("The status should be %s, and is %s.", e.Status, got.Status)
	}
	for _, key := range slices.Sorted(maps.Keys(e.Fields)) {
		want, is := valueText(e.Fields[key]), valueText(got.Field(key))
		if want != is {
			say("%s should be %s, and is %s.", key, want, is)
		}
	}
	return sentences
}

// Effects returns the net changes of a decision as tests and comparisons name them.
func Effects(changes []Change) []dossier.RuleEffect {
	list := make([]dossier.RuleEffect, len(changes))
	for n, c := range changes {
		list[n] = dossier.RuleEffect{Type: c.Type, Value: c.Value, Set: c.Set}
	}
	return list
}

// effectLines returns each effect as a text that identifies it, in order.
func effectLines(effects []dossier.RuleEffect) []string {
	lines := make([]string, len(effects))
	for n, e := range effects {
		lines[n] = effectLine(e)
	}
	slices.Sort(lines)
	return lines
}

func effectLine(e dossier.RuleEffect) string {
	if e.Type == dossier.EffectSetField {
		return e.Type + " " + e.Value + " " + valueText(e.Set)
	}
	return e.Type + " " + e.Value
}

// subtract returns the lines that others do not have.
func subtract(lines, others []string) (left []string) {
	for _, line := range lines {
		if !slices.Contains(others, line) {
			left = append(left, line)
		}
	}
	return left
}

// valueText returns a value as JSON; no value is an empty text.
func valueText(v any) string {
	if v == nil {
		v = ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return clipMark // a type that no JSON has
	}
	return string(text)
}
