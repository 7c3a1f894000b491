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

// TestRejectInForce rejects the validated document beside a newer one, without script: the newer
// one waits on, and who comes too late is told. Document types say who may send a newer one.
func TestRejectInForce(t *testing.T) {
	p := start(t)
	s := p.furnish()
	path := "/candidateDocumentTypes/" + s.bobLicence
	p.send("POST", path+"/validate", nil)
	p.upload(s.bobLicence, "chromium-plain.pdf", "application/pdf")
	p.eventually("the newer version is read", func() bool {
		newer, _ := p.send("GET", path, nil).(object)["replacement"].(object)
		return newer["state"] == "inReview"
	})
	b := p.signedIn(t)
	for _, l := range looks {
		b.look(l.scheme, l.width, l.height)
		b.open("/console/review/" + s.bobLicence)
		b.press("Version 1, which is in force…")
		b.sees("The newer version stays as it is.")
		b.shoot("review-in-force-" + l.name)
		b.accessible("the version in force, " + l.name)
	}
	late := p.signedIn(t)
	late.open("/console/review/" + s.bobLicence)
	late.press("Version 1, which is in force…")
	late.press("The document has expired.")
	b.look("light", 1280, 900)
	b.noScript()
	b.open("/console/review/" + s.bobLicence)
	b.press("Version 1, which is in force…")
	b.press("Reject version 1")
	b.sees("Choose a sentence or write your own.")
	b.press("The name is not yours.")
	b.press("Reject version 1")
	b.sees("The version that was in force is rejected. The newer one stays as it is.")
	p.reaches(s.bobLicence, "inReview")
	late.press("Reject version 1")
	late.sees("That version is not in force any more. Your decision was not taken.")
	b.open("/console/document-types/" + s.licence + "/edit")
	b.choose("replaceable", "Nobody, until it expires or is rejected")
	b.press("Save")
	b.sees("Newer version")
	b.sees("Nobody, until it expires or is rejected")
	got := p.send("GET", "/documentTypes/"+s.licence, nil).(object)["replaceable"]
	if got != "never" {
		t.Errorf("replaceable is %v", got)
	}
	late.quiet()
	b.quiet()
}
