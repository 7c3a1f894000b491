package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// An index has at most nine digits, and an empty segment is none.
func TestIndexes(t *testing.T) {
	t.Parallel()
	ten := make([]any, 11)
	for i := range ten {
		ten[i] = fmt.Sprint("e", i)
	}
	parsed := map[string]any{"list": ten, "end.": "dot",
		"big": []any{map[string]any{"123456789": "nine", "1234567890": "ten"}},
		"":    map[string]any{"a": "below nothing"}}
	for reference, want := range map[string]any{"list.9": "e9", "list.10": "e10", "list.11": nil,
		"list.": nil, "big.123456789": nil, "big.1234567890": []any{"ten"}, "end.": "dot",
		".a": "below nothing"} {
		_, r := decide(t, dossier.Condition{Type: dossier.ConditionFields, Reference: reference,
			Operator: dossier.OpIsEmpty}, rules.Facts{Parsed: parsed})
		if diff := cmp.Diff(want, r.Read); diff != "" {
			t.Errorf("%s: %s", reference, diff)
		}
	}
}

// Texts compare in NFC and without white space around them, whatever bytes they consist of.
func TestTextsOfBytesBeyondASCII(t *testing.T) {
	t.Parallel()
	for read, value := range map[string]string{"\u1112\u1161": "\ud558", "abc\u2000": "abc",
		"\u2000abc": "abc", "e\u0301": "\u00e9"} {
		for _, pair := range [][2]string{{read, value}, {value, read}} {
			if equal, _ := decide(t, dossier.Condition{Type: dossier.ConditionFields,
				Reference: "k", Operator: dossier.OpIsEqual, Value: pair[0]},
				rules.Facts{Parsed: map[string]any{"k": pair[1]}}); !equal {
				t.Errorf("%q is not %q", pair[1], pair[0])
			}
		}
	}
}

// What a trace keeps of a value ends where 256 characters are used up, at 20 elements or members,
// and below four lists or objects.
func TestWhatATraceKeeps(t *testing.T) {
	t.Parallel()
	text := strings.Repeat
	members, kept := map[string]any{}, map[string]any{}
	for i := range 30 {
		members[fmt.Sprintf("%02d", i)] = ""
		if i < 20 {
			kept[fmt.Sprintf("%02d", i)] = ""
		}
	}
	twenties := append(repeat[any](text("x", 20), 11), text("x", 14)+"…")
	for name, c := range map[string]struct{ read, want any }{
		"OK used up": {[]any{text("a", 254), "b"}, []any{text("a", 254)}},
		"OK used up by members": {map[string]any{text("a", 250): "bc", "b": "c"},
			map[string]any{text("a", 250): "bc"}},
		"OK cut":     {repeat[any](text("x", 20), 20), twenties},
		"OK members": {members, kept},
		"OK lists": {[]any{[]any{[]any{[]any{[]any{"deep"}}}}},
			[]any{[]any{[]any{[]any{"…"}}}}},
		"OK objects": {below(6, "deep"), below(4, "…")},
		"OK two bytes a character": {[]any{text("ü", 130), text("ü", 130)},
			[]any{text("ü", 130), text("ü", 124) + "…"}},
	} {
		_, r := decide(t, dossier.Condition{Type: dossier.ConditionFields, Reference: "k",
			Operator: dossier.OpIsNotEmpty}, rules.Facts{Parsed: map[string]any{"k": c.read}})
		if diff := cmp.Diff(c.want, r.Read); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	_, r := decide(t, dossier.Condition{Type: dossier.ConditionContext, Reference: "forms",
		Operator: dossier.OpIsNotEmpty}, rules.Facts{Forms: []string{text("f", 254), "g"}})
	if diff := cmp.Diff([]any{text("f", 254)}, r.Read); diff != "" {
		t.Error("OK ids:", diff)
	}
}

// below puts a value into so many objects.
func below(depth int, v any) any {
	for range depth {
		v = map[string]any{"k": v}
	}
	return v
}

// A preset replaces a custom field of another value, and leaves one of the same value alone.
func TestPresetOverValues(t *testing.T) {
	t.Parallel()
	d := rules.Evaluate([]dossier.Rule{always(apply("p"))}, rules.Facts{
		Candidate:    map[string]string{"language": "nl"},
		CustomFields: map[string]any{"permit": "old", "class": "C"},
		PresetContents: map[string]rules.PresetContent{"p": {Set: map[string]any{
			"language": "nl", "cf_permit": "new", "cf_class": "C"}}}})
	want := []rules.Change{changed(apply("p")),
		{Type: rules.ChangeSetValue, Value: "cf_permit", Set: "new", Preset: "p"}}
	if diff := cmp.Diff(want, d.Changes); diff != "" {
		t.Error(diff)
	}
}

// Removing what was requested before leaves what this run added.
func TestRemovalKeepsOtherAdditions(t *testing.T) {
	t.Parallel()
	d := rules.Evaluate([]dossier.Rule{always(add("new"), remove("old"))},
		rules.Facts{DocumentTypes: []string{"old"}})
	want := []rules.Change{changed(add("new")), changed(remove("old"))}
	if diff := cmp.Diff(want, d.Changes); diff != "" {
		t.Error(diff)
	}
}

// A value, a list or a rule at its bound is fine; one more is a problem.
func TestReviewAtTheBounds(t *testing.T) {
	t.Parallel()
	values := func(n int) any { return repeat[any]("x", n) }
	text := func(n int) any { return strings.Repeat("é", n) }
	object := func(n int) map[string]any {
		return map[string]any{"k": strings.Repeat("x", n-len(`{"k":""}`))}
	}
	bounds := map[string]struct {
		last int
		rule func(n int) dossier.Rule
	}{
		"values": {100, func(n int) dossier.Rule {
			return condition(fields, "permit.class", "isEqual", values(n))
		}},
		"text": {1000, func(n int) dossier.Rule {
			return condition(fields, "permit.class", "isEqual", text(n))
		}},
		"reference": {dossier.MaxReference, func(n int) dossier.Rule {
			return condition(fields, "permit."+strings.Repeat("x", n-7), "isEmpty", nil)
		}},
		"actions": {dossier.MaxActions, func(n int) dossier.Rule {
			return always(repeat(add("dty_b"), n)...)
		}},
		"metadata": {dossier.MaxMetadata, func(n int) dossier.Rule {
			return metadata(object(n))
		}},
	}
	for name, c := range bounds {
		k := known()
		k.References = nil
		if problems, _ := rules.Review(dossier.Submission{Rules: []dossier.Rule{c.rule(c.last)}},
			k); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
		problems, _ := rules.Review(
			dossier.Submission{Rules: []dossier.Rule{c.rule(c.last + 1)}}, k)
		if len(problems) != 1 {
			t.Errorf("%s: %d problems beyond the bound: %v", name, len(problems), problems)
		}
	}
}

// A switched-off rule, and an action that leads nowhere, do not hide what comes after them.
func TestWarningsAfterOthers(t *testing.T) {
	t.Parallel()
	off := always(remove("dty_c"))
	off.Mode = dossier.ModeOff
	never := when("status", "isEqual", "never")
	list := numbered(off, always(add("dty_b"), add("dty_c")), never,
		always(notify("scn"), remove("dty_c")),
		dossier.Rule{ConditionsType: dossier.ConditionsOr}, always(remove("dty_b")))
	_, warnings := rules.Review(dossier.Submission{Rules: list}, catalog(6))
	var got []string
	for _, w := range warnings {
		got = append(got, w.Message)
	}
	want := []string{"The conditions exclude each other, so the rule never matches.",
		"A rule with the conditionsType \"or\" and no conditions never matches.",
		"Rule 2 adds the document type \"dty_b\", and rule 6, which can match in the same run, removes it again.",
		"Rule 2 adds the document type \"dty_c\", and rule 4, which can match in the same run, removes it again."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// catalog is known with so many rules.
func catalog(n int) rules.Catalog {
	k := known()
	for i := range n {
		k.RuleIDs[fmt.Sprint("rul_", i+1)] = true
	}
	return k
}

// Of the ways back that a rule has, one is told, also where its first action has none.
func TestOneCycleOfARule(t *testing.T) {
	t.Parallel()
	back := dossier.Rule{ID: "rul_b", ConditionsType: "and",
		Actions: []dossier.Action{add("dty_a")}}
	off := always(add("dty_c"))
	off.Mode = dossier.ModeOff
	k := catalog(2)
	k.Others = []dossier.DocumentType{
		{ID: "dty_b", Name: "Card", Submission: dossier.Submission{
			Rules: []dossier.Rule{off, back},
		}},
		{ID: "dty_c", Name: "Visa"}}
	_, warnings := rules.Review(dossier.Submission{
		Rules: numbered(always(add("dty_c"), add("dty_b"), add("dty_a")))}, k)
	if diff := cmp.Diff([]string{"cycle /submission/rules/0/actions [rul_1 rul_b]"},
		told(warnings)); diff != "" {
		t.Error(diff)
	}
}

// A removed rule is told with the position it had, and a rule that stays counts as one.
func TestPositionsOfTheCompared(t *testing.T) {
	t.Parallel()
	a, b := dossier.Rule{ID: "rul_a"}, dossier.Rule{ID: "rul_b"}
	changes := rules.Diff(dossier.Submission{Rules: []dossier.Rule{a, b}},
		dossier.Submission{Rules: []dossier.Rule{a}})
	if len(changes) != 1 || changes[0].BeforePosition != 2 {
		t.Errorf("changes: %+v", changes)
	}
	h := rules.NewHistory([]dossier.Rule{a}, []dossier.Rule{a})
	same := rules.Outcome{Rules: []dossier.RuleResult{{Matched: true}}}
	h.Add(dossier.HistoryExample{CandidateID: "cnd_1"}, same, same)
	if got := h.Result(false); len(got.Rules) != 1 || got.Different != 0 || got.Candidates != 0 {
		t.Errorf("history: %+v", got)
	}
}

// A type that was deleted does not count once it is removed, and what a candidate has already is
// not too much.
func TestLimitsOfWhatIsThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		facts   rules.Facts
		actions []dossier.Action
	}{
		"OK deleted": {rules.Facts{DocumentTypes: append(idsOf("dty", 99), "gone"),
			Missing: map[string]bool{"gone": true}},
			[]dossier.Action{remove("gone"), add("new")}},
		"OK forms that are there": {rules.Facts{Forms: idsOf("frm", dossier.MaxForms+1),
			PresetContents: map[string]rules.PresetContent{"p": {FormIDs: []string{"frm_1"}}}},
			[]dossier.Action{apply("p")}},
	} {
		d := rules.Evaluate([]dossier.Rule{always(c.actions...)}, c.facts)
		for _, a := range d.Rules[0].Actions {
			if a.Reason != "" {
				t.Errorf("%s: %s %s: %s", name, a.Type, a.Value, a.Reason)
			}
		}
	}
}
