package web_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// public returns the path of the registration page with a short name.
func (p *process) public(slug string) string {
	p.t.Helper()
	company := p.send("GET", "/sessions/current", nil).(object)["company"].(object)["id"].(string)
	return "/p/" + company + "/" + slug
}

// TestRegister registers without script: what is wrong stands beside its field, what was typed
// stays, and the candidate goes on in their language.
func TestRegister(t *testing.T) {
	p := start(t)
	p.furnish()
	b := newTab(t, p.base)
	b.noScript()
	b.look("light", 390, 844)
	b.open(p.public("drivers"))
	b.sees("Work permit")
	b.fill("language", "nl")
	b.press("Change")
	b.sees("Wat er van u gevraagd wordt")
	b.fill("lastName", "Hopper")
	b.fill("email", "grace at example.com")
	b.press("Registreren")
	b.sees("Sommige velden hebben uw aandacht nodig.")
	b.sees("Vul een e-mailadres in, zoals naam@example.com.")
	if got := eval[string](b,
		`document.getElementById(document.querySelector("#f-email[aria-invalid]").getAttribute("aria-describedby").trim()).textContent +
		document.querySelector("#f-lastName").value + document.querySelector("#f-email").value`); !strings.HasSuffix(got, "Hoppergrace at example.com") {
		t.Errorf("beside the address, and typed: %q", got)
	}
	b.fill("email", "grace@example.com")
	b.fill("firstName", "Grace")
	b.fill("birthDate", "1990-02-07")
	b.fill("nationality", "Nederland")
	b.choose("language", "Nederlands")
	b.press("Registreren")
	b.sees("Vul twee of drie letters in, zoals NLD, of laat het leeg.")
	b.fill("nationality", "nld")
	b.press("Registreren")
	b.sees("Hallo Grace")
	b.quiet()
	all := p.send("GET", "/candidates", nil).([]any)
	for _, c := range all {
		if c := c.(object); c["email"] == "grace@example.com" && c["language"] == "nl" &&
			c["lastName"] == "Hopper" && c["birthDate"] == "1990-02-07" &&
			c["nationality"] == "NLD" {
			return
		}
	}
	t.Errorf("there is no such candidate in %v", all)
}

// TestRegisterKeepsTyped keeps what was typed when the page comes back in another language.
func TestRegisterKeepsTyped(t *testing.T) {
	p := start(t)
	p.furnish()
	b := newTab(t, p.base)
	b.open(p.public("drivers"))
	b.fill("firstName", "Grace")
	b.run(chromedp.SendKeys(chromedp.CSS(`header [name="language"]`), "Polski"))
	b.sees("Co będzie potrzebne")
	b.waits("what was typed", `document.querySelector("#f-firstName").value === "Grace"`)
	b.quiet()
}

// registrant is a person with a browser at an address of the loopback network.
type registrant struct {
	t    *testing.T
	web  *http.Client
	base string
}

func (p *process) from(address string) registrant {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	p.t.Cleanup(transport.CloseIdleConnections)
	return registrant{p.t, &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}, p.base}
}

// asks gets a page, or posts a form to it, and returns the status and the text.
func (r registrant) asks(path string, values url.Values) (int, string) {
	r.t.Helper()
	send := func() (*http.Response, error) { return r.web.Get(r.base + path) }
	if values != nil {
		send = func() (*http.Response, error) { return r.web.PostForm(r.base+path, values) }
	}
	res, err := send()
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestRegisterRefused holds what a registration page refuses: programs that fill in every field, a
// page that is closed or unknown, and too many requests from one address, but not from another.
func TestRegisterRefused(t *testing.T) {
	p := start(t)
	s := p.furnish()
	path := p.public("drivers")
	grace := url.Values{"firstName": {"Grace"}, "email": {"grace@example.com"}, "language": {"en"}}
	r := p.from("127.0.0.2")
	for _, c := range []struct {
		path   string
		values url.Values
		status int
		reads  string
	}{
		{path, url.Values{"firstName": {"Grace"}, "email": {"g@example.com"},
			"website": {"https://spam.example"}}, 422, "Please send it again."},
		{path, url.Values{"website": {""}}, 422, "Enter your e-mail address."},
		{path, grace, 303, ""},
		{p.public("riders"), nil, 404, "There is nothing here"},
		{p.public("riders"), grace, 404, "There is nothing here"},
		{p.public("drivers%2Fregister"), grace, 404, "There is nothing here"},
		{"/p/" + s.page, nil, 404, "There is nothing here"},
		{"/p/com_00000000000000000000000000/drivers", nil, 404, "There is nothing here"},
	} {
		status, text := r.asks(c.path, c.values)
		if status != c.status || !strings.Contains(text, c.reads) ||
			strings.Contains(text, "spam") {
			t.Errorf("%s %v: %d %s", c.path, c.values, status, text)
		}
	}
	for n := 0; ; n++ {
		status, text := r.asks(path, grace)
		if status == http.StatusTooManyRequests {
			if !strings.Contains(text, "Too many people are registering") ||
				!strings.Contains(text, `value="grace@example.com"`) {
				t.Errorf("too many: %s", text)
			}
			break
		}
		if status != http.StatusSeeOther || n > 200 {
			t.Fatalf("registration %d: %d %s", n, status, text)
		}
	}
	if status, _ := p.from("127.0.0.3").asks(path, grace); status != http.StatusSeeOther {
		t.Errorf("from another address: %d", status)
	}
	p.send("PATCH", "/registration-pages/"+s.page, `{"active":false}`)
	for _, values := range []url.Values{nil, grace} {
		if status, text := p.from("127.0.0.4").asks(path, values); status != http.StatusNotFound ||
			!strings.Contains(text, "There is nothing here") {
			t.Errorf("closed: %d %s", status, text)
		}
	}
}

// TestRegisterTwice makes one candidate of a registration that is sent twice at the same time, as
// by a double click, and both answers lead to its page.
func TestRegisterTwice(t *testing.T) {
	p := start(t)
	p.furnish()
	path := p.public("drivers")
	_, page := p.from("127.0.0.5").asks(path, nil)
	key := regexp.MustCompile(`name="_key" value="([^"]+)"`).FindStringSubmatch(page)
	if key == nil {
		t.Fatalf("the form has no key: %s", page)
	}
	grace := url.Values{"firstName": {"Grace"}, "email": {"grace@example.com"},
		"language": {"en"}, "_key": {key[1]}}
	var both sync.WaitGroup
	for _, address := range []string{"127.0.0.6", "127.0.0.7"} {
		r := p.from(address)
		both.Go(func() {
			status, text := r.asks(path, grace)
			if status != http.StatusSeeOther {
				t.Errorf("registering from %s: %d %s", address, status, text)
			}
		})
	}
	both.Wait()
	count := func(email string) (n int) {
		for _, c := range p.send("GET", "/candidates", nil).([]any) {
			if c.(object)["email"] == email {
				n++
			}
		}
		return n
	}
	if n := count("grace@example.com"); n != 1 {
		t.Errorf("%d candidates of one registration", n)
	}
	grace.Set("email", "hopper@example.com") // typed anew after a lost answer
	if status, text := p.from("127.0.0.8").asks(path, grace); status != http.StatusSeeOther ||
		count("hopper@example.com") != 1 {
		t.Errorf("another registration: %d %s", status, text)
	}
}

// TestRegisterFields makes a page ask for custom fields, and registers with them, without script.
func TestRegisterFields(t *testing.T) {
	p := start(t)
	s := p.furnish()
	p.post("/customFields",
		`{"entity":"candidate","reference":"lifts","label":"Can you lift 25 kg?","type":"boolean"}`)
	admin := p.signedIn(t)
	admin.open("/console/settings/registration-pages/" + s.page)
	eval[bool](admin,
		`(() => { document.querySelector('[name="neededFields"][value="lifts"]').click();
		document.querySelector('[name="askedFields"][value="driverLevel"]').click(); return true })()`)
	admin.submit("Save")
	admin.sees("Saved.")
	admin.open("/console/settings/registration-pages/" + s.page)
	admin.waits("the fields that were chosen",
		`document.querySelector('[name="neededFields"][value="lifts"]')?.checked === true &&
		document.querySelector('[name="askedFields"][value="driverLevel"]').checked`)
	b := newTab(t, p.base)
	b.noScript()
	b.look("light", 390, 844)
	b.open(p.public("drivers"))
	b.fill("firstName", "Grace")
	b.fill("email", "grace@example.com")
	b.fill("a-driverLevel", "senior")
	b.submit("Register")
	b.sees("Please answer this.")
	b.shoot("register-fields")
	b.press("Yes")
	b.submit("Register")
	b.sees("Hello Grace")
	b.quiet()
	admin.quiet()
	for _, c := range p.send("GET", "/candidates", nil).([]any) {
		if c := c.(object); c["email"] == "grace@example.com" {
			fields := c["customFields"].(object)
			if fields["lifts"] != true || fields["driverLevel"] != "senior" {
				t.Errorf("registered with %v", fields)
			}
			return
		}
	}
	t.Error("nobody is registered")
}
