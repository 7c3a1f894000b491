package web_test

import (
	"fmt"
	"testing"
)

// TestDossierMessages reads the messages of a candidate without script: the newest first, and the
// earlier ones behind a link.
func TestDossierMessages(t *testing.T) {
	p := start(t)
	candidate := p.post("/candidates", `{"firstName":"Grace"}`)
	for n := range 53 {
		p.post("/candidates/"+candidate+"/messages", fmt.Sprintf(`{"text":"No. %03d"}`, n))
	}
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/candidates/" + candidate)
	const shown = `[...document.querySelectorAll(".msg > p:first-child")].map((m) => m.innerText)`
	holds := func(n int, first, last string) {
		t.Helper()
		b.waits(first+" to "+last, fmt.Sprintf(`(() => { const m = %s;
			return m.length === %d && m[0] === %q && m.at(-1) === %q })()`, shown, n, first, last))
	}
	holds(50, "No. 052", "No. 003")
	b.press("Earlier messages")
	holds(3, "No. 002", "No. 000")
	b.hides("Earlier messages")
	b.press("Newest messages")
	holds(50, "No. 052", "No. 003")
	b.quiet()
}
