package web_test

import "testing"

// TestNewerVersion sends a newer version of a validated document by mistake: the console and the
// candidate's page say that the validated one stays in force, also when the newer one is rejected.
func TestNewerVersion(t *testing.T) {
	p := start(t)
	s := p.furnish()
	path := "/candidateDocumentTypes/" + s.bobLicence
	p.send("POST", path+"/validate", nil)
	p.upload(s.bobLicence, "chromium-plain.pdf", "application/pdf")
	p.eventually("the newer version is read", func() bool {
		now, _ := p.send("GET", path, nil).(map[string]any)
		newer, _ := now["replacement"].(map[string]any)
		return newer["state"] == "inReview"
	})
	p.reaches(s.bobLicence, "validated")
	candidate := newTab(t, p.base)
	candidate.open(p.link(s.bob))
	candidate.sees("We are looking at your newer version. The accepted one stays valid until then.")
	b := p.signedIn(t)
	b.open("/console/candidates/" + s.bob)
	b.sees("a newer version: in review")
	b.open("/console/review/" + s.bobLicence)
	b.sees("Version 1 is validated, and stays in force until this newer version is validated.")
	b.accessible("a newer version")
	b.press("Reject")
	b.press("The name is not yours.")
	b.press("Reject the document")
	b.sees("Driving licence of Bob Hopper: rejected.")
	p.reaches(s.bobLicence, "validated")
	candidate.open("/c")
	candidate.sees("Your newer version was not accepted. The one accepted before stays valid.")
	candidate.quiet()
	b.quiet()
}
