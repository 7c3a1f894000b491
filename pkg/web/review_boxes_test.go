package web_test

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"testing"
)

// TestReviewBoxes reads a value in a picture and marks its place there: the place holds the words,
// stands out with the field, and turns with the picture.
func TestReviewBoxes(t *testing.T) {
	program, err := exec.LookPath("tesseract")
	if err != nil {
		t.Fatalf("make debian fetches it: %v", err)
	}
	p := startReading(t, program)
	typeID := p.post("/documentTypes", `{"name":"Work permit","requiredParts":["front"],
		"check":{"parser":"pdf","decision":"manual","fields":[
			{"reference":"number","label":"Permit number","type":"text"}]}}`)
	b := p.signedIn(t)
	eval[bool](b, `(() => { document.body.innerHTML = "<main></main>";
		const card = document.querySelector("main");
		Object.assign(card.style, {background: "white", color: "black", font: "34px Arial",
			padding: "80px", margin: 0, maxWidth: "none", height: "700px"});
		card.innerText = "WORK PERMIT\n\nPermit number: NL-204771\n\nIssued in Utrecht";
		return true })()`)
	picture := base64.StdEncoding.EncodeToString(b.picture())
	request := p.request(p.post("/candidates", `{"firstName":"Ada","documentTypeIds":["`+typeID+
		`"]}`), typeID)
	p.post("/candidateDocumentTypes/"+request+"/upload", fmt.Sprintf(`{"parts":[{"name":"front",
		"fileName":"front.png","contentType":"image/png","content":%q}]}`, picture))
	p.reaches(request, "inReview")
	if got := p.parsed(request, "number"); got != "NL-204771" {
		t.Fatalf("number is %v", got)
	}
	b.open("/console/review/" + request)
	b.waits("the picture", `document.querySelector(".pic img")?.naturalWidth > 0`)
	const place = `document.querySelector('[data-box="v.number"]')`
	at := eval[[]float64](b, `(() => { const i = document.querySelector(".pic img").getBoundingClientRect(),
		r = `+place+`.getBoundingClientRect();
		return [(r.left - i.left) / i.width, (r.top - i.top) / i.height, r.width / i.width, r.height / i.height] })()`)
	if at[0] < .05 || at[0] > .5 || at[1] < .1 || at[1] > .5 || at[2] < .05 || at[3] > .2 {
		t.Errorf("the place of the value is %v", at)
	}
	b.press("Permit number")
	b.waits("the place that stands out", place+`.matches(".on")`)
	for _, l := range looks {
		b.look(l.scheme, l.width, l.height)
		b.shoot("review-boxes-" + l.name)
		b.accessible("places on a picture, " + l.name)
	}
	b.look("light", 1280, 900)
	b.press("Turn")
	b.waits("a place that is turned too", place+`.getBoundingClientRect().height >
		`+place+`.getBoundingClientRect().width`)
	b.quiet()
}
