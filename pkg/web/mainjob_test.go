package web_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestMainJob sets a company up and does its main job by clicking alone: a field, a form, document
// types with rules, a notification, an integration and a registration page; then a candidate
// registers from the public link and sends a PDF, and the administrator reads why the rules did
// what they did and sends the webhook again.
func TestMainJob(t *testing.T) {
	p := start(t)
	b := newTab(t, p.base)
	b.open("/console/signin#" + p.signInLink)
	b.sees("Begin here")
	p.clickSettings(b)
	p.clickTypes(b)
	b.open("/console/integrations/new")
	b.fill("name", "HR system")
	b.choose("triggerEvent", "Document validated")
	b.fill("url", p.hook.URL+"/hook")
	b.press("Save")
	b.sees("whsec_")
	b.press("I have kept it")
	b.press("Send a sample")
	b.sees("It answered 200")
	<-p.told
	b.open("/console/settings/registration-pages/new")
	b.fill("name", "Drivers")
	b.fill("slug", "drivers")
	b.press("Work permit")
	b.press("Permit declaration")
	b.press("Save")
	b.sees("Public link")
	b.waits("the QR code", `document.querySelector(".qr").naturalWidth > 100`)
	p.registerAda(t, eval[string](b, `document.querySelector('a[href*="/p/"]').href`))
	p.clickCandidate(t, b)
	b.open("/console/candidates")
	b.press("Ada Lovelace")
	b.sees("Rules of Work permit ran")
	b.press("See why")
	b.sees("Matched")
	b.sees("Why not: To match, Nationality would have to be BEL (it was empty).")
	b.open("/console/deliveries")
	b.press("Document validated")
	<-p.told
	b.sees("Send it again")
	b.press("Send it again")
	b.sees("It is sent again.")
	if body := <-p.told; !strings.Contains(body, "candidateDocumentValidated") {
		t.Errorf("sent again: %s", body)
	}
	b.quiet()
}

// clickSettings makes a field, a form and a notification.
func (p *process) clickSettings(b *tab) {
	b.open("/console/settings/fields/new")
	b.fill("label", "Permit number")
	b.press("Save")
	b.sees("Saved.")
	b.open("/console/settings/forms/new")
	b.fill("name", "Permit declaration")
	b.fill("questionLabel", "Do you hold a permit?")
	b.press("Save")
	b.sees("Saved.")
	b.open("/console/settings/scenarios/new")
	b.fill("name", "Card needed")
	b.press("It reacts to its event")
	b.choose("eventName", "Message sent")
	b.fill("subject", "One more document")
	b.fill("text", "Please upload your tachograph card.")
	b.press("Save")
	b.sees("Saved.")
}

// clickTypes makes two document types, and rules for one of them.
func (p *process) clickTypes(b *tab) {
	b.open("/console/document-types/new")
	b.fill("name", "Tachograph card")
	b.choose("parser", "Nothing is read; a person looks at it")
	b.choose("decision", "A person decides every time")
	b.press("Save")
	b.sees("Saved.")
	b.open("/console/document-types/new")
	b.fill("name", "Work permit")
	b.fill("fieldLabel", "Class")
	b.fill("fieldReference", "permit.class")
	b.press("Save")
	b.sees("Saved.")
	b.press("Write the first rule")
	b.choose("r0.c0.ref", "Class")
	b.choose("r0.c0.op", "contains")
	b.fill("r0.c0.value", "C, CE")
	b.choose("r0.a0.target", "Ask for Tachograph card")
	b.press("Add an action")
	b.choose("r0.a1.target", "Send Card needed")
	b.press("Add a rule")
	b.choose("r1.c0.ref", "Nationality")
	b.fill("r1.c0.value", "BEL")
	b.choose("r1.a0.target", "Take back the form Permit declaration")
	b.press("Save the rules")
	b.sees("C or CE")
}

// clickCandidate adds a candidate, makes their link and opens it.
func (p *process) clickCandidate(t *testing.T, b *tab) {
	b.open("/console/candidates/new")
	b.fill("firstName", "Grace")
	b.fill("nationality", "NLD")
	b.press("Work permit")
	b.press("Add the candidate")
	b.sees("The candidate was added")
	b.press("Link for the candidate")
	b.press("Make a link")
	b.sees("A link for the candidate.")
	b.press("Show its QR code")
	b.waits("the QR code", `document.querySelector("svg.qr").getBoundingClientRect().width > 100`)
	b.accessible("the link and its QR code")
	link := strings.TrimPrefix(eval[string](b, `document.querySelector(".secret").textContent`),
		p.base)
	c := newTab(t, p.base)
	c.open(link)
	c.sees("Hello Grace")
	c.quiet()
}

// registerAda registers from a public link on a phone-sized window and sends a PDF.
func (p *process) registerAda(t *testing.T, link string) {
	file, err := filepath.Abs("../check/testdata/chromium-plain.pdf")
	if err != nil {
		t.Fatal(err)
	}
	c := newTab(t, p.base)
	c.look("light", 390, 844)
	c.open(strings.TrimPrefix(link, p.base))
	c.sees("asks you to register here.")
	c.sees("Work permit")
	c.fill("firstName", "Ada")
	c.fill("lastName", "Lovelace")
	c.press("Register")
	c.sees("Enter your e-mail address.")
	c.fill("email", "ada@example.com")
	c.press("Register")
	c.sees("Hello Ada")
	c.run(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]:not([capture])`), []string{file}))
	c.sees("Accepted")
	c.sees("Tachograph card")
	c.sees("Please upload your tachograph card.")
	c.quiet()
}

// TestKeyboard signs in, opens a document and validates it without a pointer.
func TestKeyboard(t *testing.T) {
	p := start(t)
	p.furnish()
	b := newTab(t, p.base)
	b.open("/console/")
	b.sees("Sign in")
	b.key(p.key)
	b.key(kb.Enter)
	b.sees("Waiting for you")
	b.key(kb.Tab)
	b.waits("the skip link", `document.activeElement.textContent === "Skip to the content"`)
	for range 60 {
		if eval[bool](b, `document.activeElement.textContent === "Start to review"`) {
			break
		}
		b.key(kb.Tab)
	}
	b.key(kb.Enter)
	b.sees("to review")
	b.key("v")
	b.sees(": validated.")
	b.quiet()
}
