package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// home is the console's first page. Its address ends without a slash: API Gateway has no route for
// one that does.
const home = "/console"

// signInView is the data of the sign-in page. Kept is a form that was sent when the session had
// ended.
type signInView struct {
	Next  string
	Kept  string // JSON of keptForm, carried through the page
	Shown []keptField
	Error string
	Offer dossier.PublicSignIn // the company's own sign-in, where the browser knows the company
}

// keptForm is a form that was sent without a session: nothing in it is lost.
type keptForm struct {
	Action string     `json:"a"`
	Values url.Values `json:"v"`
}

// keptField is a value of a kept form as it is shown.
type keptField struct{ Name, Value string }

// fields returns the values that a person typed, without those of the machinery.
func (k keptForm) fields() []keptField {
	var list []keptField
	for _, name := range sortedKeys(k.Values) {
		for _, v := range k.Values[name] {
			list = append(list, keptField{name, v})
		}
	}
	return list
}

// typed are the fields whose values a person typed.
func typed(all []keptField) []keptField {
	var list []keptField
	for _, f := range all {
		if !strings.HasPrefix(f.Name, "_") && f.Value != "" {
			list = append(list, f)
		}
	}
	return list
}

// askToSignIn shows the sign-in page in place of a page that needs a session. What a form sent
// stays with it.
func (s *Site) askToSignIn(p *page, message string) {
	v := signInView{Error: message}
	status := http.StatusUnauthorized
	switch p.r.Method {
	case http.MethodGet, http.MethodHead:
		v.Next = p.r.URL.RequestURI()
		if v.Next == home || v.Next == home+"/" {
			status = http.StatusOK
		}
	default:
		if err := p.r.ParseForm(); err == nil {
			kept := keptForm{p.r.URL.RequestURI(), p.r.PostForm}
			text, err := json.Marshal(kept)
			if err == nil {
				v.Kept, v.Shown = string(text), typed(kept.fields())
			}
			v.Error = "Your session has ended. Sign in again: nothing you typed is lost."
		}
	}
	p.session = session{}
	if err := p.offer(&v); err != nil {
		s.cfg.Log.Error("the company's sign-in cannot be offered", "error", err)
	}
	if err := p.show(screen{name: "signin", title: "Sign in", status: status}, v); err != nil {
		http.Error(p.w, "Sign in", http.StatusInternalServerError)
	}
}

func signInPage(p *page) error {
	v := signInView{Next: p.r.URL.Query().Get("next")}
	if err := p.offer(&v); err != nil {
		return err
	}
	return p.show(screen{name: "signin", title: "Sign in"}, v)
}

// signIn takes a key or a sign-in link and starts a session.
func signIn(p *page) error {
	secret := strings.TrimSpace(p.r.PostFormValue("key"))
	v := signInView{Next: p.r.PostFormValue("next"), Kept: p.r.PostFormValue("kept")}
	kept := keptForm{}
	if v.Kept != "" && json.Unmarshal([]byte(v.Kept), &kept) == nil {
		v.Shown = typed(kept.fields())
	}
	if secret == "" && ownPath(kept.Action) && p.resume(consoleCookie) == nil {
		return p.offerAgain(kept, v.Shown) // signed in at the company's own sign-in, in another tab
	}
	in := dossier.SessionInput{Key: secret}
	if at := strings.Index(secret, "dsl_"); at >= 0 {
		in = dossier.SessionInput{Link: secret[at:]}
	}
	var made dossier.Session
	if _, err := p.api.do(call{method: http.MethodPost, path: "/sessions", body: in}, &made); err !=
		nil {
		var status int
		if v.Error, status = signInProblem(secret, err); v.Error == "" {
			return err
		}
		if err := p.offer(&v); err != nil {
			return err
		}
		return p.show(screen{name: "signin", title: "Sign in", status: status}, v)
	}
	p.site.setCookie(p.w, consoleCookie, made.Token, made.ExpiresAt.Time)
	if kept.Action != "" && ownPath(kept.Action) {
		p.session = session{Credential: made.Token, Name: made.Principal.Name,
			Company: made.Company.Name}
		return p.offerAgain(kept, v.Shown)
	}
	if !ownPath(v.Next) {
		v.Next = home
	}
	return p.redirect(v.Next)
}

// offerAgain shows a form that was sent without a session, to be sent again.
func (p *page) offerAgain(kept keptForm, shown []keptField) error {
	return p.show(screen{name: "resume", title: "Welcome back"},
		resumeView{kept.Action, kept.fields(), shown})
}

// resumeView offers to send a form again that was sent without a session.
type resumeView struct {
	Action string
	Fields []keptField
	Shown  []keptField
}

// ownPath reports whether a path leads to a page of the console and nowhere else.
func ownPath(p string) bool {
	return strings.HasPrefix(p, "/console/") && !strings.Contains(p, "\\") &&
		!strings.HasPrefix(p, "/console/sign")
}

// signInProblem says why signing in failed; empty where it is nobody's mistake.
func signInProblem(secret string, err error) (string, int) {
	var e *apiError
	switch {
	case secret == "":
		return "Enter your key. It begins with dsr_.", http.StatusUnprocessableEntity
	case !errors.As(err, &e):
		return "", 0
	case e.Status == http.StatusUnauthorized && strings.Contains(secret, "dsl_"):
		return "This link has ended or was used already. Links work once, for ten minutes.",
			http.StatusUnauthorized
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusUnprocessableEntity:
		return "This key is not valid. It may be mistyped, expired or deleted.",
			http.StatusUnauthorized
	case e.Status == http.StatusTooManyRequests:
		return "There were too many attempts. Wait a minute and try again.",
			http.StatusTooManyRequests
	}
	return "", 0
}

func signOut(p *page) error {
	if err := p.leave(consoleCookie); err != nil {
		return err
	}
	return p.done("/console/signin", "signedOut")
}
