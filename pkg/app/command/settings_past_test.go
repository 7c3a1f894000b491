package command_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestPlanOverPastDocuments plans other rules for the document type of a document whose rules ran:
// the plan says what they would have done to it, and changes nothing.
func TestPlanOverPastDocuments(t *testing.T) {
	t.Parallel()
	text := withoutIntegrations(t)
	o := operate(t, text)
	change := func(old, changed string) string {
		t.Helper()
		if strings.Count(text, old) != 1 {
			t.Fatalf("%q stands %d times in the settings", old, strings.Count(text, old))
		}
		o.write(strings.Replace(text, old, changed, 1))
		return strings.Replace(text, old, changed, 1)
	}
	o.want(0, nil, "apply", o.file)
	change("value: [C, CE]", "value: [D]")
	o.want(0, []string{"There are no past documents to try the rules on."}, "plan", o.file)
	o.mainJob()
	out := o.want(0, []string{`update the document type "Work permit"`,
		`/rules/0/conditions/0/value: ["C","CE"] becomes ["D"]`,
		"Over the last 1 past document: 1 with another result, of 1 candidate.",
		`only with the present rules: addDocumentType "Tachograph card", 1 time`,
		`only with the present rules: sendNotification "Card needed", 1 time`,
		"the new rule 1 matches 0", "the present rule 1 matches 1", "1 to change.",
	}, "plan", o.file)
	if strings.Contains(out, "only with the new rules") {
		t.Errorf("the new rules match nothing:\n%s", out)
	}
	o.want(1, []string{"Over the last 1 past document"}, "plan", "--check", o.file)

	const action = "- {type: addDocumentType, value: Tachograph card}\n          - {type: send"
	o.write(change(action, "- {type: applyPreset, value: Later}\n          - {type: send") +
		"presets:\n- name: Later\n  documentTypes: [Tachograph card]\n")
	o.want(0, []string{
		`Not tried over past documents: an apply first makes the preset "Later".`}, "plan", o.file)
	change("reference: class, operator", "reference: classs, operator")
	o.want(0, []string{"Not tried over past documents: VALIDATION_FAILED",
		"/submission/rules/0/conditions/0/reference"}, "plan", o.file)
	change("    requiredParts: [front]\n", "")
	if out := o.want(0, []string{"1 to change."}, "plan", o.file); strings.Contains(out, "past") {
		t.Errorf("a plan without other rules tries them:\n%s", out)
	}
	o.plansWithLess()
}

// plansWithLess plans other rules with a key that may not read candidates.
func (o operator) plansWithLess() {
	o.t.Helper()
	status, made := o.send(http.MethodPost, "/keys", `{"name":"CI","kind":"integration",
		"scopes":["settings:read","documents:read"]}`)
	if status != http.StatusOK {
		o.t.Fatalf("%d %v", status, made)
	}
	o.write(strings.Replace(withoutIntegrations(o.t), "value: [C, CE]", "value: [D]", 1))
	o.key = made["secret"].(string)
	o.want(0, []string{"Not tried over past documents: FORBIDDEN", "candidates:read"}, "plan",
		o.file)
}

// withoutIntegrations returns the settings of the main job without those that need secrets.
func withoutIntegrations(t *testing.T) string {
	t.Helper()
	before, rest, _ := strings.Cut(settings(t), "integrations:")
	_, pages, found := strings.Cut(rest, "registrationPages:")
	if !found {
		t.Fatal("the settings have other sections")
	}
	return before + "registrationPages:" + pages
}
