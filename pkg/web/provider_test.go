package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/dossierhq/dossier/pkg/httpapi/oidc/oidctest"
)

// provides sets up a sign-in provider of the company and returns its sign-in page's path.
func (p *process) provides(at *oidctest.Provider) (id, page string) {
	p.t.Helper()
	id = p.post("/signInProviders", `{"name":"Example Login","issuer":"`+at.URL+`",`+
		`"clientId":"`+oidctest.ClientID+`","clientSecret":"`+oidctest.ClientSecret+`",`+
		`"domains":["example.com"],"scopes":["candidates:write","documents:write",`+
		`"messages:write","settings:write"]}`)
	company := p.send("GET", "/sessions/current", nil).(object)["company"].(object)["id"].(string)
	return id, "/console/signin/" + company
}

// TestSignInAtTheCompany signs in at the company's provider, which is another site, with and
// without script; the browser is offered it again after signing out.
func TestSignInAtTheCompany(t *testing.T) {
	t.Parallel()
	at := oidctest.New(t)
	p := startReading(t, "", at.Host)
	_, page := p.provides(at)
	for _, script := range []bool{true, false} {
		b := newTab(t, p.base)
		if !script {
			b.noScript()
		}
		b.open(page)
		b.sees("Sign in with Example Login")
		b.press("Sign in with Example Login")
		b.sees("Ann Example")
		b.waits("the console", `location.pathname === "/console"`)
		b.press("Sign out")
		b.sees("You are signed out.")
		b.sees("Sign in with Example Login")
		b.open("/console/settings?x=1")
		b.press("Sign in with Example Login")
		b.waits("the page that was asked for",
			`location.pathname + location.search === "/console/settings?x=1"`)
		b.sees("Ann Example")
		b.quiet()
	}
}

// TestNotLetIn says why somebody is not let in, and a link of one browser is of no use in another.
func TestNotLetIn(t *testing.T) {
	t.Parallel()
	at := oidctest.New(t)
	p := startReading(t, "", at.Host)
	id, page := p.provides(at)
	b := newTab(t, p.base)
	b.run(chromedp.Navigate(at.URL + "/.well-known/openid-configuration")) // another site
	eval[string](b, `location.href = "`+p.base+page+"/"+id+`"`)
	b.sees("Sign in with Example Login") // its link starts nothing
	at.Change(func(c oidctest.Claims) { c["email_verified"] = false })
	b.open(page)
	b.press("Sign in with Example Login")
	b.sees("Your e-mail address is not verified at the sign-in provider.")
	at.Change(func(c oidctest.Claims) { c["email"] = "ann@example.net" })
	b.press("Sign in with Example Login")
	b.sees("The domain of your e-mail address is not allowed to sign in here.")
	b.accessible("the sign-in page with a provider")
	b.open(page + "/callback?error=access_denied&state=x")
	b.sees("cancelled or refused")
	b.open(page + "/callback?code=stolen&state=stolen")
	b.sees("began in another browser")
	b.open("/console/signin/com_01JD5T0000000000000000000C")
	b.sees("This company has no sign-in of its own.")
	at.Change(nil)
	b.open(page)
	b.press("Sign in with Example Login")
	b.sees("Ann Example")
	b.waits("the console", `location.pathname === "/console"`)
	b.quiet()
}

// TestSessionEndsAtTheProvider keeps what was typed when a session ends, while the person signs in
// again in another tab.
func TestSessionEndsAtTheProvider(t *testing.T) {
	t.Parallel()
	at := oidctest.New(t)
	p := startReading(t, "", at.Host)
	id, page := p.provides(at)
	b := newTab(t, p.base)
	b.open(page)
	b.press("Sign in with Example Login")
	b.sees("Ann Example")
	b.waits("the console", `location.pathname === "/console"`)
	b.open("/console/candidates/new")
	b.fill("firstName", "Grace")
	b.fill("lastName", "Hopper")
	p.send("PATCH", "/signInProviders/"+id, `{"domains":["example.net"]}`)
	b.press("Add the candidate")
	b.sees("nothing you typed is lost")
	p.send("PATCH", "/signInProviders/"+id, `{"domains":["example.com"]}`)
	b.press("Sign in with Example Login") // in a new tab
	eval[bool](b, `(async () => { for (;;) {
		const page = await fetch("/console");
		if ((await page.text()).includes("Ann Example")) return true;
		await new Promise((done) => setTimeout(done, 50)) } })()`)
	b.press("Continue")
	b.sees("Welcome back")
	b.press("Send it now")
	b.sees("Grace Hopper")
	b.quiet()
}
