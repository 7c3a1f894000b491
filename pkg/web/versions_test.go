package web_test

import (
	"fmt"
	"testing"
)

// TestRuleVersions reads, without script, who saved the rules when, what a version changed, and
// what restoring it would change, and restores it.
func TestRuleVersions(t *testing.T) {
	p := start(t)
	s := p.furnish()
	p.send("PATCH", "/documentTypes/"+s.permit, fmt.Sprintf(`{"submission":{"rules":[
		{"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class",
		"operator":"isEqual","value":["D"]}],"actions":[{"type":"addDocumentType","value":%q}]}]}}`,
		s.card))
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/document-types/" + s.permit)
	b.press("Versions of the rules")
	b.sees("In force")
	b.sees("First administrator")
	b.press("What changed")
	b.sees("From version 1 to version 2")
	b.open("/console/document-types/" + s.permit + "/versions")
	b.press("Restore")
	b.sees("Restore version 1?")
	b.sees("Permit declaration")
	b.press("Restore version 1")
	b.sees("The rules are restored. They are a new version.")
	b.sees("Permit declaration")
	b.open("/console/document-types/" + s.permit + "/versions")
	b.sees("a copy of version 1")
	rules := p.send("GET", "/documentTypes/"+s.permit,
		nil).(object)["submission"].(object)["rules"].([]any)
	if len(rules) != 3 {
		t.Errorf("%d rules are in force, not 3", len(rules))
	}
	b.quiet()
}

// TestRuleVersionsMoved restores nothing when the rules were changed after the page was read.
func TestRuleVersionsMoved(t *testing.T) {
	p := start(t)
	s := p.furnish()
	p.send("PATCH", "/documentTypes/"+s.permit, `{"submission":{"rules":[]}}`)
	b := p.signedIn(t)
	versions := "/console/document-types/" + s.permit + "/versions"
	b.view("versions", versions, "In force")
	b.view("restore-none", versions+"/compare?restore=yes&to=2", "There is nothing to restore.")
	b.view("restore", versions+"/compare?restore=yes&to=1", "Restore version 1?")
	p.send("PATCH", "/documentTypes/"+s.permit, `{"description":"Front side."}`)
	b.press("Restore version 1")
	b.sees("Restore version 1?")
	b.waits("what is wrong", `Boolean(document.querySelector("[role=alert] p"))`)
	b.shoot("restore-refused")
	if rules := p.send("GET", "/documentTypes/"+s.permit,
		nil).(object)["submission"].(object)["rules"].([]any); len(rules) != 0 {
		t.Errorf("%d rules are in force, not 0", len(rules))
	}
	b.quiet()
}
