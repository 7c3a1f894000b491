package dossier_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestStatus derives the status of a candidate from what it is asked for.
func TestStatus(t *testing.T) {
	t.Parallel()
	type asked = []dossier.Requested
	required := func(states ...string) (list asked) {
		for _, s := range states {
			list = append(list, dossier.Requested{State: s, Required: true})
		}
		return list
	}
	optional := func(state string) dossier.Requested { return dossier.Requested{State: state} }
	const validated, removed = dossier.StateValidated, dossier.StateRemoved
	open := []dossier.CandidateForm{{FormID: "a", State: dossier.FormSubmitted},
		{FormID: "b", State: dossier.FormOpen}}
	for name, c := range map[string]struct {
		rejected bool
		asked    asked
		forms    []dossier.CandidateForm
		want     string
	}{
		"nothing": {want: dossier.StatusCollecting},
		"rejected": {rejected: true, asked: required(validated),
			want: dossier.StatusRejected},
		"validated": {asked: required(validated), want: dossier.StatusApproved},
		"one missing": {asked: required(validated, dossier.StateRequested),
			want: dossier.StatusCollecting},
		"one in review": {asked: required(validated, dossier.StateInReview),
			want: dossier.StatusInReview},
		"one processing": {asked: required(dossier.StateProcessing),
			want: dossier.StatusInReview},
		"removed":            {asked: required(validated, removed), want: dossier.StatusApproved},
		"removed alone":      {asked: required(removed), want: dossier.StatusCollecting},
		"optional validated": {asked: asked{optional(validated)}, want: dossier.StatusApproved},
		"optional missing": {asked: append(required(validated),
			optional(dossier.StateRequested)), want: dossier.StatusApproved},
		"optional alone": {asked: asked{optional(dossier.StateInReview)},
			want: dossier.StatusCollecting},
		"optional beside": {asked: append(required(dossier.StateRequested),
			optional(validated)), want: dossier.StatusCollecting},
		"open form": {asked: required(validated), forms: open,
			want: dossier.StatusCollecting},
		"open form in review": {asked: required(dossier.StateInReview), forms: open,
			want: dossier.StatusCollecting},
		"submitted form": {asked: required(validated), forms: open[:1],
			want: dossier.StatusApproved},
	} {
		requested := map[string]dossier.Requested{}
		for n, r := range c.asked {
			requested[fmt.Sprint("dty_", n)] = r
		}
		for range 10 { // the order of a map changes
			if got := dossier.Status(c.rejected, requested, c.forms); got != c.want {
				t.Fatalf("%s: %s, want %s", name, got, c.want)
			}
		}
	}
}

// TestTimeReads reads what RFC 3339 can write in UTC, and nothing else.
func TestTimeReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"2026-01-31T12:00:00.1239Z"`: "2026-01-31T12:00:00.123Z",
		`"2026-01-31T12:00:00+01:00"`: "2026-01-31T11:00:00.000Z",
		`"0000-01-01T00:00:00Z"`:      "0000-01-01T00:00:00.000Z",
		`"9999-12-31T23:59:59Z"`:      "9999-12-31T23:59:59.000Z",
		`"0000-01-01T00:00:00+01:00"`: "", `"9999-12-31T23:59:59-01:00"`: "", `"x"`: "", `""`: "",
		`1`: "", `12`: "", `{}`: "",
	} {
		var got dossier.Time
		err := json.Unmarshal([]byte(text), &got)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	var zero dossier.Time
	if err := json.Unmarshal([]byte("null"), &zero); err != nil || !zero.IsZero() {
		t.Errorf("null: %v, %v", zero, err)
	}
	if err := new(dossier.Time).UnmarshalJSON([]byte(`"`)); err == nil {
		t.Error("a quote alone is a moment")
	}
}

// TestKindOf names what an id is of, and nothing for other texts.
func TestKindOf(t *testing.T) {
	t.Parallel()
	const ulid = "01JD5T00000000000000000000"
	for id, want := range map[string]string{"cnd_" + ulid: "candidate", "cnd_": "", "cnd": "",
		"cdt_" + ulid + ulid: "candidate document type", "xyz_" + ulid: "",
		"cnd_" + ulid[1:]: "", "cnd_" + strings.ToLower(ulid): "",
		"cdt_" + ulid + strings.ToLower(ulid): "", "cnd_8" + ulid[1:]: "",
		"cnd_7" + ulid[1:]: "candidate"} {
		if got := dossier.KindOf(id); got != want {
			t.Errorf("%s: %q", id, got)
		}
	}
	candidate := dossier.NewCandidateID(ulid)
	if got := candidate.RuleRun(dossier.PrefixDocument + ulid); got !=
		dossier.PrefixRuleRun+ulid+ulid {
		t.Errorf("rule run %s", got)
	}
}

// TestScopes lets the write scope of a resource read it, and no other.
func TestScopes(t *testing.T) {
	t.Parallel()
	p := dossier.Principal{Scopes: []string{"a:write", "b:read", ":write"}}
	for scope, want := range map[string]bool{"a:read": true, "a:write": true, "b:read": true,
		"b:write": false, "c:read": false, ":read": false, "read": false, "a:xead": false} {
		if p.Has(scope) != want {
			t.Errorf("%s: %v", scope, !want)
		}
	}
	candidate := dossier.Principal{Kind: dossier.KindCandidate, ID: "i", CandidateID: "c",
		Name: "n"}.Author()
	admin := dossier.Principal{Kind: dossier.KindIntegration, ID: "i", Name: "n"}.Author()
	if candidate != (dossier.Author{Type: dossier.KindCandidate, ID: "c", Name: "n"}) ||
		admin != (dossier.Author{Type: dossier.KindAdministrator, ID: "i", Name: "n"}) {
		t.Errorf("authors %+v and %+v", candidate, admin)
	}
}

// TestFilled puts values in the place of placeholders.
func TestFilled(t *testing.T) {
	t.Parallel()
	values := map[string]string{"firstName": " Ada ", "reason": "{{firstName}}"}
	for text, want := range map[string]string{
		"Dear {{firstName}},":              "Dear Ada,",
		"Dear {{ firstName }}, {{reason}}": "Dear Ada, {{firstName}}",
		"Your {{documentType}}.":           "Your.",
		"Your {{documentType}} is":         "Your is",
		"Your {{documentType}}card":        "Your card",
		"Your {{documentType}}1":           "Your 1",
		"Your {{documentType}}(x)":         "Your (x)",
		"Your {{documentType}}":            "Your",
		"Old {{other}} stays {{":           "Old {{other}} stays {{",
		strings.Repeat("é", 4000):          strings.Repeat("é", 4000),
		strings.Repeat("é", 4001):          strings.Repeat("é", 3999) + "…",
	} {
		n := dossier.Notification{Subject: "a\n{{firstName}}", Text: text}.Filled(values)
		if n.Text != want || n.Subject != "a Ada" {
			t.Errorf("%.40q: %.40q, subject %q", text, n.Text, n.Subject)
		}
	}
	uses := dossier.Notification{Subject: "{{reason}}", Text: "{{x}} {{firstName}} {{dueAt}}"}
	if diff := cmp.Diff([]string{"firstName", "reason", "dueAt"}, uses.Uses()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"reason"}, uses.Without([]string{"firstName", "dueAt"})); diff !=
		"" {
		t.Error(diff)
	}
}

// TestNeeds names the values that a condition asks for: at most eight, and how many more.
func TestNeeds(t *testing.T) {
	t.Parallel()
	values := func(n int) (list []any) {
		for i := range n {
			list = append(list, fmt.Sprint(i+1))
		}
		return list
	}
	needs := func(conditions ...dossier.ConditionResult) string {
		n := dossier.NeededChange{Type: "fields", Reference: "k", Value: "v"}
		for i := range conditions {
			n.Conditions = append(n.Conditions, i)
		}
		return n.Needs(conditions, dossier.ConditionResult.Values)
	}
	is := func(reference string, read, value any) dossier.ConditionResult {
		return dossier.ConditionResult{Type: "fields", Reference: reference, Read: read,
			Operator: dossier.OpIsEqual, Value: value}
	}
	for _, c := range []struct{ got, want string }{
		{needs(is("k", nil, values(1))), "be 1"},
		{needs(is("k", nil, values(2))), "be 1 or 2"},
		{needs(is("k", nil, values(9))), "be 1, 2, 3, 4, 5, 6, 7, 8 or 9"},
		{needs(is("k", nil, values(10))), "be 1, 2, 3, 4, 5, 6, 7, 8 or one of 2 others"},
		{needs(is("k", []any{}, values(11))),
			"be exactly 1, 2, 3, 4, 5, 6, 7, 8 and 3 others"},
		{needs(is("k", nil, []any{" ", "1"})), "be 1 or empty"},
		{needs(is("k", nil, []any{map[string]any{}, 5.5})), "be 5.5"},
		{needs(is("k", nil, "1"), is("k", nil, "1"), is("other", nil, "2")), "be 1"},
		{needs(is("other", nil, "2")), "be v"},
		{needs(dossier.ConditionResult{Type: "fields", Reference: "k", Operator: "gone"}),
			"be another one"},
		{needs(dossier.ConditionResult{Type: "context", Reference: "k"}), "be v"},
		{dossier.NeededChange{}.Needs(nil, nil), "be empty"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	forms := dossier.ConditionResult{Type: "context", Reference: "forms",
		Operator: dossier.OpIsEqual, Value: values(2)}
	got := dossier.NeededChange{Type: "context", Reference: "forms", Conditions: []int{0}}.
		Needs([]dossier.ConditionResult{forms}, dossier.ConditionResult.Values)
	if got != "be exactly 1 and 2" {
		t.Errorf("forms: %q", got)
	}
}

// TestContextIsZero finds each member that a context may have alone.
func TestContextIsZero(t *testing.T) {
	t.Parallel()
	one := map[string]any{"a": 1.0}
	for n, c := range []dossier.RuleContext{{Candidate: map[string]string{"a": "b"}},
		{CustomFields: one}, {DocumentCustomFields: one}, {PassVerification: "x"},
		{Rejected: true}, {DocumentTypes: make([]dossier.ContextDocumentType, 1)},
		{Forms: make([]dossier.ContextForm, 1)}, {PresetIDs: []string{"a"}},
		{CustomFields: one, Candidate: map[string]string{"a": "b"}},
		{CustomFields: one, DocumentCustomFields: one},
		{DocumentTypes: make([]dossier.ContextDocumentType, 1), CustomFields: one},
		{Forms: make([]dossier.ContextForm, 1), CustomFields: one},
		{PresetIDs: []string{"a"}, CustomFields: one}} {
		if c.IsZero() {
			t.Errorf("%d: nothing in %+v", n, c)
		}
	}
	if !(dossier.RuleContext{}).IsZero() {
		t.Error("something in nothing")
	}
}

// TestValueTypes gives the values of a check their types.
func TestValueTypes(t *testing.T) {
	t.Parallel()
	own := []dossier.CheckField{{Reference: "other"}, {Reference: "pages", Type: "number"}}
	for _, c := range []struct {
		check           dossier.Check
		reference, want string
	}{
		{dossier.Check{Parser: dossier.ParserPDF, Fields: own}, "pages", "number"},
		{dossier.Check{Parser: dossier.ParserPDF, ExpiryReference: "ends"}, "ends", "date"},
		{dossier.Check{Parser: dossier.ParserPDF}, "birthDate", ""},
		{dossier.Check{Parser: dossier.ParserMRZ}, "birthDate", "date"},
		{dossier.Check{Parser: dossier.ParserMRZ}, "lastName", "text"},
		{dossier.Check{Parser: dossier.ParserBarcode}, "birthDate", "date"},
		{dossier.Check{Parser: dossier.ParserBarcode}, "lastName", "text"},
	} {
		if got := c.check.ValueType(c.reference); got != c.want {
			t.Errorf("%s of %s: %q", c.reference, c.check.Parser, got)
		}
	}
}

// TestCoerce brings parsed values to the types of fields.
func TestCoerce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field string
		v     any
		want  any
		ok    bool
	}{
		{dossier.FieldNumber, " 5.5 ", 5.5, true}, {dossier.FieldNumber, "x", nil, false},
		{dossier.FieldBoolean, "true", true, true}, {dossier.FieldBoolean, "x", nil, false},
		{dossier.FieldText, 5.0, "5", true}, {dossier.FieldText, []any{"a"}, nil, false},
		{dossier.FieldDate, "2026-01-31", "2026-01-31", true},
		{dossier.FieldDate, "31.1.2026", nil, false},
		{dossier.FieldList, "a", []any{"a"}, true},
		{dossier.FieldList, []any{"a"}, []any{"a"}, true},
		{dossier.FieldList, map[string]any{}, nil, false}, {"gone", "a", nil, false},
	} {
		got, ok := dossier.Coerce(c.field, c.v)
		if ok != c.ok || ok && !cmp.Equal(got, c.want) {
			t.Errorf("%v to %s: %v, %v", c.v, c.field, got, ok)
		}
	}
	parsed := map[string]any{"a": map[string]any{"b": "c"}}
	if v, ok := dossier.Lookup(parsed, "a.b"); !ok || v != "c" {
		t.Errorf("a.b is %v", v)
	}
	for _, reference := range []string{"a.c", "a.b.c", "b", ""} {
		if v, ok := dossier.Lookup(parsed, reference); ok {
			t.Errorf("%s is %v", reference, v)
		}
	}
}
