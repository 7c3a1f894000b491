package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// end ends the token of a candidate's link.
func (p *process) end(link string) {
	p.t.Helper()
	_, token, _ := strings.Cut(link, "#")
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodDelete,
		p.base+"/sessions/current", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		p.t.Fatalf("ending the session answered %d", res.StatusCode)
	}
}

// texts returns the texts of a candidate's messages.
func (p *process) texts(candidate string) []string {
	p.t.Helper()
	texts := []string{}
	for _, m := range p.send("GET", "/candidates/"+candidate+"/messages", nil).([]any) {
		texts = append(texts, m.(object)["text"].(string))
	}
	return texts
}

// TestLinkEnds loses nothing that a candidate typed when the link ends in the middle of a form: the
// page shows it, and with a new link in the same browser it is in the form again, until it is sent.
func TestLinkEnds(t *testing.T) {
	p := start(t)
	candidate, form := p.asked()
	b := newTab(t, p.base)
	b.look("light", 390, 844)
	first := p.link(candidate)
	b.open(first)
	b.sees("Hello Grace")
	b.open("/c/forms/" + form)
	b.sees("Do you hold a permit?")
	b.press("Yes")
	b.fill("a-years", "4")
	b.fill("a-places", "Delft\nGhent")
	p.end(first)
	b.press("Send")
	b.sees("Your link has ended")
	b.sees("Nothing you typed is lost")
	b.sees("Where have you worked?")
	b.sees("Delft")
	b.accessible("link ended")
	b.shoot("portal-link-ended")
	b.open(p.link(candidate))
	b.sees("There is something that you typed and did not send.")
	b.accessible("home with what is unsent")
	b.press("Go on with it")
	b.sees("Do you hold a permit?")
	b.waits("what was typed", `document.querySelector("#f-a-places").value === "Delft\nGhent"`)
	b.press("Send")
	b.sees("You have sent everything. Thank you.")
	b.waits("nothing kept", `localStorage.length === 0 && location.search === ""`)
	if eval[bool](b, `document.querySelector("[data-unsent]").checkVisibility()`) {
		t.Error("the page says that something was not sent")
	}
	b.quiet()
	want := object{"hasPermit": true, "years": 4.0, "places": []any{"Delft", "Ghent"}}
	if diff := cmp.Diff(any(want), p.answers(candidate)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// TestLinkEndsWithoutScript shows what was typed on the page that asks for a new link, and sends it
// with that link, to the candidate who typed it and to nobody else.
func TestLinkEndsWithoutScript(t *testing.T) {
	p := start(t)
	candidate := p.post("/candidates", `{"firstName":"Grace","language":"nl"}`)
	other := p.post("/candidates", `{"firstName":"Ada"}`)
	b := newTab(t, p.base)
	b.noScript()
	b.look("light", 390, 844)
	first := p.link(candidate)
	b.open("/c")
	b.fill("token", p.base+first)
	b.press("Open")
	b.sees("Hallo Grace")
	b.open("/c/messages")
	b.fill("text", "Ik kom <b>maandag</b>.")
	p.end(first)
	b.press("Versturen")
	b.sees("Uw link is verlopen")
	b.sees("Ik kom <b>maandag</b>.")
	b.leaves("Nu versturen") // no new link is open yet
	b.sees("Uw link is verlopen")
	b.sees("Ik kom <b>maandag</b>.")
	b.fill("token", p.base+p.link(other))
	b.leaves("Openen")
	b.sees("Deze link opent de pagina van iemand anders.")
	b.sees("Ik kom <b>maandag</b>.")
	b.fill("token", p.base+p.link(candidate))
	b.press("Openen")
	b.sees("Welkom terug")
	b.sees("Ik kom <b>maandag</b>.")
	b.press("Nu versturen")
	b.sees("U ·")
	b.sees("Ik kom <b>maandag</b>.")
	b.quiet()
	if diff := cmp.Diff([]string{"Ik kom <b>maandag</b>."}, p.texts(candidate)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if got := p.texts(other); len(got) > 0 {
		t.Errorf("the other candidate has messages: %q", got)
	}
}

// TestOlderPage sends nothing to another candidate whose link was opened in the same browser
// meanwhile.
func TestOlderPage(t *testing.T) {
	p := start(t)
	grace := p.post("/candidates", `{"firstName":"Grace"}`)
	ada := p.post("/candidates", `{"firstName":"Ada"}`)
	b := newTab(t, p.base)
	b.open(p.link(grace))
	b.sees("Hello Grace")
	b.open("/c/messages")
	b.fill("text", "My sister is ill.")
	_, token, _ := strings.Cut(p.link(ada), "#")
	eval[int](b, `fetch("/c/signin", {method: "POST", body: new URLSearchParams({token: "`+token+
		`"})}).then((r) => r.status)`)
	b.press("Send")
	b.sees("Your link has ended")
	b.sees("My sister is ill.")
	for _, candidate := range []string{grace, ada} {
		if got := p.texts(candidate); len(got) > 0 {
			t.Errorf("%s has messages: %q", candidate, got)
		}
	}
	b.open(p.link(grace))
	b.press("Go on with it")
	b.waits("what was typed", `document.querySelector("#text")?.value === "My sister is ill."`)
	b.press("Send")
	b.sees("You ·")
	b.quiet()
	if diff := cmp.Diff([]string{"My sister is ill."}, p.texts(grace)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}
