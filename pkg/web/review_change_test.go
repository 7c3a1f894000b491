package web_test

import "testing"

// TestChangeDecision rejects by mistake and validates after all, then rejects what was validated:
// the page says what each does, and what it can't do any more.
func TestChangeDecision(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.open("/console/review/" + s.bobLicence)
	b.press("Reject")
	b.press("The name is not yours.")
	b.press("Reject the document")
	b.sees("Driving licence of Bob Hopper: rejected.")
	b.press("Change this decision")
	b.sees("Change the decision")
	b.press("Validate after all")
	b.sees("It counts as validated from now on: its values are written to Bob Hopper")
	b.accessible("a rejected document")
	b.shoot("review-rejected")
	b.fill("v.number", "NL-300")
	b.press("Validate it")
	b.sees("Driving licence of Bob Hopper: validated.")
	p.reaches(s.bobLicence, "validated")
	if got := p.parsed(s.bobLicence, "number"); got != "NL-300" {
		t.Errorf("number is %v", got)
	}
	b.open("/console/review/" + s.bobLicence)
	b.press("Reject after all")
	b.sees("What its rules did is not taken back")
	b.accessible("a validated document")
	b.shoot("review-validated")
	b.press("The document has expired.")
	b.press("Reject the document")
	b.sees("Driving licence of Bob Hopper: rejected.")
	b.sees("It can’t be validated again: its rules have run already")
	b.hides("Validate after all")
	p.reaches(s.bobLicence, "rejected")
	b.quiet()
}

// TestChangeDecisionApproved says that a candidate is no longer approved once the document is not
// validated any more, and asks again after all.
func TestChangeDecisionApproved(t *testing.T) {
	p := start(t)
	request := p.bothSides(p.twoSided())
	b := p.signedIn(t)
	b.open("/console/review/" + request)
	b.press("Validate")
	b.sees("Driving licence of Chloe Dubois: validated.")
	p.reaches(request, "validated")
	b.open("/console/review/" + request)
	b.press("Ask again after all")
	b.sees("It is no longer validated, and Chloe Dubois is no longer approved.")
	b.press("The back side is missing.")
	b.submit("Ask again")
	b.sees("Driving licence of Chloe Dubois: asked again.")
	b.sees("It can’t be validated any more")
	p.reaches(request, "needsResubmission")
	b.quiet()
}
