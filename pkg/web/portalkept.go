package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Hidden fields of the candidate's forms beside those that the candidate fills in.
const (
	hiddenOf    = "_of"   // id of the candidate whose page the form was on
	hiddenLang  = "_lang" // language of that page
	hiddenLabel = "_l."   // label of the field whose name follows
)

// linkView is the data of the page that asks for a candidate's link. Kept is a form that was sent
// without a session, or with another candidate's.
type linkView struct {
	Text  string // key of the text
	Kept  string // JSON of keptForm, carried through the page; empty where nothing was typed
	Form  keptForm
	Shown []keptField
}

// Fields returns every value of the kept form.
func (v linkView) Fields() []keptField { return v.Form.fields() }

// sentInVain reports whether the request sent a form that reached nothing.
func (p *page) sentInVain() bool {
	return p.r.Method == http.MethodPost && strings.HasPrefix(p.r.URL.Path, "/c/") &&
		p.r.URL.Path != "/c/signin"
}

// keepForm returns the view of the link page with the form that the request sent.
func (p *page) keepForm() (linkView, error) {
	if !keptPath(p.r.URL.Path) || p.r.ParseForm() != nil { // an upload, or no form of the pages
		return linkView{Text: "endedText"}, nil
	}
	return newLinkView("endedText", keptForm{p.r.URL.RequestURI(), p.r.PostForm})
}

func newLinkView(text string, kept keptForm) (linkView, error) {
	v := linkView{Text: text, Form: kept}
	for _, f := range typed(kept.fields()) {
		f.Name = kept.Values.Get(hiddenLabel + f.Name)
		v.Shown = append(v.Shown, f)
	}
	if len(v.Shown) == 0 {
		return v, nil
	}
	carried, err := json.Marshal(kept)
	v.Kept = string(carried)
	return v, err
}

// keptPath reports whether a kept form was one of the candidate's pages.
func keptPath(path string) bool {
	return path == "/c/messages" ||
		strings.HasPrefix(path, "/c/forms/") && !strings.ContainsAny(path, "\\?#")
}

// askForLink shows the page that asks for the candidate's link, with what was typed.
func (p *page) askForLink() error {
	p.session = session{}
	if !p.sentInVain() {
		return p.showPortal(screen{name: "candidatelink", title: "linkTitle"}, "",
			linkView{Text: "linkText"})
	}
	v, err := p.keepForm()
	if err != nil {
		return err
	}
	return p.showPortal(screen{name: "candidatelink", title: "endedTitle",
		status: http.StatusUnauthorized}, v.Form.Values.Get(hiddenLang), v)
}

// ofAnother reports whether a form was on the page of another candidate than the session's: the
// newest link wins in a browser, also while an older page is open in it.
func (p *page) ofAnother(f *form) bool {
	of := f.Get(hiddenOf)
	return of != "" && of != p.session.Candidate
}

// postedByCandidate returns the form that the session's candidate sent.
func (p *page) postedByCandidate() (*form, error) {
	f, err := p.posted()
	if err == nil && p.ofAnother(f) {
		err = errNoSession
	}
	return f, err
}

// candidateSignIn takes the token of a candidate's link, which stood in the link's fragment, and
// keeps it in the cookie. A form that was kept is offered to be sent.
func candidateSignIn(p *page) error {
	token := strings.TrimSpace(p.r.PostFormValue("token"))
	if _, after, ok := strings.Cut(token, "#"); ok {
		token = after
	}
	var kept keptForm
	if text := p.r.PostFormValue("kept"); text != "" {
		if err := json.Unmarshal([]byte(text), &kept); err != nil || !keptPath(kept.Action) {
			kept = keptForm{}
		}
	}
	p.api.credential = token
	var now dossier.Session
	_, err := p.api.get("/sessions/current", &now)
	switch {
	case err == nil && now.Principal.Kind != dossier.KindCandidate,
		isStatus(err, http.StatusUnauthorized):
		return p.keptAgain("linkText", kept)
	case err != nil:
		return err
	case kept.Action != "" && kept.Values.Get(hiddenOf) != now.Principal.ID:
		return p.keptAgain("otherPerson", kept)
	}
	p.site.setCookie(p.w, portalCookie, token, now.ExpiresAt.Time)
	if kept.Action == "" {
		return p.redirect("/c")
	}
	p.session = session{Company: now.Company.Name, Candidate: now.Principal.ID}
	v, err := newLinkView("notSentYet", kept)
	if err != nil {
		return err
	}
	return p.showPortal(screen{name: "candidateresume", title: "welcomeBack"},
		kept.Values.Get(hiddenLang), v)
}

// arrived redirects after a form was taken; the page's script forgets what was typed in it.
func (p *page) arrived(to string, f *form) error {
	return p.redirect(to + "?" + url.Values{"sent": {f.Key}}.Encode())
}

// keptAgain asks for the link again; what was typed stays on the page.
func (p *page) keptAgain(text string, kept keptForm) error {
	v, err := newLinkView(text, kept)
	if err != nil {
		return err
	}
	return p.showPortal(screen{name: "candidatelink", title: "linkTitle",
		status: http.StatusUnauthorized}, kept.Values.Get(hiddenLang), v)
}
