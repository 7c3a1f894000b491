package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// everything names every kind of settings, in cycles.
const everything = `
documentTypes:
- name: A
  sharedWith: []
  rules:
  - conditionsType: or
    mode: shadow
    conditions:
    - {type: context, reference: documentTypes, operator: contains, value: [A, B]}
    - {type: context, reference: forms, operator: contains, value: F}
    - {type: context, reference: birthDate, operator: isEqual, value: 2000-01-02}
    actions:
    - {type: addDocumentType, value: B, metadata: {required: false}}
    - {type: removeDocumentType, value: A}
    - {type: removeForm, value: F}
    - {type: applyPreset, value: P}
- name: B
  check: {parser: none, decision: manual}
  rules:
  - conditionsType: and
    actions: [{type: sendNotification, value: S}]
scenarios:
- {name: S, eventName: candidateApproved, documentTypes: [A, B], notification: {subject: S, text: T}}
presets:
- {name: P, set: {cf_x: 5, language: nl}, documentTypes: [B], forms: [F]}
forms: [{name: F}]
fields: [{entity: candidate, reference: x, type: number, label: X}]
registrationPages:
- {name: R, slug: r, active: false, documents: [{documentType: A, required: false}], preset: P}
`

// TestExport applies settings that name each other, and exports them: the export applies without a
// change, in the same company and in an empty one. All of them can be deleted.
func TestExport(t *testing.T) {
	t.Parallel()
	o := operate(t, everything)
	o.want(0, []string{`updated the document type`}, "apply", o.file)
	o.want(0, []string{"Nothing to change."}, "apply", o.file)
	exported := filepath.Join(t.TempDir(), "exported.yaml")
	o.want(0, nil, "export", exported)
	o.want(1, []string{"exists"}, "export", exported)
	o.want(0, []string{"Nothing to change."}, "apply", exported)
	text, err := os.ReadFile(exported)
	if err != nil {
		t.Fatal(err)
	}
	if printed := o.want(0, nil, "export"); printed != string(text) {
		t.Errorf("printed\n%s\nwritten\n%s", printed, text)
	}
	other := operate(t, string(text))
	other.want(0, nil, "apply", other.file)
	if again := other.want(0, nil, "export"); again != string(text) {
		t.Errorf("another company exports\n%s\ninstead of\n%s", again, text)
	}
	o.write("documentTypes:\n- name: A\n") // without rules, so that nothing is left in a cycle
	o.want(0, []string{`deleted the scenario "S"`, `deleted the field "candidate.x"`}, "apply",
		o.file)
	if left := o.want(0, nil, "export"); left != "documentTypes:\n  - name: A\n" {
		t.Errorf("left\n%s", left)
	}
}

// TestInterrupted has the service refuse a value in the middle of an apply. The next apply of the
// mended file goes on from there.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	o := operate(t, strings.Replace(everything, "cf_x: 5", "cf_x: five", 1))
	o.want(1, []string{`created the form "F"`, `create the preset "P": VALIDATION_FAILED`,
		"/set/cf_x"}, "apply", o.file)
	o.write(everything)
	out := o.want(0, []string{`created the preset "P"`}, "apply", o.file)
	if strings.Contains(out, `the form "F"`) {
		t.Errorf("the form is written again:\n%s", out)
	}
	o.want(0, []string{"Nothing to change."}, "apply", o.file)
	secrets := filepath.Join(t.TempDir(), "secrets")
	o.write(everything + `integrations:
- {name: I, triggerEvent: candidateApproved, target: {type: webhook, url: "http://127.0.0.1:9/"}}
`)
	o.want(1, []string{"/target/url"}, "apply", "--secrets", secrets, o.file)
	if _, err := os.Stat(secrets); err == nil {
		t.Error("a file without secrets is left")
	}
	o.write(strings.Replace(everything, "type: number", "type: text", 1))
	o.want(2, []string{":27: /fields/0/type: The field exists with the type number"}, "apply",
		"--overwrite", o.file)
}

// badFiles are texts of files, with the exit code and what is printed about them.
var badFiles = map[string]struct {
	text string
	code int
	want []string
}{
	"YAML": {"forms: [", 2, []string{"yaml: line 1"}},
	"Section": {"\nfroms: []\n", 2,
		[]string{":2: /froms: There is no such member. Did you mean \"forms\"?"}},
	"Member": {"forms:\n- name: A\n  feilds: []\n", 2,
		[]string{":3: /forms/0/feilds: There is no such member. Did you mean \"fields\"?"}},
	"Missing": {"forms:\n- fields: []\n", 2,
		[]string{`:2: /forms/0: required: missing properties: ["name"]`}},
	"Word": {"scenarios:\n- name: A\n  eventName: candidateAproved\n", 2,
		[]string{":3: /scenarios/0/eventName: enum: candidateAproved does not equal any of",
			"Did you mean \"candidateApproved\"?"}},
	"Type": {"forms:\n- name: 5\n", 2,
		[]string{`:2: /forms/0/name: type: 5 has type "integer", want "string"`}},
	"Choice": {"documentTypes:\n- name: A\n  rules:\n  - conditions:\n    - variable: x\n" +
		"      operator: isEqual\n      value: {a: 1}\n", 2,
		[]string{":7: /documentTypes/0/rules/0/conditions/0/value: the value does not fit"}},
	"Twice": {"forms:\n- name: A\n- name: A\n", 2,
		[]string{":3: /forms/1: There is a form \"A\" before it."}},
	"Key": {"forms:\n- name: A\n  name: B\n", 2,
		[]string{"line 3: mapping key \"name\" already defined"}},
	"Variable": {
		"integrations:\n- name: A\n  triggerEvent: candidateApproved\n  target:\n    type: webhook\n    url: https://a.example/${NONE}\n", 2,
		[]string{":6: /integrations/0/target/url: The variable NONE is not set."},
	},
	"Names": {
		"documentTypes:\n- name: Permit\nscenarios:\n- name: A\n  eventName: candidateApproved\n  documentTypes:\n  - Permti\n- name: B\n  eventName: candidateApproved\n  documentTypes: [Nothing]\n", 2,
		[]string{
			":7: /scenarios/0/documentTypes/0: There is no document type with the name \"Permti\". Did you mean \"Permit\"?",
			":10: /scenarios/1/documentTypes/0: There is no document type with the name \"Nothing\".",
		},
	},
	"Several": {"forms:\n- {name: 5, x: 1}\n- 7\n", 2,
		[]string{"/forms/0/name", "/forms/0/x", "/forms/1"}},
}

// TestBadFile names file, line and field of everything that is wrong, and changes nothing.
func TestBadFile(t *testing.T) {
	t.Parallel()
	o := operate(t, "")
	for name, c := range badFiles {
		o.write(c.text)
		out := o.want(c.code, nil, "apply", o.file)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, out)
			}
		}
		if strings.Contains(c.want[0], ": /") && !strings.Contains(out, o.file) {
			t.Errorf("%s names no file:\n%s", name, out)
		}
	}
	if left := o.want(0, nil, "export"); left != "{}\n" {
		t.Errorf("something was changed:\n%s", left)
	}
	o.create("/forms", `{"name":"A"}`)
	o.create("/forms", `{"name":"A"}`)
	o.want(1, []string{`There is more than one form "A"`, "rename one of them"}, "export")
	o.key = ""
	o.want(1, []string{"set DOSSIER_KEY"}, "export")
}

// TestSchema prints a schema in which everything that is referred to is defined.
func TestSchema(t *testing.T) {
	t.Parallel()
	o := operator{server: &server{t: t}}
	out := o.want(0, nil, "schema")
	var schema struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(out), &schema); err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(out, `"$ref": "#/$defs/`)[1:] {
		if name, _, _ := strings.Cut(part, `"`); schema.Defs[name] == nil {
			t.Errorf("%s is not defined", name)
		}
	}
	if strings.Contains(out, `"documentTypeIds"`) || !strings.Contains(out, `"documentTypes"`) {
		t.Error("settings name each other by ids")
	}
}
