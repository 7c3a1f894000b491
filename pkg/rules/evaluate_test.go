package rules_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

func always(actions ...dossier.Action) dossier.Rule {
	return dossier.Rule{ConditionsType: dossier.ConditionsAnd, Actions: actions}
}

func when(reference, operator string, value any, actions ...dossier.Action) dossier.Rule {
	kind := dossier.ConditionContext
	if reference, ok := strings.CutPrefix(reference, "parsed:"); ok {
		return dossier.Rule{ConditionsType: dossier.ConditionsAnd, Actions: actions,
			Conditions: []dossier.Condition{
				{Type: dossier.ConditionFields, Reference: reference, Operator: operator,
					Value: value},
			}}
	}
	return dossier.Rule{ConditionsType: dossier.ConditionsAnd, Actions: actions,
		Conditions: []dossier.Condition{
			{Type: kind, Reference: reference, Operator: operator, Value: value},
		}}
}

func add(id string) dossier.Action {
	return dossier.Action{Type: dossier.ActionAddDocumentType, Value: id}
}
func remove(id string) dossier.Action {
	return dossier.Action{Type: dossier.ActionRemoveDocumentType, Value: id}
}
func removeForm(id string) dossier.Action {
	return dossier.Action{Type: dossier.ActionRemoveForm, Value: id}
}
func apply(id string) dossier.Action {
	return dossier.Action{Type: dossier.ActionApplyPreset, Value: id}
}
func notify(id string) dossier.Action {
	return dossier.Action{Type: dossier.ActionSendNotification, Value: id}
}

func changed(a dossier.Action) rules.Change {
	return rules.Change{Type: a.Type, Value: a.Value, Metadata: a.Metadata}
}

// facts returns the facts that the action tests start from.
func facts() rules.Facts {
	return rules.Facts{
		Candidate:     map[string]string{"nationality": "NLD", "status": "collecting"},
		CustomFields:  map[string]any{"permit": "NL-1"},
		DocumentTypes: []string{"dty_a", "dty_b", "dty_frozen"}, Frozen: []string{"dty_frozen"},
		Forms: []string{"frm_a"}, Presets: []string{"pst_old"},
		PresetContents: map[string]rules.PresetContent{
			"pst": {Set: map[string]any{"nationality": "BEL", "cf_permit": "NL-1", "cf_class": "C",
				"language": "nl"},
				DocumentTypeIDs: []string{"dty_a", "dty_new", "dty_gone"},
				FormIDs:         []string{"frm_a", "frm_new"}},
			"pst_old": {},
		},
		Missing: map[string]bool{"dty_gone": true, "frm_gone": true, "scn_gone": true},
	}
}

var presetChanges = []rules.Change{changed(apply("pst")),
	{Type: rules.ChangeSetValue, Value: "cf_class", Set: "C", Preset: "pst"},
	{Type: rules.ChangeSetValue, Value: "language", Set: "nl", Preset: "pst"},
	{Type: rules.ChangeSetValue, Value: "nationality", Set: "BEL", Preset: "pst"},
	{Type: dossier.ActionAddDocumentType, Value: "dty_new", Preset: "pst"},
	{Type: rules.ChangeAddForm, Value: "frm_new", Preset: "pst"}}
var withMetadata = dossier.Action{Type: dossier.ActionAddDocumentType, Value: "dty_c",
	Metadata: map[string]any{"required": false}}

var actionCases = map[string]struct {
	rules   []dossier.Rule
	reasons []string // of all actions of rules that match, in order
	changes []rules.Change
}{
	"OK add": {[]dossier.Rule{always(withMetadata)}, []string{""},
		[]rules.Change{changed(withMetadata)}},
	"OK remove": {[]dossier.Rule{always(remove("dty_a"))}, []string{""},
		[]rules.Change{changed(remove("dty_a"))}},
	"OK remove form": {[]dossier.Rule{always(removeForm("frm_a"))}, []string{""},
		[]rules.Change{changed(removeForm("frm_a"))}},
	"OK notify": {[]dossier.Rule{always(notify("scn"))}, []string{""},
		[]rules.Change{changed(notify("scn"))}},
	"OK preset": {[]dossier.Rule{always(apply("pst"))}, []string{""},
		presetChanges},
	"OK add then remove is nil": {[]dossier.Rule{always(add("dty_c")), always(remove("dty_c"))},
		[]string{"", ""}, nil},
	"OK remove then add is both": {[]dossier.Rule{always(remove("dty_a")), always(add("dty_a"))},
		[]string{"", ""},
		[]rules.Change{changed(remove("dty_a")), changed(add("dty_a"))}},
	"OK remove, add, remove is one removal": {
		[]dossier.Rule{always(remove("dty_a"), add("dty_a"), remove("dty_a"))},
		[]string{"", "", ""},
		[]rules.Change{changed(remove("dty_a"))},
	},
	"OK what a preset added can be removed": {
		[]dossier.Rule{always(apply("pst"), remove("dty_new"), removeForm("frm_new"))},
		[]string{"", "", ""}, presetChanges[:4],
	},
	"OK later rule sees it": {[]dossier.Rule{
		when("documentTypes", dossier.OpContains, "dty_c", notify("early")), always(add("dty_c")),
		when("documentTypes", dossier.OpContains, "dty_c", notify("scn")),
	}, []string{"", ""},
		[]rules.Change{changed(add("dty_c")), changed(notify("scn"))}},
	"OK later rule sees what a preset set": {
		[]dossier.Rule{always(apply("pst")),
			when("nationality", dossier.OpIsEqual, "BEL", notify("a")),
			when("cf_class", dossier.OpIsEqual, "C", notify("b")),
			when("presets", dossier.OpContains, "pst", notify("c")),
			when("forms", dossier.OpContains, "frm_new", notify("d"))},
		[]string{"", "", "", "", ""},
		append(presetChanges[:6:6], changed(notify("a")), changed(notify("b")),
			changed(notify("c")), changed(notify("d"))),
	},
	"ErrAlreadyRequested": {[]dossier.Rule{always(add("dty_a"))},
		[]string{dossier.ReasonAlreadyRequested}, nil},
	"ErrNotRequested": {[]dossier.Rule{always(remove("dty_c"))},
		[]string{dossier.ReasonNotRequested}, nil},
	"ErrBeingChecked": {[]dossier.Rule{always(remove("dty_frozen"))},
		[]string{dossier.ReasonBeingChecked}, nil},
	"ErrNoSuchForm": {[]dossier.Rule{always(removeForm("frm_b"))},
		[]string{dossier.ReasonNoSuchForm}, nil},
	"ErrAlreadyApplied": {[]dossier.Rule{always(apply("pst_old"))},
		[]string{dossier.ReasonAlreadyApplied}, nil},
	"ErrAppliedInThisRun": {[]dossier.Rule{always(apply("pst")), always(apply("pst"))},
		[]string{"", dossier.ReasonAlreadyApplied}, presetChanges},
	"ErrNotifiedInThisRun": {[]dossier.Rule{always(notify("scn"), notify("scn"))},
		[]string{"", dossier.ReasonAlreadyApplied}, []rules.Change{changed(notify("scn"))}},
	"ErrDeletedDocumentType": {[]dossier.Rule{always(add("dty_gone"), remove("dty_gone"))},
		[]string{dossier.ReasonTargetDeleted, dossier.ReasonTargetDeleted}, nil},
	"ErrDeletedOthers": {[]dossier.Rule{
		always(removeForm("frm_gone"), notify("scn_gone"), apply("pst_gone")),
	},
		[]string{dossier.ReasonTargetDeleted, dossier.ReasonTargetDeleted,
			dossier.ReasonTargetDeleted}, nil},
}

func TestActions(t *testing.T) {
	t.Parallel()
	for name, c := range actionCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := facts()
			spare := append(f.DocumentTypes, "spare") // room behind a list is the caller's too
			f.DocumentTypes = spare[:len(spare)-1]
			d, after := rules.EvaluateFacts(c.rules, f)
			var reasons []string
			for _, r := range d.Rules {
				for _, a := range r.Actions {
					reasons = append(reasons, a.Reason)
					if a.Changed != (a.Reason == "") {
						t.Errorf("changed %v with reason %q", a.Changed, a.Reason)
					}
				}
			}
			if diff := cmp.Diff(c.reasons, reasons); diff != "" {
				t.Error("reasons:", diff)
			}
			if diff := cmp.Diff(c.changes, d.Changes); diff != "" &&
				len(c.changes)+len(d.Changes) > 0 {
				t.Error("changes:", diff)
			}
			if diff := cmp.Diff(facts(), f); diff != "" || spare[len(spare)-1] != "spare" {
				t.Error("the facts were changed:", diff)
			}
			if diff := cmp.Diff(replay(facts(), d.Changes), ids(after)); diff != "" {
				t.Error("the changes don't lead to the facts after:", diff)
			}
		})
	}
}

// ids are the lists of the facts that actions change, as sets.
func ids(f rules.Facts) map[string]bool {
	out := make(map[string]bool)
	for _, list := range [][]string{f.DocumentTypes, f.Forms, f.Presets} {
		for _, id := range list {
			out[id] = true
		}
	}
	return out
}

// replay does the changes as a caller would.
func replay(f rules.Facts, changes []rules.Change) map[string]bool {
	out := ids(f)
	for _, c := range changes {
		switch c.Type {
		case dossier.ActionAddDocumentType, dossier.ActionApplyPreset, rules.ChangeAddForm:
			out[c.Value] = true
		case dossier.ActionRemoveDocumentType, dossier.ActionRemoveForm:
			delete(out, c.Value)
		}
	}
	return out
}

func TestHowConditionsCombine(t *testing.T) {
	t.Parallel()
	yes := dossier.Condition{Type: dossier.ConditionContext, Reference: "firstName",
		Operator: dossier.OpIsEmpty}
	no := dossier.Condition{Type: dossier.ConditionContext, Reference: "firstName",
		Operator: dossier.OpIsNotEmpty}
	for name, c := range map[string]struct {
		and, or    bool
		conditions []dossier.Condition
	}{
		"OK none":     {true, false, nil},
		"OK yes":      {true, true, []dossier.Condition{yes}},
		"OK no":       {false, false, []dossier.Condition{no}},
		"OK yes, no":  {false, true, []dossier.Condition{yes, no}},
		"OK no, yes":  {false, true, []dossier.Condition{no, yes}},
		"OK no, no":   {false, false, []dossier.Condition{no, no}},
		"OK yes, yes": {true, true, []dossier.Condition{yes, yes}},
		"ErrNoOperator": {false, false,
			[]dossier.Condition{{Type: dossier.ConditionContext, Reference: "firstName",
				Operator: "isnt"}}},
		"OK other place": {true, true,
			[]dossier.Condition{{Type: "elsewhere", Reference: "firstName",
				Operator: dossier.OpIsEmpty}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := rules.Compile([]dossier.Rule{
				{ConditionsType: dossier.ConditionsAnd, Conditions: c.conditions},
				{ConditionsType: dossier.ConditionsOr, Conditions: c.conditions},
			})
			d := p.Evaluate(rules.Facts{})
			if d.Rules[0].Matched != c.and || d.Rules[1].Matched != c.or {
				t.Errorf("and %v, or %v; want %v, %v", d.Rules[0].Matched, d.Rules[1].Matched,
					c.and, c.or)
			}
			for _, r := range d.Rules {
				if len(r.Conditions) != len(c.conditions) {
					t.Errorf("%d of %d conditions in the trace", len(r.Conditions),
						len(c.conditions))
				}
				for i, got := range r.Conditions {
					if want := c.conditions[i].Operator == dossier.OpIsEmpty; got.Result != want {
						t.Errorf("condition %d is %v", i, got.Result)
					}
				}
			}
		})
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	parsed := map[string]any{
		"permit": map[string]any{"class": "CE", "number": "NL-204", "0": "zero"},
		"people": []any{map[string]any{"name": "Ada",
			"cars": []any{map[string]any{"plate": "A-1"}, map[string]any{"plate": "A-2"}}},
			map[string]any{"name": "Bob"}, "nobody",
			map[string]any{"cars": []any{map[string]any{"plate": "B-1"}}}},
		"tags": []any{"x", "y"}, "a.b": "dotted",
		"a": map[string]any{"c": "nested", "b.d": "inner"}, "a.c": "hidden", "empty": []any{},
		"nothing": nil, "12": "twelve",
	}
	for reference, want := range map[string]any{
		"permit.class": "CE", "permit": parsed["permit"], "permit.0": "zero", "permit.class.x": nil,
		"permit.": nil, ".permit": nil, "": nil, ".": nil,
		"people.name": []any{"Ada", "Bob"}, "people.1.name": "Bob", "people.01.name": nil,
		"people.9.name": nil, "people.cars.plate": []any{"A-1", "A-2", "B-1"},
		"people.0.cars.1.plate": "A-2", "people.cars.0.plate": []any{"A-1", "B-1"}, "tags.1": "y",
		"tags.2": nil, "tags.-1": nil, "tags.x": nil, "a.b": "dotted",
		"a.c": "nested", "a.b.d": "inner", "empty.x": nil, "empty": []any{}, "nothing": nil,
		"12": "twelve", "permit.class.": nil,
	} {
		t.Run("OK "+reference, func(t *testing.T) {
			t.Parallel()
			_, r := decide(t, dossier.Condition{Type: dossier.ConditionFields, Reference: reference,
				Operator: dossier.OpIsEmpty}, rules.Facts{Parsed: parsed})
			if diff := cmp.Diff(want, r.Read); diff != "" || r.Missing != (want == nil) {
				t.Errorf("missing %v, read %s", r.Missing, diff)
			}
		})
	}
}

func TestMinusZeroIsZero(t *testing.T) {
	t.Parallel()
	zero := math.Copysign(0, -1)
	for _, c := range [][2]any{{zero, 0.0}, {0.0, zero}, {zero, "0"}, {"0", zero},
		{[]any{zero}, []any{"0"}}} {
		condition := dossier.Condition{Type: dossier.ConditionFields, Reference: "k",
			Operator: dossier.OpIsEqual, Value: c[1]}
		if equal, _ := decide(t, condition,
			rules.Facts{Parsed: map[string]any{"k": c[0]}}); !equal {
			t.Errorf("%v is not %v", c[0], c[1])
		}
	}
}

func TestTraceIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300)
	nested := any("deep")
	for range 50 {
		nested = []any{map[string]any{long: nested, "z": long}}
	}
	for name, v := range map[string]any{"text": long, "list": []any{long, long},
		"numbers": make([]any, 5000), "object": map[string]any{"k": long, long: 1.0},
		"nested": nested} {
		t.Run("OK "+name, func(t *testing.T) {
			t.Parallel()
			_, r := decide(t, dossier.Condition{Type: dossier.ConditionFields, Reference: "k",
				Operator: dossier.OpIsNotEmpty}, rules.Facts{Parsed: map[string]any{"k": v}})
			b, err := json.Marshal(r.Read)
			if n := utf8.RuneCount(b); err != nil || n > 400 {
				t.Errorf("%d characters are kept: %s, %v", n, b, err)
			}
		})
	}
	_, r := decide(t, dossier.Condition{Type: dossier.ConditionFields, Reference: "k",
		Operator: dossier.OpIsNotEmpty}, rules.Facts{Parsed: map[string]any{"k": long}})
	if want := strings.Repeat("é", 256) + "…"; r.Read != want {
		t.Errorf("a long text is kept as %v", r.Read)
	}
}

// TestRunFitsAnItem keeps the trace of the largest rules that can be saved below the 400 KB of an
// item of the table.
func TestRunFitsAnItem(t *testing.T) {
	t.Parallel()
	parsed := map[string]any{"k": strings.Repeat("\u2003é", 5000)}
	rule := always()
	for range dossier.MaxConditions {
		rule.Conditions = append(rule.Conditions,
			dossier.Condition{Type: dossier.ConditionFields, Reference: "k",
				Operator: dossier.OpIsNotEmpty})
	}
	list := make([]dossier.Rule, dossier.MaxRules)
	for i := range list {
		list[i] = rule
	}
	if problems, _ := rules.Review(dossier.Submission{Rules: list},
		rules.Catalog{}); len(problems) > 0 {
		t.Fatal(problems)
	}
	b, err := json.Marshal(rules.Evaluate(list, rules.Facts{Parsed: parsed}).Rules)
	if err != nil || len(b) > 350_000 {
		t.Errorf("the trace has %d bytes, %v", len(b), err)
	}
}
