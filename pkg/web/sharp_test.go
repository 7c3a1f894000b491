package web_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
)

// photo writes a picture of a permit; blur is the standard deviation in pixels.
func photo(t *testing.T, blur float64) string {
	t.Helper()
	p := picturetest.Picture{Title: "Work permit", Rows: [][2]string{
		{"Permit number", "NL-204"}, {"Class", "CE"}, {"Valid until", "7 September 2034"}},
		Turn: 2, Noise: 2, Blur: blur, Seed: 1}
	content, err := p.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "permit.jpg")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBlurred warns of a blurred picture before it is sent, in the candidate's language, and sends
// it when the candidate says so. A sharp one is sent without a word.
func TestBlurred(t *testing.T) {
	p := start(t)
	s := p.furnish()
	cid := p.post("/candidates", `{"firstName":"Grace","language":"pl","documentTypeIds":["`+
		s.identity+`","`+s.card+`"]}`)
	b := newTab(t, p.base)
	b.look("light", 390, 844)
	b.open(p.link(cid))
	b.sees("Grace")
	choose := func(request, file string) {
		t.Helper()
		b.run(chromedp.SetUploadFiles(chromedp.CSS(`[data-upload="`+request+
			`"] input[capture]`), []string{file}))
	}
	identity, card := p.request(cid, s.identity), p.request(cid, s.card)
	choose(identity, photo(t, 5))
	b.sees("To zdjęcie wygląda na nieostre.")
	b.shoot("portal-blurred")
	b.accessible("portal-blurred")
	if state := p.send("GET", "/candidateDocumentTypes/"+identity,
		nil).(object)["state"]; state != "requested" {
		t.Errorf("with the warning it is %v", state)
	}
	b.press("Wyślij takie, jakie jest")
	p.reaches(identity, "inReview")
	b.waits("the page after", `!document.querySelector("[data-upload='`+identity+
		`']:not(details form)")`)
	choose(card, photo(t, 0))
	p.reaches(card, "inReview")
	b.quiet()
}
