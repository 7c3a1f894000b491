package web_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// link returns the path of a candidate's own page.
func (p *process) link(candidate string) string {
	p.t.Helper()
	return "/c#" + p.send("POST", "/candidates/"+candidate+"/tokens",
		nil).(object)["token"].(string)
}

// TestCandidate goes a candidate's way on a phone-sized window: the link, a file, being read, the
// result, an answer.
func TestCandidate(t *testing.T) {
	p := start(t)
	s := p.furnish()
	cid := p.post("/candidates",
		`{"firstName":"Grace","language":"nl","documentTypeIds":["`+s.permit+`"]}`)
	b := newTab(t, p.base)
	b.look("light", 390, 844)
	b.open(p.link(cid))
	b.sees("Hallo Grace")
	b.fill("language", "en")
	b.sees("One more document and you are done.")
	file, err := filepath.Abs("../check/testdata/chromium-plain.pdf")
	if err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]:not([capture])`), []string{file}))
	b.sees("Accepted")
	b.press("All messages and answer")
	b.fill("text", "Is that all?")
	b.press("Send")
	b.sees("Is that all?")
	b.quiet()
}

// TestNewestLink opens another candidate's link on the same device: it opens that one's page.
func TestNewestLink(t *testing.T) {
	p := start(t)
	b := newTab(t, p.base)
	for _, name := range []string{"Grace", "Ada"} {
		b.open(p.link(p.post("/candidates", `{"firstName":"`+name+`"}`)))
		b.sees("Hello " + name)
	}
	b.quiet()
}

// TestReview decides by one key, and tells the slower of two reviewers what happened.
func TestReview(t *testing.T) {
	p := start(t)
	s := p.furnish()
	one, two := p.signedIn(t), p.signedIn(t)
	two.open("/console/review/" + s.bobLicence)
	two.sees("Permit number")
	one.open("/console/review/" + s.bobLicence)
	one.sees("Permit number")
	one.key("v")
	one.sees("Driving licence of Bob Hopper: validated.")
	if got := eval[string](one, `document.querySelector("[role=status] a").pathname`); got !=
		"/console/review/"+s.bobLicence {
		t.Errorf("the sentence links to %s", got)
	}
	two.fill("v.class", "C")
	two.press("Validate")
	two.sees("First administrator was faster")
	p.reaches(s.bobLicence, "validated")
	one.open("/console/review/" + s.bobIdentity)
	one.sees("Nothing was read from it. Type what you see on the document")
	one.key("a")
	one.fill("reason", "The picture is blurred. Please take it again in good light.")
	one.submit("Ask again")
	one.sees("Identity card of Bob Hopper: asked again. The candidate can send a new one.")
	p.reaches(s.bobIdentity, "needsResubmission")
	one.quiet()
}

// TestCorrectedValues validates with a value that the reviewer corrected; that value is written to
// the candidate.
func TestCorrectedValues(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.open("/console/review/" + s.bobLicence)
	b.fill("v.number", "NL-205")
	b.press("Validate")
	b.sees("Driving licence of Bob Hopper: validated.")
	b.open("/console/candidates/" + s.bob)
	b.sees("NL-205")
	b.quiet()
}

// TestSessionEnds loses nothing that was typed when the session ends in the middle of a form.
func TestSessionEnds(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.open("/console/candidates/" + s.ada)
	b.fill("text", "Please send the card by Friday.")
	eval[int](b, `fetch("/console/signout", {method: "POST"}).then((r) => r.status)`)
	b.press("Send")
	b.sees("nothing you typed is lost")
	b.sees("Please send the card by Friday.")
	b.fill("key", p.key)
	b.press("Sign in")
	b.press("Send it now")
	b.sees("The message was sent.")
	b.quiet()
}

// TestHostile shows a candidate whose every text is markup: nothing of it is executed, and the
// policy has nothing to refuse.
func TestHostile(t *testing.T) {
	p := start(t)
	s := p.furnish()
	const evil = `<img src=x onerror=alert(1)><script>alert(2)</script>\"'>{{.}}`
	cid := p.post("/candidates",
		`{"firstName":"`+evil+
			`","lastName":"</title><script>alert(3)</script>","externalId":"javascript:alert(4)","documentTypeIds":["`+s.permit+`"]}`)
	p.post("/candidates/"+cid+"/messages", `{"text":"`+evil+`"}`)
	p.post("/registration-pages", `{"name":"`+evil+`","slug":"evil","documents":[],"formIds":[]}`)
	b := p.signedIn(t)
	for _, path := range []string{"/console/", "/console/candidates", "/console/candidates/" + cid,
		"/console/review/" + p.request(cid, s.permit)} {
		b.open(path)
		b.sees("Dossier")
	}
	b.sees("<img src=x")
	for _, path := range []string{p.link(cid), p.public("evil")} {
		b.open(path)
		b.sees("<img src=x")
	}
	b.quiet()
}

// TestNoScript signs in, asks for a document and writes a rule without script.
func TestNoScript(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := newTab(t, p.base)
	b.noScript()
	b.open("/console/")
	b.fill("key", p.key)
	b.press("Sign in")
	b.sees("Waiting for you")
	b.open("/console/candidates/" + s.ada)
	b.press("Ask for a document")
	b.choose("documentTypeId", "Identity card")
	b.press("Ask for it")
	b.sees("The candidate is asked for it now.")
	b.open("/console/document-types/" + s.card + "/rules")
	b.choose("r0.c0.ref", "Nationality")
	b.fill("r0.c0.value", "NLD, BEL")
	b.choose("r0.a0.target", "Ask for Identity card")
	b.press("Save the rules")
	b.sees("NLD or BEL")
	b.quiet()
}

// TestBadSignIn says plainly what is wrong with a key, and a link works once.
func TestBadSignIn(t *testing.T) {
	p := start(t)
	b := newTab(t, p.base)
	b.open("/console/")
	b.fill("key", "dsr_nonsense")
	b.press("Sign in")
	b.sees("This key is not valid")
	b.open("/console/signin#" + p.signInLink)
	b.sees("Begin here")
	b.press("Sign out")
	b.sees("You are signed out.")
	b.open("/console/")
	b.open("/console/signin#" + p.signInLink)
	b.sees("This link has ended or was used already")
}

var assetOf = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)

// TestWeights holds what pages weigh over the wire, scripts and style included.
func TestWeights(t *testing.T) {
	p := start(t)
	s := p.furnish()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Client{Jar: jar}
	res, err := web.PostForm(p.base+"/console/signin", url.Values{"key": {p.key}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	_, token, _ := strings.Cut(p.link(s.ada), "#")
	res, err = web.PostForm(p.base+"/c/signin", url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	for path, most := range map[string]int{"/console/": 60_000,
		"/console/candidates/" + s.ada: 60_000, "/console/review/" + s.bobIdentity: 60_000,
		"/console/document-types/" + s.permit + "/rules": 60_000, "/c": 30_000,
		"/c/messages": 30_000, p.public("drivers"): 30_000} {
		page := p.weigh(web, path)
		total, scripts := len(page), 0
		for _, m := range assetOf.FindAllStringSubmatch(page, -1) {
			n := len(p.weigh(web, m[1]))
			total += n
			if strings.HasSuffix(m[1], ".js") {
				scripts += n
			}
		}
		t.Logf("%-60s %6d bytes, scripts %d", path, total, scripts)
		if total > most || scripts > 20_000 {
			t.Errorf("%s weighs %d bytes of at most %d, its scripts %d", path, total, most, scripts)
		}
	}
}

func (p *process) weigh(web *http.Client, path string) string {
	p.t.Helper()
	res, err := web.Get(p.base + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var b strings.Builder
	if err := res.Write(&b); err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s answered %d: %v", path, res.StatusCode, err)
	}
	return b.String()
}
