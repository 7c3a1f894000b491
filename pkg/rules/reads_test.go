package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// TestCut keeps what rules read of a document and a candidate, and nothing else.
func TestCut(t *testing.T) {
	t.Parallel()
	object := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	parsed := object("a", object("b", "1", "c", object("d", "2", "e", "3")), "a.b", "dotted",
		"list", []any{object("k", "v")}, "text", "t", "end.", "dot", "", object("x", "y"))
	for reference, want := range map[string]map[string]any{
		"a.b": object("a", object("b", "1")), "a.c.d": object("a", object("c", object("d", "2"))),
		"a.c": object("a", object("c", object("d", "2", "e", "3"))), "a": object("a", parsed["a"]),
		"a.x": nil, "x": nil, "list.k": object("list", parsed["list"]),
		"text": object("text", "t"), "text.x": object("text", "t"), "end.": object("end.", "dot"),
		".x": object("", object("x", "y")), "a.c.x": nil,
	} {
		cut, _ := rules.ReadsOf([]dossier.Rule{{Conditions: []dossier.Condition{
			of(reference, "isEmpty", nil)}}}).Cut(parsed, dossier.RuleContext{}, known())
		if diff := cmp.Diff(want, cut); diff != "" {
			t.Errorf("%s: %s", reference, diff)
		}
	}
	several := rules.ReadsOf([]dossier.Rule{{Conditions: []dossier.Condition{
		of("text", "isEmpty", nil), of("a.b", "isEmpty", nil), of("a.c.d", "isEmpty", nil),
		read("email", "isEmpty", nil), read("cf_driver", "isEmpty", nil),
		read("cf_gone", "isEmpty", nil), read("dcf_pages", "isEmpty", nil)}}})
	cut, c := several.Cut(parsed, dossier.RuleContext{
		Candidate:            map[string]string{"email": "e", "phone": "p"},
		CustomFields:         map[string]any{"driver": true, "skills": nil, "gone": "x"},
		DocumentCustomFields: map[string]any{"pages": 1.0, "issuer": "i"},
		DocumentTypes:        []dossier.ContextDocumentType{{ID: "dty_b"}, {ID: "dty_gone"}},
		Forms:                []dossier.ContextForm{{ID: "frm"}, {ID: "frm_gone"}},
		PresetIDs:            []string{"pst", "pst_gone"}}, known())
	if diff := cmp.Diff(object("text", "t",
		"a", object("b", "1", "c", object("d", "2"))), cut); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(dossier.RuleContext{Candidate: map[string]string{"email": "e"},
		CustomFields: map[string]any{"driver": true}, DocumentCustomFields: object("pages", 1.0),
		DocumentTypes: []dossier.ContextDocumentType{{ID: "dty_b"}},
		Forms:         []dossier.ContextForm{{ID: "frm"}}, PresetIDs: []string{"pst"}},
		c); diff != "" {
		t.Error(diff)
	}
	if !several.Has("email") || several.Has("phone") || several.Has("text") {
		t.Error("the context keys are not those of the conditions")
	}
}

// TestDifferentTests lists removed, added and changed tests.
func TestDifferentTests(t *testing.T) {
	t.Parallel()
	named := func(names ...string) (s dossier.Submission) {
		for _, name := range names {
			s.Tests = append(s.Tests, dossier.RuleTest{Name: name})
		}
		return s
	}
	before, after := named("a", "b", "c"), named("c", "b", "d")
	after.Tests[0].Expect.Status = dossier.StatusApproved
	var got []string
	for _, c := range rules.DiffTests(before, after) {
		got = append(got, c.Message)
	}
	want := []string{`The test "a" was removed.`, `The test "c" was changed.`,
		`The test "d" was added.`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEqualActions compares actions with their metadata, of which none is the same as empty.
func TestEqualActions(t *testing.T) {
	t.Parallel()
	with := func(a dossier.Action) dossier.Submission {
		return dossier.Submission{Rules: []dossier.Rule{always(a)}}
	}
	a, empty, full, other := add("dty_b"), add("dty_b"), add("dty_b"), remove("dty_b")
	empty.Metadata, full.Metadata = map[string]any{}, map[string]any{"k": "v"}
	for _, c := range []struct {
		a, b dossier.Action
		same bool
	}{{a, a, true}, {a, empty, true}, {a, full, false}, {full, full, true}, {a, other, false},
		{a, add("dty_c"), false}, {full, empty, false}} {
		if rules.Equal(with(c.a), with(c.b)) != c.same {
			t.Errorf("%+v and %+v: %v", c.a, c.b, !c.same)
		}
	}
}

// TestHistoryInOrder counts statuses and effects, the most frequent first.
func TestHistoryInOrder(t *testing.T) {
	t.Parallel()
	h := rules.NewHistory(nil, nil)
	effect := func(ids ...string) (list []dossier.RuleEffect) {
		for _, id := range ids {
			list = append(list, dossier.RuleEffect{Type: dossier.EffectAddForm, Value: id})
		}
		return list
	}
	for _, proposed := range []rules.Outcome{{Status: "b", Changes: effect("x")},
		{Status: "c", Changes: effect("x", "y")}, {Status: "c"}, {Status: "a"},
		{Status: "", Changes: effect("z", "y", "y2")}, {Status: "", Changes: effect("y")}} {
		h.Add(dossier.HistoryExample{CandidateID: "cnd_1"}, rules.Outcome{}, proposed)
	}
	h.Add(dossier.HistoryExample{CandidateID: "cnd_2"}, rules.Outcome{}, rules.Outcome{})
	r := h.Result(false)
	var statuses, got []string
	for _, s := range r.Statuses {
		statuses = append(statuses, s.Now)
	}
	for _, e := range r.Got {
		got = append(got, e.Value)
	}
	if diff := cmp.Diff([]string{"c", "a", "b"}, statuses); diff != "" || r.Statuses[0].Count != 2 {
		t.Error(diff, r.Statuses)
	}
	if diff := cmp.Diff([]string{"y", "x", "y2", "z"}, got); diff != "" {
		t.Error(diff)
	}
	if r.Different != 6 || r.Compared != 7 || r.Candidates != 1 {
		t.Errorf("%d of %d documents of %d candidates", r.Different, r.Compared, r.Candidates)
	}
}
