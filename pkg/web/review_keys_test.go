package web_test

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// strokes presses letters as a keyboard does: a letter that a script takes is not typed.
func (b *tab) strokes(letters string) {
	b.t.Helper()
	for _, l := range letters {
		b.run(command(input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: string(l), Text: string(l)}),
			command(input.DispatchKeyEvent, input.DispatchKeyEventParams{
				Type: input.DispatchKeyEventTypeKeyUp, Key: string(l)}))
	}
}

// caretIn waits until the caret stands in the field of a name inside a form of the review.
func (b *tab) caretIn(action, name string) {
	b.t.Helper()
	b.waits("the caret in "+action, `(() => { const a = document.activeElement;
		return a.name === "`+name+`" && a.form.getAttribute("action").endsWith("/`+action+`") })()`)
}

// intoReason goes on from the ready-made reasons to the field below them.
func (b *tab) intoReason(action string) {
	b.t.Helper()
	b.key(kb.Tab)
	b.caretIn(action, "reason")
}

// TestReviewKeys types a reason after the key A and after both forms are clicked open: no letter
// of it is a shortcut, and Escape closes the form.
func TestReviewKeys(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.open("/console/review/" + s.bobLicence)
	b.sees("Permit number")
	typed := func(form, want string) {
		t.Helper()
		if got := eval[string](b,
			`document.getElementById("`+form+`-reason").value`); got != want {
			t.Errorf("the reason of %s is %q, not %q", form, got, want)
		}
	}
	b.strokes("a")
	b.caretIn("ask", "preset")
	b.strokes("avr")
	b.intoReason("ask")
	b.strokes("very rakish")
	typed("ask", "very rakish")
	eval[bool](b, `(() => { document.activeElement.blur(); return true })()`)
	b.strokes("v")
	b.strokes("r")
	b.key(kb.Escape)
	b.waits("the closed form", `!document.querySelector(".actions details[open]")`)
	b.press("Reject")
	b.caretIn("reject", "preset")
	b.intoReason("reject")
	b.strokes("avr")
	typed("reject", "avr")
	b.key(kb.Escape)
	b.press("Ask again")
	b.caretIn("ask", "preset")
	b.intoReason("ask")
	b.key(kb.End)
	b.strokes(" v")
	typed("ask", "very rakish v")
	if eval[bool](b, `Boolean(document.querySelector(".turn1, .turn2, .turn3"))`) {
		t.Error("a letter turned the picture")
	}
	p.reaches(s.bobLicence, "inReview")
	b.key(kb.Escape)
	b.strokes("v")
	p.reaches(s.bobLicence, "validated")
	b.quiet()
}
