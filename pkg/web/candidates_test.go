package web_test

import (
	"fmt"
	"testing"
)

// TestSearchCandidates searches without script: what was typed stays in the address and the field,
// also on the next page, and too little is said beside the field.
func TestSearchCandidates(t *testing.T) {
	p := start(t)
	for n := range 27 {
		p.post("/candidates", fmt.Sprintf(`{"firstName":"Ada","lastName":"Turing %02d"}`, n))
	}
	p.post("/candidates", `{"firstName":"Grace","lastName":"Hopper"}`)
	b := newTab(t, p.base)
	b.noScript()
	b.open("/console/")
	b.fill("key", p.key)
	b.press("Sign in")
	b.sees("Candidates")
	b.open("/console/candidates")
	b.fill("search", "HOPP")
	b.press("Show")
	b.sees("Grace Hopper")
	b.hides("Turing")
	b.fill("search", "ada t")
	b.press("Show")
	b.sees("Ada Turing 24")
	b.hides("Grace Hopper")
	b.press("Show the next ones")
	b.sees("Ada Turing 26")
	b.hides("Turing 24")
	if got := eval[string](b, `document.querySelector("#f-search").value`); got != "ada t" {
		t.Errorf("in the field: %q", got)
	}
	b.fill("search", "x")
	b.press("Show")
	b.sees("must have at least 2 characters")
	b.fill("search", "nobody")
	b.press("Show")
	b.sees("No candidate fits")
	b.quiet()
}

// hides waits until the page does not read a text.
func (b *tab) hides(text string) {
	b.t.Helper()
	b.waits(fmt.Sprintf("a page without %q", text),
		fmt.Sprintf(`!document.body.innerText.includes(%q)`, text))
}
