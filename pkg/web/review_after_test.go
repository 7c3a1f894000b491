package web_test

import "testing"

// TestReviewAfter says what becomes of the candidate, what the two forms mean, and that a message
// waits when no document does; an answer marks it as read.
func TestReviewAfter(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.open("/console/review/" + s.bobLicence)
	b.sees("Then Bob Hopper still has to send: Tachograph card.")
	b.press("Ask again")
	b.sees("The candidate reads this and can send a new one.")
	b.press("Reject")
	b.sees("The document counts as rejected until the candidate sends another one.")
	for _, request := range []string{s.bobLicence, s.bobIdentity} {
		p.post("/candidateDocumentTypes/"+request+"/reject", `{"reason":"Not yours."}`)
	}
	b.open("/console/review")
	b.sees("Nothing waits for you")
	p.write(s.ada, "Is that all?")
	b.open("/console")
	b.sees("message to read")
	b.open("/console/review")
	b.sees("No document waits for you")
	b.accessible("a message waits")
	b.press("1 message to read")
	b.press("Ada Lovelace")
	b.fill("text", "That is all.")
	b.press("Send")
	b.sees("The message was sent.")
	b.open("/console/review")
	b.sees("Nothing waits for you")
	b.quiet()
}
