package web_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"testing"
)

// twoSided makes a licence with two sides that a person has to look at, and returns its type.
func (p *process) twoSided() string {
	p.t.Helper()
	p.post("/customFields",
		`{"entity":"candidate","reference":"licence","label":"Licence number","type":"text"}`)
	return p.post("/documentTypes", `{"name":"Driving licence","requiredParts":["front","back"],
		"check":{"parser":"none","decision":"manual","expiryReference":"expiry","fields":[
			{"reference":"number","label":"Number (5)","type":"text"},
			{"reference":"birth","label":"Date of birth (3)","type":"date"},
			{"reference":"expiry","label":"Valid until (4b)","type":"date"}]},
		"writeBack":[{"from":"birth","to":"birthDate"},{"from":"number","to":"cf_licence"}]}`)
}

// bothSides uploads both sides for a new candidate and returns the request.
func (p *process) bothSides(typeID string) string {
	p.t.Helper()
	photo, err := os.ReadFile("../check/testdata/photo.jpg")
	if err != nil {
		p.t.Fatal(err)
	}
	request := p.request(p.post("/candidates", `{"firstName":"Chloe","lastName":"Dubois",
		"birthDate":"1990-02-07","documentTypeIds":["`+typeID+`"]}`), typeID)
	text := base64.StdEncoding.EncodeToString(photo)
	const part = `{"name":%q,"fileName":"side.jpg","contentType":"image/jpeg","content":%q}`
	p.post("/candidateDocumentTypes/"+request+"/upload",
		`{"parts":[`+fmt.Sprintf(part, "front", text)+`,`+fmt.Sprintf(part, "back", text)+`]}`)
	p.reaches(request, "inReview")
	return request
}

// TestReviewParts types a value and a reason and looks at the other side of the document: what was
// typed stays. Without script both sides are there.
func TestReviewParts(t *testing.T) {
	p := start(t)
	request := p.bothSides(p.twoSided())
	b := p.signedIn(t)
	b.open("/console/review/" + request)
	const shown = `[...document.querySelectorAll(".part img")].filter((i) => i.checkVisibility())
		.map((i) => i.alt.split(" ")[0]).join()`
	b.waits("the front alone", shown+` === "Front"`)
	b.fill("v.number", "NL-77")
	b.press("Ask again")
	b.fill("reason", "Look here.")
	b.press("Back")
	b.waits("the back alone", shown+` === "Back"`)
	b.press("Turn")
	b.waits("the turned back", `document.querySelector(".turn1 img").alt.startsWith("Back")`)
	b.press("Front")
	b.waits("the front again", shown+` === "Front"`)
	if got := eval[string](b, `document.querySelector('[name="v.number"]').value + " " +
		document.getElementById("ask-reason").value`); got != "NL-77 Look here." {
		t.Errorf("after looking at both sides the fields hold %q", got)
	}
	b.press("Validate")
	b.sees("Driving licence of Chloe Dubois: validated.")
	p.reaches(request, "validated")
	b.quiet()
	b.noScript()
	b.open("/console/review/" + request)
	b.waits("both sides without script", shown+` === "Front,Back"`)
}
