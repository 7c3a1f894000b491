package web_test

import "testing"

// keeps counts the reviews of which the tab keeps what was typed.
const keeps = `Object.keys(sessionStorage).filter((k) => k.startsWith("review ")).length`

// TestReviewKept types a value, chooses a reason, looks at the next document and comes back, and
// loads the page again: what was typed is there until it is discarded or the document is decided.
func TestReviewKept(t *testing.T) {
	p := start(t)
	licence := p.twoSided()
	first, second := p.bothSides(licence), p.bothSides(licence)
	b := p.signedIn(t)
	b.open("/console/review/" + first)
	b.sees("On file")
	b.fill("v.number", "NL-77")
	b.press("Ask again")
	b.press("A corner is cut off")
	b.fill("reason", "The left one.")
	holds := func(when string) {
		t.Helper()
		b.waits(when, `document.getElementById("typed")?.innerText.includes("is back") &&
			document.getElementById("f-v.number").value === "NL-77" &&
			document.getElementById("ask-corner").checked &&
			document.getElementById("ask-reason").value === "The left one."`)
	}
	b.open("/console/review/" + second)
	b.sees("On file")
	b.strokes("k")
	holds("the values after the next document")
	b.sees("changed by you")
	b.accessible("what was typed is back")
	b.shoot("review-kept")
	b.open("/console/review/" + first)
	holds("the values after loading the page again")
	b.press("Discard what you typed")
	b.waits("the values as they were read",
		`document.getElementById("f-v.number").value === "" && `+keeps+` === 0`)
	b.fill("v.number", "NL-78")
	b.waits("what was typed", keeps+` === 1`)
	b.press("Validate")
	b.sees("Driving licence of Chloe Dubois: validated.")
	b.waits("an empty store", keeps+` === 0`)
	p.reaches(first, "validated")
	b.fill("v.number", "NL-79")
	b.press("Sign out")
	b.sees("You are signed out.")
	b.waits("an empty store", keeps+` === 0`)
	b.quiet()
}

// TestReadyReasons asks again without script: the candidate reads the ready-made reason in their
// own language, with what the reviewer added.
func TestReadyReasons(t *testing.T) {
	p := start(t)
	licence := p.twoSided()
	request := p.bothSides(licence)
	of := p.send("GET", "/candidateDocumentTypes/"+request, nil).(object)["candidateId"].(string)
	p.send("PATCH", "/candidates/"+of, `{"language":"pl"}`)
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/review/" + request)
	b.press("Ask again")
	b.sees("A ready-made sentence reaches them in their language, Polski.")
	b.submit("Ask again")
	b.sees("Choose a sentence or write your own.")
	p.reaches(request, "inReview")
	b.press("A corner is cut off")
	b.fill("reason", "Lewy górny.")
	b.submit("Ask again")
	b.sees("asked again.")
	c := newTab(t, p.base)
	c.open(p.link(of))
	c.sees("Jeden róg jest ucięty. Na zdjęciu muszą być wszystkie cztery rogi. Lewy górny.")
	c.sees("Przód")
}
