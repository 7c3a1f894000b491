package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// everyType is a form with a question of each type.
const everyType = `{"name":"About your work","fields":[
	{"reference":"hasPermit","label":"Do you hold a permit?","type":"boolean","required":true},
	{"reference":"years","label":"Years of practice","type":"number","required":true},
	{"reference":"from","label":"From when can you work?","type":"date"},
	{"reference":"places","label":"Where have you worked?","type":"list"},
	{"reference":"note","label":"Anything else?","type":"text"}]}`

// asked makes a candidate who is asked to fill in a form with a question of each type.
func (p *process) asked() (candidate, form string) {
	p.t.Helper()
	form = p.post("/forms", everyType)
	return p.post("/candidates", `{"firstName":"Grace","language":"en","formIds":["`+form+`"]}`), form
}

// answers returns what a candidate answered to its first form.
func (p *process) answers(candidate string) any {
	p.t.Helper()
	c := p.send("GET", "/candidates/"+candidate, nil).(object)
	return c["forms"].([]any)[0].(object)["answers"]
}

// TestFillInForm fills a form in without script: what is wrong stands beside its question, what was
// typed stays, and the answers have the types of their questions.
func TestFillInForm(t *testing.T) {
	p := start(t)
	candidate, _ := p.asked()
	b := newTab(t, p.base)
	b.noScript()
	b.look("light", 390, 844)
	b.open("/c")
	b.fill("token", p.base+p.link(candidate))
	b.press("Open")
	b.sees("Only the form below is left to fill in.")
	b.press("Fill it in")
	b.sees("Do you hold a permit?")
	b.fill("a-years", "many")
	b.fill("a-places", "Delft\nGhent")
	b.press("Send")
	b.sees("Some fields need your attention.")
	b.sees("Please answer this.")
	b.sees("Enter a number, such as 12 or 3.5.")
	b.press("Yes")
	b.fill("a-years", "3,5")
	b.press("Send")
	b.sees("You have sent everything. Thank you.")
	b.sees("Sent")
	b.quiet()
	want := object{"hasPermit": true, "years": 3.5, "places": []any{"Delft", "Ghent"}}
	if diff := cmp.Diff(any(want), p.answers(candidate)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// TestFillInFormByKeys fills a form in without a pointer.
func TestFillInFormByKeys(t *testing.T) {
	p := start(t)
	candidate, _ := p.asked()
	b := newTab(t, p.base)
	b.open(p.link(candidate))
	b.sees("Hello Grace")
	b.tabTo(`document.activeElement.textContent.startsWith("Fill it in")`)
	b.key(kb.Enter)
	b.sees("Do you hold a permit?")
	b.tabTo(`document.activeElement.type === "radio"`)
	b.key(" ")
	b.tabTo(`document.activeElement.name === "a-years"`)
	b.key("12")
	b.tabTo(`document.activeElement.textContent === "Send"`)
	b.key(kb.Enter)
	b.sees("You have sent everything. Thank you.")
	b.quiet()
	if diff := cmp.Diff(any(object{"hasPermit": true, "years": 12.0}),
		p.answers(candidate)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// tabTo presses the tabulator until a script's value is true.
func (b *tab) tabTo(there string) {
	b.t.Helper()
	for range 60 {
		if eval[bool](b, there) {
			return
		}
		b.key(kb.Tab)
	}
	b.t.Fatalf("no key leads to %s", there)
}

// TestFormInOtherLanguage keeps what was typed while a form comes back in another language.
func TestFormInOtherLanguage(t *testing.T) {
	p := start(t)
	candidate, form := p.asked()
	b := newTab(t, p.base)
	b.open(p.link(candidate))
	b.sees("Hello Grace")
	b.open("/c/forms/" + form)
	b.sees("Do you hold a permit?")
	b.press("Yes")
	b.fill("a-note", "Only on Mondays")
	b.fill("language", "de")
	b.sees("Zurück zu Ihren Unterlagen")
	b.press("Senden")
	b.sees("Bitte beantworten Sie diese Frage.")
	b.fill("a-years", "4")
	b.press("Senden")
	b.sees("Sie haben alles gesendet.")
	b.quiet()
	want := object{"hasPermit": true, "years": 4.0, "note": "Only on Mondays"}
	if diff := cmp.Diff(any(want), p.answers(candidate)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// TestLargeFile sends a PDF of more than a form takes straight to the blob store; without script
// the page says plainly that it is too large.
func TestLargeFile(t *testing.T) {
	p := start(t)
	s := p.furnish()
	file := largePDF(t, 6<<20)
	one := p.post("/candidates", `{"firstName":"Grace","documentTypeIds":["`+s.permit+`"]}`)
	b := newTab(t, p.base)
	b.look("light", 390, 844)
	b.open(p.link(one))
	b.sees("Hello Grace")
	b.run(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]:not([capture])`), []string{file}))
	b.sees("Accepted")
	b.quiet()
	p.reaches(p.request(one, s.permit), "validated")

	two := p.post("/candidates", `{"firstName":"Alan","documentTypeIds":["`+s.permit+`"]}`)
	plain := newTab(t, p.base)
	plain.noScript()
	plain.open("/c")
	plain.fill("token", p.base+p.link(two))
	plain.press("Open")
	plain.sees("Hello Alan")
	plain.run(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]:not([capture])`),
		[]string{file}))
	plain.press("Send")
	plain.sees("This file is too large. Send one of at most 4 MB.")
	plain.quiet()
}
