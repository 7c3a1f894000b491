package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// session is one person at one browser, signed in: the API's session or candidate's token that the
// cookie holds, and who it stands for.
type session struct {
	Credential string
	Name       string
	Company    string
	CompanyID  string
	Candidate  string // the candidate's id; empty for an administrator
}

// errNoSession is the answer for a request without a cookie.
var errNoSession = &apiError{Status: http.StatusUnauthorized, Code: dossier.CodeUnauthorized}

// The cookies: administrators and candidates are told apart, so that one browser can be both.
const (
	consoleCookie = "dossier-console"
	portalCookie  = "dossier-candidate"
)

func (s *Site) cookieName(name string) string {
	if s.cfg.Secure {
		return "__Host-" + name
	}
	return name
}

// setCookie keeps a credential in the browser until it ends; an empty one is forgotten.
func (s *Site) setCookie(w http.ResponseWriter, name, credential string, expires time.Time) {
	c := &http.Cookie{Name: s.cookieName(name), Value: credential, Path: "/", Expires: expires,
		HttpOnly: true,
		Secure:   s.cfg.Secure, SameSite: http.SameSiteStrictMode}
	if credential == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// resume finds the session of the request's cookie. A cookie that the API does not believe any more
// is dropped.
func (p *page) resume(cookie string) error {
	kept, err := p.r.Cookie(p.site.cookieName(cookie))
	if err != nil {
		return errNoSession
	}
	p.api.credential = kept.Value
	var now dossier.Session
	if _, err := p.api.get("/sessions/current", &now); err != nil {
		var e *apiError
		if errors.As(err, &e) && e.Status == http.StatusUnauthorized {
			p.site.setCookie(p.w, cookie, "", time.Time{})
		}
		return err
	}
	p.session = session{Credential: kept.Value, Name: now.Principal.Name, Company: now.Company.Name,
		CompanyID: now.Company.ID}
	if now.Principal.Kind == dossier.KindCandidate {
		p.session.Candidate = now.Principal.ID
	}
	if (p.session.Candidate != "") != (cookie == portalCookie) {
		return errNoSession
	}
	return nil
}

// leave ends the session of a cookie, for the API and for the browser.
func (p *page) leave(cookie string) error {
	if kept, err := p.r.Cookie(p.site.cookieName(cookie)); err == nil {
		p.api.credential = kept.Value
		_, err := p.api.do(call{method: http.MethodDelete, path: "/sessions/current"}, nil)
		var e *apiError
		if err != nil && !(errors.As(err, &e) && e.Status == http.StatusUnauthorized) {
			return err
		}
	}
	p.site.setCookie(p.w, cookie, "", time.Time{})
	return nil
}
