package web

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// Config holds the settings of a Site. Defaults for unset fields are in brackets.
type Config struct {
	API http.Handler // the API; pages call it in process
	// Parts lists the origins, beside the own one, that links to parts lead to, such as
	// https://bucket.s3.amazonaws.com.
	Parts []string
	// the site is reached by https: cookies are Secure and carry the __Host- prefix
	Secure bool
	// how people reach the site, for the links that it shows [the request's host]
	URL string
	Now func() time.Time // [time.Now]
	Log *slog.Logger     // [slog.Default]
}

// Site is the http.Handler of all pages.
type Site struct {
	cfg     Config
	assets  *assets
	pages   *templates
	csp     string
	handler http.Handler
}

// New makes the site. An asset with a mistake is an error; pages are parsed when they are first
// asked for, and a test parses all of them.
func New(cfg Config) (*Site, error) {
	if cfg.API == nil {
		return nil, errors.New("web: the API is needed")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	s := &Site{cfg: cfg, csp: contentPolicy(cfg.Parts)}
	var err error
	if s.assets, err = newAssets(); err != nil {
		return nil, err
	}
	if s.pages, err = newTemplates(s); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", s.assets)
	s.consoleRoutes(mux)
	s.portalRoutes(mux)
	s.handler = s.protect(mux)
	return s, nil
}

// Prefixes lists the path patterns that a server hands to the site.
func Prefixes() []string {
	return []string{"/console", "/console/", "/p/", "/c", "/c/", "/assets/"}
}

// contentPolicy returns the Content-Security-Policy of every page: own scripts and styles, nothing
// inline.
func contentPolicy(parts []string) string {
	from := strings.Join(append([]string{"'self'"}, parts...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src " + from +
		"; img-src " + from + " blob:; " +
		"frame-src blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// protect sets what every answer carries, and refuses what another site's page sends.
func (s *Site) protect(next http.Handler) http.Handler {
	guarded := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", s.csp)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		h.Set("Cache-Control", "private, no-cache")
		guarded.ServeHTTP(w, r)
	})
}

// ServeHTTP answers one request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// page is one request for a page, and the session that it belongs to.
type page struct {
	site    *Site
	w       http.ResponseWriter
	r       *http.Request
	api     *client
	session session
	now     time.Time
}

// handler answers one page.
type handler func(*page) error

// maxForm limits the bytes of a posted form.
const maxForm = 1 << 20

func (s *Site) newPage(w http.ResponseWriter, r *http.Request) *page {
	now := s.cfg.Now()
	id := ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
	return &page{site: s, w: w, r: r, now: now,
		api: &client{ctx: r.Context(), api: s.cfg.API, requestID: id, from: r.RemoteAddr}}
}

// console serves a page of the console: it needs a session of an administrator.
func (s *Site) console(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := s.newPage(w, r)
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		err := p.resume(consoleCookie)
		if err == nil {
			err = h(p)
		}
		if err != nil {
			s.fail(p, err)
		}
	}
}

// open serves a page of the console that needs no session.
func (s *Site) open(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		p := s.newPage(w, r)
		if err := h(p); err != nil {
			s.fail(p, err)
		}
	}
}

// consoleRoutes registers the console's pages; each screen's file has its handlers.
func (s *Site) consoleRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /console/signin", s.open(signInPage))
	mux.HandleFunc("POST /console/signin", s.open(signIn))
	mux.HandleFunc("GET /console/signin/{company}", s.open(companySignIn))
	mux.HandleFunc("GET /console/signin/{company}/callback", s.open(backFromProvider))
	mux.HandleFunc("GET /console/signin/{company}/{provider}", s.open(startAtProvider))
	mux.HandleFunc("POST /console/signout", s.open(signOut))
	for pattern, h := range consolePages {
		mux.HandleFunc(pattern, s.console(h))
	}
	mux.HandleFunc("/console/", s.console(func(*page) error { return errNoPage }))
}

// redirect sends the browser to another page of the site, after a form was taken.
func (p *page) redirect(to string) error {
	http.Redirect(p.w, p.r, to, http.StatusSeeOther)
	return nil
}

// done redirects to a page that confirms the change; word is a key of doneWords.
func (p *page) done(to, word string) error {
	sep := "?"
	if strings.Contains(to, "?") {
		sep = "&"
	}
	return p.redirect(to + sep + "done=" + word)
}
