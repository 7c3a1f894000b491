package web_test

import (
	"flag"
	"regexp"
	"strings"
	"testing"
)

// only names the screens that are looked at, where not all are.
var only = flag.String("only", "", "look only at the screens whose name matches")

// signedIn opens a tab that is signed in to the console.
func (p *process) signedIn(t *testing.T) *tab {
	t.Helper()
	b := newTab(t, p.base)
	b.open("/console/")
	b.fill("key", p.key)
	b.press("Sign in")
	b.sees("Today")
	return b
}

// run returns the id of the rule run of a request.
func (p *process) run(request string) string {
	p.t.Helper()
	return p.send("GET", "/candidateDocumentTypes/"+request+"/ruleRuns",
		nil).([]any)[0].(object)["id"].(string)
}

// delivery returns the id of the newest delivery, once there is one.
func (p *process) delivery() (id string) {
	p.t.Helper()
	p.eventually("a delivery", func() bool {
		all := p.send("GET", "/integrations/logs?filter[status]=delivered", nil).([]any)
		if len(all) > 0 {
			id = all[0].(object)["id"].(string)
		}
		return len(all) > 0
	})
	return id
}

// write sends a message as a candidate.
func (p *process) write(candidate, text string) {
	p.t.Helper()
	_, token, _ := strings.Cut(p.link(candidate), "#")
	own := &process{t: p.t, base: p.base, key: token}
	own.post("/candidates/"+candidate+"/messages", `{"text":"`+text+`"}`)
}

// looks are the ways in which every screen is looked at.
var looks = []struct {
	name, scheme  string
	width, height int64
}{{"light", "light", 1280, 900}, {"dark", "dark", 1280, 900}, {"narrow", "light", 320, 700}}

// view looks at a page in every way.
func (b *tab) view(name, path, reads string) {
	b.t.Helper()
	if *only != "" && !regexp.MustCompile(*only).MatchString(name) {
		return
	}
	for _, l := range looks {
		b.look(l.scheme, l.width, l.height)
		b.open(path)
		b.sees(reads)
		b.shoot(name + "-" + l.name)
		b.accessible(name + " " + l.name)
	}
	b.look("light", 1280, 900)
}

// TestScreens looks at each screen of the console in light, dark and at 320 px: axe-core finds
// nothing, nothing is wider than the window, and the content policy has nothing to refuse.
func TestScreens(t *testing.T) {
	p := start(t)
	out := newTab(t, p.base)
	out.view("sign-in", "/console/", "Sign in")
	empty := p.signedIn(t)
	empty.view("today-empty", "/console/", "Begin here")
	empty.view("candidates-empty", "/console/candidates", "No candidates yet")
	s := p.furnish()
	p.write(s.ada, "Is that all?")
	p.send("POST", "/candidateDocumentTypes/"+s.adaPermit+"/ruleRuns/"+p.run(s.adaPermit)+
		"/keepAsTest", `{"name":"A driver of class CE is asked for the card"}`)
	b := p.signedIn(t)
	for _, sc := range []struct{ name, path, reads string }{
		{"today", "/console/", "Identity card"},
		{"candidates", "/console/candidates", "Lovelace"},
		{"candidate-new", "/console/candidates/new", "Add the candidate"},
		{"dossier", "/console/candidates/" + s.ada, "HR system was told"},
		{"review", "/console/review/" + s.bobIdentity, "Validate"},
		{"review-values", "/console/review/" + s.bobLicence, "Validate"},
		{"types", "/console/document-types", "Work permit"},
		{"type", "/console/document-types/" + s.permit, "When it is validated"},
		{"type-new", "/console/document-types/new", "How is it read?"},
		{"type-edit", "/console/document-types/" + s.permit + "/edit", "How is it read?"},
		{"rules", "/console/document-types/" + s.permit + "/rules", "Save the rules"},
		{"versions", "/console/document-types/" + s.permit + "/versions", "In force"},
		{"try", "/console/document-types/" + s.permit + "/try?try=1&v.permit.class=CE",
			"Did not match"},
		{"tests", "/console/document-types/" + s.permit + "/tests", "All of them pass"},
		{"validated", "/console/review/" + s.adaPermit, "It is validated"},
		{"rule-run", "/console/runs/" + s.adaPermit + "/" + p.run(s.adaPermit), "Why not"},
		{"overdue", "/console/requests?state=overdue", "Nothing here"},
		{"expiring", "/console/requests?state=expiring90", "Nothing here"},
		{"settings", "/console/settings", "Registration pages"},
		{"registration-page", "/console/settings/registration-pages/" + s.page, "Public link"},
		{"forms", "/console/settings/forms", "Permit declaration"},
		{"form", "/console/settings/forms/" + s.form, "Questions"},
		{"scenario", "/console/settings/scenarios/" + s.note, "Subject of the notification"},
		{"preset-new", "/console/settings/presets/new", "Values that it sets"},
		{"key-new", "/console/settings/keys/new", "What it may do"},
		{"integrations", "/console/integrations", "HR system"},
		{"integration", "/console/integrations/" + s.integration, "Newest webhook deliveries"},
		{"deliveries", "/console/deliveries", "Delivered"},
		{"delivery", "/console/deliveries/" + p.delivery(), "Attempts"},
		{"signature", "/console/deliveries/check", "Verify a signature"},
		{"replay", "/console/integrations/" + s.integration +
			"/replay?since=2020-01-01&until=2099-01-01&status=delivered", "would be sent again"},
		{"requests", "/console/requests?state=open", "Tachograph card"},
		{"unread", "/console/messages", "Is that all?"},
		{"nothing", "/console/nothing", "There is nothing here"},
	} {
		b.view(sc.name, sc.path, sc.reads)
	}
	b.triedScreens("/console/document-types/" + s.permit + "/rules")
	b.quiet()
	p.candidateScreens(s.ada)
}

// triedScreens looks at rules that were tried before they are saved, and at a test of theirs that
// fails.
func (b *tab) triedScreens(path string) {
	b.t.Helper()
	for name, button := range map[string][2]string{
		"rules-over":    {"Try over past documents", "would have ended differently"},
		"rules-tested":  {"Run 1 test", "would fail"},
		"rules-refused": {"Save the rules", "The rules are not saved"}} {
		for _, l := range looks {
			b.look(l.scheme, l.width, l.height)
			b.open(path)
			b.fill("r0.c0.value", "D")
			b.press(button[0])
			b.sees(button[1])
			b.shoot(name + "-" + l.name)
			b.accessible(name + " " + l.name)
		}
	}
	b.look("light", 1280, 900)
}

// candidateScreens views the pages for candidates.
func (p *process) candidateScreens(ada string) {
	p.t.Helper()
	c := newTab(p.t, p.base)
	c.view("register", p.public("drivers"), "What you will be asked for")
	c.view("register-closed", p.public("riders"), "There is nothing here")
	c.registerWrong(p.public("drivers"))
	c.view("portal-link", "/c", "Open your link")
	c.open(p.link(ada))
	c.sees("Hello Ada")
	c.view("portal", "/c", "One more document")
	c.view("portal-messages", "/c/messages", "Your answer")
	candidate, form := p.asked()
	c.open(p.link(candidate))
	c.sees("Hello Grace")
	c.view("portal-forms", "/c", "Fill it in")
	c.view("portal-form", "/c/forms/"+form, "Do you hold a permit?")
	c.quiet()
}

// registerWrong looks at a registration page that says what is wrong.
func (b *tab) registerWrong(path string) {
	b.t.Helper()
	for _, l := range looks {
		b.look(l.scheme, l.width, l.height)
		b.open(path)
		b.press("Register")
		b.sees("Enter your first or last name.")
		b.shoot("register-wrong-" + l.name)
		b.accessible("register-wrong " + l.name)
	}
	b.look("light", 1280, 900)
}
