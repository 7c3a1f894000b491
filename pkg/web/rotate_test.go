package web_test

import (
	"strings"
	"testing"
)

// TestRotateSecret rotates the secret of an integration without script: the new one is shown once,
// with until when the old one signs too, and the page goes on saying how old both are.
func TestRotateSecret(t *testing.T) {
	p := start(t)
	s := p.furnish()
	path := "/console/integrations/" + s.integration
	b := p.signedIn(t)
	b.noScript()
	b.open(path)
	b.sees("Signing secret")
	b.hides("Secret before")
	b.press("Rotate the secret")
	b.hides("It ends at once if you rotate now.")
	b.submit("Rotate")
	b.sees("The new signing secret")
	b.sees("deliveries are signed with the old secret too; then it ends.")
	secret := eval[string](b, `document.querySelector(".secret").innerText`)
	b.press("I have kept it")
	b.sees("Until then, both sign.")
	b.sees("ends in 23 hours")
	if page := eval[string](b, `document.documentElement.outerHTML`); !strings.HasPrefix(secret,
		"whsec_") || strings.Contains(page, secret) {
		t.Error("the secret is not shown once")
	}
	b.press("Rotate the secret")
	b.sees("It ends at once if you rotate now.")
	b.quiet()
	b = p.signedIn(t)
	b.view("integration-rotating", path, "Until then, both sign.")
	b.quiet()
}
