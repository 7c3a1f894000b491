package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The cookies of signing in at a company's own provider: an attempt that is under way with the page
// that follows, and the company whose provider was used last.
const (
	attemptCookie = "dossier-signin"
	companyCookie = "dossier-company"
)

// rememberCompany bounds how long the sign-in page offers the company's provider by itself.
const rememberCompany = 365 * 24 * time.Hour

// setLaxCookie keeps a text in the browser that it sends also where another site, the provider,
// sends it to a page. An empty one is forgotten.
func (s *Site) setLaxCookie(w http.ResponseWriter, name, value string, lasts time.Duration) {
	c := &http.Cookie{Name: s.cookieName(name), Value: value, Path: "/",
		MaxAge: int(lasts.Seconds()), HttpOnly: true, Secure: s.cfg.Secure,
		SameSite: http.SameSiteLaxMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

func (p *page) cookie(name string) string {
	kept, err := p.r.Cookie(p.site.cookieName(name))
	if err != nil {
		return ""
	}
	return kept.Value
}

// offer finds the providers of the company in the path, or of the one that was used last. A company
// that has none, or does not exist, offers nothing.
func (p *page) offer(v *signInView) error {
	company := p.r.PathValue("company")
	if company == "" {
		company = p.cookie(companyCookie)
	}
	if company == "" {
		return nil
	}
	_, err := p.api.get("/public/"+url.PathEscape(company)+"/sign-in", &v.Offer)
	if isStatus(err, http.StatusNotFound, http.StatusTooManyRequests) {
		return nil
	}
	return err
}

// companySignIn is the sign-in page of a company, which the console's settings name.
func companySignIn(p *page) error {
	v := signInView{Next: p.r.URL.Query().Get("next")}
	if err := p.offer(&v); err != nil {
		return err
	}
	status := http.StatusOK
	if len(v.Offer.Providers) == 0 {
		status, v.Error = http.StatusNotFound,
			"This company has no sign-in of its own. Sign in with a key."
	}
	return p.show(screen{name: "signin", title: "Sign in", status: status}, v)
}

// callbackOf returns the address at which a provider of a company sends the browser back. It names
// the company: a provider of another one never sends a code there.
func (p *page) callbackOf(company string) string {
	return p.site.base(p.r) + "/console/signin/" + company + "/callback"
}

// startAtProvider sends the browser to a provider. A link on another site leads to the sign-in page
// only: it would sign its reader in at a company that the other site chooses.
func startAtProvider(p *page) error {
	company, next := p.r.PathValue("company"), p.r.URL.Query().Get("next")
	switch p.r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return p.redirect("/console/signin/" + url.PathEscape(company) + "?next=" +
			url.QueryEscape(next))
	}
	var begun dossier.SignInStarted
	_, err := p.api.do(call{method: http.MethodPost,
		path: "/public/" + url.PathEscape(company) + "/sign-in",
		body: dossier.SignInStart{ProviderID: p.r.PathValue("provider"),
			RedirectURI: p.callbackOf(company)}}, &begun)
	if err != nil {
		return p.providerFailed(err)
	}
	if !ownPath(next) || len(next) > maxNext {
		next = home
	}
	p.site.setLaxCookie(p.w, attemptCookie, begun.Attempt+"."+url.QueryEscape(next),
		begun.ExpiresAt.Sub(p.now))
	return p.redirect(begun.URL)
}

// maxNext bounds the address that an attempt keeps, since a cookie has 4 kB.
const maxNext = 1000

// backFromProvider takes the code with which the provider sent the browser here. Its page leads on
// by itself: the session's cookie is not sent with a redirect that began at another site.
func backFromProvider(p *page) error {
	company, q := p.r.PathValue("company"), p.r.URL.Query()
	attempt, next, _ := strings.Cut(p.cookie(attemptCookie), ".")
	if q.Get("error") != "" {
		p.site.setLaxCookie(p.w, attemptCookie, "", 0)
		return p.signInAgain("The sign-in at your company was cancelled or refused.",
			http.StatusForbidden)
	}
	ulid := strings.TrimPrefix(company, dossier.PrefixCompany)
	if !strings.HasPrefix(attempt, "dsa_"+ulid) || q.Get("code") == "" || q.Get("state") == "" {
		return p.signInAgain(startAgain, http.StatusUnauthorized)
	}
	var made dossier.Session
	_, err := p.api.do(call{method: http.MethodPost, path: "/sessions",
		body: dossier.SessionInput{Attempt: attempt, Code: q.Get("code"), State: q.Get("state"),
			Issuer: q.Get("iss")}}, &made)
	if !isStatus(err, http.StatusTooManyRequests) { // else the page is loaded again
		p.site.setLaxCookie(p.w, attemptCookie, "", 0)
	}
	if err != nil {
		return p.providerFailed(err)
	}
	p.site.setCookie(p.w, consoleCookie, made.Token, made.ExpiresAt.Time)
	p.site.setLaxCookie(p.w, companyCookie, made.Company.ID, rememberCompany)
	if next, err = url.QueryUnescape(next); err != nil || !ownPath(next) {
		next = home
	}
	p.w.Header().Set("Refresh", "0; url="+next)
	p.session = session{Name: made.Principal.Name, Company: made.Company.Name}
	return p.show(screen{name: "signedin", title: "Signed in"}, next)
}

const startAgain = "This sign-in took too long, was used already, or began in another browser. " +
	"Start again."

// providerFailed shows the sign-in page with what went wrong at the provider; what is nobody's
// mistake is the error.
func (p *page) providerFailed(err error) error {
	var e *apiError
	if !errors.As(err, &e) {
		return err
	}
	text, starts := e.Detail, p.r.PathValue("provider") != ""
	switch {
	case e.Status == http.StatusNotFound, starts && e.about("/providerId"):
		text = "This sign-in provider does not exist any more."
	case e.Status == http.StatusUnprocessableEntity && starts:
		text = sentence(e)
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusUnprocessableEntity:
		text = startAgain
	case e.Status == http.StatusTooManyRequests:
		text = "There were too many attempts. Wait a minute and try again."
	case e.Status == http.StatusForbidden, e.Status == http.StatusServiceUnavailable:
	default:
		return err
	}
	return p.signInAgain(text, e.Status)
}

func (p *page) signInAgain(text string, status int) error {
	v := signInView{Error: text}
	if err := p.offer(&v); err != nil {
		return err
	}
	return p.show(screen{name: "signin", title: "Sign in", status: status}, v)
}
