package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Rules keep their ids over other changes, and when they are sent back with or without ids.
func TestRuleIDs(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	one := "/documentTypes/" + d.make("/documentTypes", typeBody)
	condition := `{"type":"context","reference":"lastName","operator":"isEqual","value":[%q]}`
	rule := func(id, name string) string {
		if id != "" {
			id = fmt.Sprintf(`"id":%q,`, id)
		}
		return `{` + id + `"conditionsType":"and","conditions":[` + fmt.Sprintf(condition, name) +
			`],"actions":[]}`
	}
	rules := func(list ...string) string {
		return `{"submission":{"rules":[` + strings.Join(list, ",") + `]}}`
	}
	ids := func(a textResponse) []string {
		var ids []string
		for n := range a.len("submission", "rules") {
			ids = append(ids, a.str("submission", "rules", n, "id"))
		}
		return ids
	}
	first := ids(d.ok("PATCH", one, rules(rule("", "a"), rule("", "b"))))
	if len(first) != 2 || first[0] == first[1] || first[0] == "" {
		t.Fatalf("ids %v", first)
	}
	if got := ids(d.ok("PATCH", one, `{"name":"Other"}`)); !cmp.Equal(got, first) {
		t.Errorf("after another change: %v, want %v", got, first)
	}
	if got := ids(d.ok("PATCH", one, rules(rule("", "b"), rule("", "a")))); !cmp.Equal(got,
		[]string{first[1], first[0]}) {
		t.Errorf("sent back without ids, in another order: %v, want %v turned round", got, first)
	}
	got := ids(d.ok("PATCH", one, rules(rule("", "c"), rule(first[0], "changed"))))
	if len(got) != 2 || got[1] != first[0] || got[0] == first[0] || got[0] == first[1] {
		t.Errorf("one changed and one new: %v, had %v", got, first)
	}
	pointers := d.refuse("PATCH", one, rules(rule(first[1], "b")), http.StatusUnprocessableEntity,
		dossier.CodeValidation)
	if !cmp.Equal(pointers, []string{"/submission/rules/0/id"}) {
		t.Errorf("an id of no rule any more: %v", pointers)
	}
}

// Rules that can't have an effect are saved with a warning, which later responses show too.
func TestRuleWarnings(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	a, b := d.make("/documentTypes", typeBody), d.make("/documentTypes", typeBody)
	never := `{"name":"N","submission":{"rules":[{"conditionsType":"and","conditions":[
		{"type":"context","reference":"lastName","operator":"isEqual","value":"x"},{"type":"context","reference":"lastName","operator":"isEmpty"}],"actions":[]}]}}`
	undone := fmt.Sprintf(
		`{"name":"U","submission":{"rules":[{"conditionsType":"and","conditions":[],"actions":[
		{"type":"addDocumentType","value":%[1]q},{"type":"removeDocumentType","value":%[1]q}]}]}}`, a)
	for code, body := range map[string]string{dossier.WarningNeverMatches: never,
		dossier.WarningUndone: undone} {
		made := d.ok("POST", "/documentTypes", body)
		if made.len("warnings") != 1 || made.str("warnings", 0, "code") != code ||
			made.str("warnings", 0, "rules", 0) != made.str("submission", "rules", 0, "id") {
			t.Errorf("%s: %s", code, made.text)
		}
		if read := d.ok("GET", "/documentTypes/"+made.str("id"),
			""); !cmp.Equal(read.at("warnings"), made.at("warnings")) {
			t.Errorf("read: %s", read.text)
		}
	}
	d.ok("PATCH", "/documentTypes/"+a, ruled("Front", b, ""))
	cycle := d.ok("PATCH", "/documentTypes/"+b, ruled("Back", a, ""))
	if cycle.str("warnings", 0, "code") != dossier.WarningCycle ||
		!strings.Contains(cycle.str("warnings", 0, "message"), "Back → Front → Back") {
		t.Errorf("cycle: %s", cycle.text)
	}
}

// ruleProblems lists rules that are refused, and the pointer that the response names.
var ruleProblems = map[string]struct{ rule, pointer string }{
	"ErrConditionsType": {`{"conditionsType":"xor"}`, "/conditionsType"},
	"ErrOperator": {
		`{"conditionsType":"or","conditions":[{"type":"context","reference":"lastName","operator":"equals","value":"x"}]}`, "/conditions/0/operator",
	},
	"ErrReference": {
		`{"conditionsType":"or","conditions":[{"type":"context","reference":"surname","operator":"isEmpty"}]}`, "/conditions/0/reference",
	},
	"ErrCustomField": {
		`{"conditionsType":"or","conditions":[{"type":"context","reference":"cf_x","operator":"isEmpty"}]}`, "/conditions/0/reference",
	},
	"ErrParser": {
		`{"conditionsType":"or","conditions":[{"type":"fields","reference":"permit","operator":"isEmpty"}]}`, "/conditions/0/reference",
	},
	"ErrValue": {
		`{"conditionsType":"or","conditions":[{"type":"context","reference":"lastName","operator":"isEqual","value":{"a":1}}]}`, "/conditions/0/value",
	},
	"ErrTarget": {
		`{"conditionsType":"or","actions":[{"type":"removeForm","value":"frm_x"}]}`,
		"/actions/0/value",
	},
	"ErrTargetKind": {
		`{"conditionsType":"or","actions":[{"type":"applyPreset","value":"OTHER"}]}`,
		"/actions/0/value",
	},
	"ErrNoNotification": {
		`{"conditionsType":"or","actions":[{"type":"sendNotification","value":"SILENT"}]}`,
		"/actions/0/value",
	},
	"ErrMember": {`{"conditionsType":"or","action":[]}`, "/action"},
}

func TestRuleProblems(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	names := strings.NewReplacer("OTHER", d.make("/documentTypes", typeBody),
		"SILENT", d.make("/scenarios", `{"name":"s","eventName":"candidateCreated"}`))
	for name, c := range ruleProblems {
		body := `{"name":"T","submission":{"rules":[` + names.Replace(c.rule) + `]}}`
		got := d.refuse("POST", "/documentTypes", body, http.StatusUnprocessableEntity,
			dossier.CodeValidation)
		if !cmp.Equal(got, []string{"/submission/rules/0" + c.pointer}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if list := d.ok("GET", "/documentTypes", ""); list.len() != 1 {
		t.Errorf("something was stored: %s", list.text)
	}
}

// What no check can have read is refused: thirty rules of thirty conditions would bring a long text
// to its normal form again and again.
func TestSimulateBounds(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	path := "/documentTypes/" + d.make("/documentTypes", typeBody) + "/submission/simulate"
	long := strings.Repeat("\u1100\u1161\u11a8", dossier.MaxParsedText/3+1)
	many := `"` + strings.Repeat(`x","`, dossier.MaxParsed/8) + `x"`
	for pointer, parsed := range map[string]string{
		"/parsed/permit/number": `{"permit":{"number":"` + long + `"}}`,
		"/parsed":               `{"class":[` + many + `]}`,
	} {
		got := d.refuse("POST", path, `{"parsed":`+parsed+`}`, http.StatusUnprocessableEntity,
			dossier.CodeValidation)
		if !cmp.Equal(got, []string{pointer}) {
			t.Errorf("%s: %v", pointer, got)
		}
	}
}

func TestSimulate(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	d.make("/customFields", fieldBody)
	form, card, scenario := d.make("/forms", formBody), d.make("/documentTypes", typeBody),
		d.make("/scenarios", notifyBody)
	permit := d.make("/documentTypes", permitBody(card, scenario, form))
	path := "/documentTypes/" + permit + "/submission/simulate"
	candidate := d.make("/candidates",
		fmt.Sprintf(`{"firstName":"Ada","nationality":"NLD","formIds":[%q],"documentTypeIds":[%q]}`,
			form, permit))
	before := d.ok("GET", "/candidates/"+candidate, "").text

	a := d.ok("POST", path, fmt.Sprintf(
		`{"candidateId":%q,"parsed":{"permit":{"number":"NL-204","class":"CE"}}}`, candidate))
	if a.at("rules", 0, "matched") != true || a.at("rules", 0, "actions", 0, "changed") != true ||
		a.at("rules", 1, "actions", 0, "changed") != true {
		t.Errorf("simulated: %s", a.text)
	}
	if a.str("rules", 0, "conditions", 1, "read") != "NL-204" {
		t.Errorf("the rules don't read what is written back: %s", a.text)
	}
	if a.str("statusBefore") != dossier.StatusCollecting ||
		a.str("statusAfter") != dossier.StatusCollecting {
		t.Errorf("status, with a card requested: %s", a.text)
	}
	a = d.ok("POST", path, fmt.Sprintf(
		`{"candidateId":%q,"parsed":{},"submission":{"rules":[{"conditionsType":"and","conditions":[],"actions":[{"type":"removeForm","value":%q}]}]}}`, candidate, form))
	if a.str("statusAfter") != dossier.StatusApproved || a.str("rules", 0, "id") != "" {
		t.Errorf("other rules: %s", a.text)
	}
	if after := d.ok("GET", "/candidates/"+candidate, "").text; after != before {
		t.Errorf("the candidate was changed: %s", after)
	}
	if a := d.ok("POST", path, `{"parsed":{}}`); a.at("rules", 1, "matched") != false ||
		a.at("rules", 0, "conditions", 0, "missing") != true {
		t.Errorf("nobody: %s", a.text)
	}
	for body, pointer := range map[string]string{`{}`: "/parsed",
		`{"parsed":{},"candidateId":"cnd_x"}`:                           "/candidateId",
		`{"parsed":{},"submission":{"rules":[{"conditionsType":"x"}]}}`: "/submission/rules/0/conditionsType"} {
		if got := d.refuse("POST", path, body, http.StatusUnprocessableEntity,
			dossier.CodeValidation); !cmp.Equal(got, []string{pointer}) {
			t.Errorf("%s: %v", body, got)
		}
	}
}
