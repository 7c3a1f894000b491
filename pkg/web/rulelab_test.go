package web_test

import (
	"fmt"
	"testing"
)

// saved returns the rules and the tests of a document type.
func (p *process) saved(typeID string) (rules, tests []any) {
	p.t.Helper()
	submission := p.send("GET", "/documentTypes/"+typeID, nil).(object)["submission"].(object)
	rules, _ = submission["rules"].([]any)
	tests, _ = submission["tests"].([]any)
	return rules, tests
}

// TestRulesOverPastDocuments changes rules without script, sees what they would have done with the
// document that was validated, and finds them unchanged.
func TestRulesOverPastDocuments(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.noScript()
	path := "/console/document-types/" + s.permit + "/rules"
	b.open(path)
	b.press("Try over past documents")
	b.sees("Nothing would have been different. 1 document was compared.")
	b.fill("r0.c0.value", "D")
	b.press("Try over past documents")
	b.sees("1 document of 1 candidate would have ended differently.")
	b.sees("Would not have been done")
	b.sees("Ask for Tachograph card 1 document")
	b.sees("Send Card needed 1 document")
	b.sees("Ada Lovelace")
	b.press("Remove this rule")
	b.waits("two rules", `!document.getElementById("r2")`)
	b.press("Try over past documents")
	b.sees("Saved rule 1, which is removed")
	b.shoot("rules-over-scriptless")
	b.fill("from", "2001-02-03")
	b.fill("to", "2001-02-04")
	b.press("Try over past documents")
	b.sees("No document of this type was validated in this time.")
	b.fill("to", "1999-01-01")
	b.press("Try over past documents")
	b.sees("Some fields need your attention.")
	if rules, _ := p.saved(s.permit); len(rules) != 3 {
		t.Errorf("%d rules are saved, not 3", len(rules))
	}
}

// TestRuleTests keeps a rule run as a test, is refused rules that break it, runs it on better ones,
// and saves others without it.
func TestRuleTests(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.noScript()
	tests := "/console/document-types/" + s.permit + "/tests"
	b.open(tests)
	b.sees("No tests yet")
	b.open("/console/runs/" + s.adaPermit + "/" + p.run(s.adaPermit))
	b.press("Keep as a test of the rules")
	b.submit("Keep as a test")
	b.sees("Some fields need your attention.")
	b.fill("name", "A driver of class CE")
	b.submit("Keep as a test")
	b.sees("The rule run is kept as a test.")
	b.sees("All of them pass with the rules in force.")
	b.sees("Ask for Tachograph card")
	b.sees("Rule 3 does not match")
	rules := "/console/document-types/" + s.permit + "/rules"
	b.open(rules)
	b.fill("r0.c0.value", "D")
	b.press("Run 1 test")
	b.sees("1 test of 1 would fail")
	b.sees("Rule 1 should match, and does not.")
	b.sees("ask for Tachograph card")
	b.press("Save the rules")
	b.sees("The rules are not saved: 1 test of theirs would fail.")
	b.sees("Rule 1 should match, and does not.")
	b.fill("r0.c0.value", "C, CE")
	b.press("Run 1 test")
	b.sees("All tests pass.")
	b.press("Remove this rule")
	b.waits("two rules", `!document.getElementById("r2")`)
	b.press("Save the rules")
	b.sees("Rule 1 is expected to be there, and is removed.")
	if saved, _ := p.saved(s.permit); len(saved) != 3 {
		t.Errorf("%d rules are saved, not 3", len(saved))
	}
	b.press("Delete this test when the rules are saved")
	b.press("Save the rules")
	b.sees("Saved.")
	if saved, kept := p.saved(s.permit); len(saved) != 2 || len(kept) != 0 {
		t.Errorf("%d rules and %d tests are saved, not 2 and none", len(saved), len(kept))
	}
	b.quiet()
}

// TestDeleteRuleTest deletes one of two tests, and not when the rules have changed meanwhile.
func TestDeleteRuleTest(t *testing.T) {
	p := start(t)
	s := p.furnish()
	keep := "/candidateDocumentTypes/" + s.adaPermit + "/ruleRuns/" + p.run(s.adaPermit) +
		"/keepAsTest"
	for _, name := range []string{"One", "Two"} {
		p.send("POST", keep, fmt.Sprintf(`{"name":%q}`, name))
	}
	b := p.signedIn(t)
	tests := "/console/document-types/" + s.permit + "/tests"
	b.open(tests)
	b.press("Delete One")
	b.press("Delete the test")
	b.sees("Deleted.")
	if _, kept := p.saved(s.permit); len(kept) != 1 || kept[0].(object)["name"] != "Two" {
		t.Errorf("kept: %v", kept)
	}
	p.send("PATCH", "/documentTypes/"+s.permit, `{"description":"Front side."}`)
	b.press("Delete Two")
	b.press("Delete the test")
	b.waits("what is wrong", `Boolean(document.querySelector("[role=alert] p"))`)
	if _, kept := p.saved(s.permit); len(kept) != 1 {
		t.Errorf("%d tests are kept, not 1", len(kept))
	}
	b.quiet()
}

// TestReminders changes on which days before the expiry a reminder is due.
func TestReminders(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	edit := "/console/document-types/" + s.permit + "/edit"
	b.open(edit)
	b.fill("remind", "60, soon")
	b.press("Save")
	b.sees("Enter up to 5 numbers of days from 1 to 365, each once.")
	b.fill("remind", "60, 14")
	b.press("Save")
	b.sees("60 days, 14 days before")
	b.open(edit)
	b.fill("remind", "")
	b.press("Save")
	b.sees("Saved.")
	if got := p.send("GET", "/documentTypes/"+s.permit,
		nil).(object)["remindBefore"].([]any); len(got) != 0 {
		t.Errorf("reminders: %v", got)
	}
	b.quiet()
}
