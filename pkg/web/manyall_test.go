package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// crowd makes so many candidates and returns their ids.
func (p *process) crowd(n int) []string {
	p.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = p.post("/candidates", fmt.Sprintf(
			`{"firstName":"Ada","lastName":"Turing %02d"}`, i))
	}
	return ids
}

// messages counts the messages of a candidate.
func (p *process) messages(candidate string) int {
	p.t.Helper()
	return len(p.send("GET", "/candidates/"+candidate+"/messages", nil).([]any))
}

// TestManyOnEveryPage writes without script to all who fit the filter but one: it takes several
// requests, the page says how far it is and what became of each, and sent again it acts once.
func TestManyOnEveryPage(t *testing.T) {
	p := start(t)
	ids := p.crowd(60)
	other := p.post("/candidates", `{"firstName":"Grace","lastName":"Hopper"}`)
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/candidates?search=turing")
	b.press("Choose all that fit, on every page")
	b.press("Send a message")
	b.sees("Send a message to 60 candidates")
	b.press("Show all of them")
	b.press("Ada Turing 30")
	b.press("Send it")
	b.sees("Write something first.")
	b.fill("text", "We are closed on Friday.")
	b.press("Send it")
	b.sees("50 of 59 candidates so far. 9 candidates left.")
	key := eval[string](b, `document.querySelector("[name=_key]").value`)
	b.press("Go on")
	b.sees("Sent a message: 59 of 59 candidates")
	b.sees("Ada Turing 59")
	again := url.Values{"_key": {key}, "what": {"message"}, "id": ids,
		"text": {"We are closed on Friday."}}
	again["id"] = append(again["id"][:30:30], again["id"][31:]...)
	res, err := p.browserless(t).PostForm(p.base+"/console/candidates/many", again)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	for i, id := range ids {
		want := 1
		if i == 30 {
			want = 0
		}
		if got := p.messages(id); got != want {
			t.Errorf("candidate %d has %d messages, not %d", i, got, want)
		}
	}
	if got := p.messages(other); got != 0 {
		t.Errorf("who does not fit has %d messages", got)
	}
	b.quiet()
}

// TestManyGoesOn asks more candidates than one request takes: with script the page goes on by
// itself, and says of each who was refused why.
func TestManyGoesOn(t *testing.T) {
	p := start(t)
	card := p.post("/documentTypes", `{"name":"Work permit","check":{"parser":"none"}}`)
	ids := p.crowd(60)
	p.post("/candidateDocumentTypes", fmt.Sprintf(`{"candidateId":%q,"documentTypeId":%q}`, ids[55],
		card))
	b := p.signedIn(t)
	b.open("/console/candidates")
	b.press("Choose all that fit, on every page")
	b.press("Ask for a document")
	b.sees("Ask 60 candidates for a document")
	b.choose("documentTypeId", "Work permit")
	b.press("Ask for it")
	b.sees("Asked for a document: 59 of 60 candidates")
	refused := eval[[]string](b, `[...document.querySelectorAll("tbody tr")].map((r) => r.innerText)
		.filter((r) => r.includes("Not done"))`)
	if len(refused) != 1 || !strings.Contains(refused[0], "Ada Turing 55") {
		t.Errorf("refused: %q", refused)
	}
	for _, id := range ids {
		p.request(id, card)
	}
	b.accessible("what became of sixty")
	b.quiet()
	b.view("many-all", "/console/candidates/many?what=message&all=yes", "Show all of them")
	b.noScript()
	b.fill("text", "Hello")
	b.press("Send it")
	b.sees("50 of 60 candidates so far")
	for _, l := range looks {
		b.look(l.scheme, l.width, l.height)
		b.shoot("many-goes-on-" + l.name)
	}
	b.quiet()
}
