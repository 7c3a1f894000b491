package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages: each is the layout, the components and one screen. A page is parsed when
// it is first asked for, so that a process starts without all of them and keeps those in use only.
type templates struct {
	byName map[string]func() (*template.Template, error)
}

func newTemplates(s *Site) (*templates, error) {
	shared := sync.OnceValues(func() (*template.Template, error) {
		return template.New("").Funcs(s.funcs()).ParseFS(templateFiles, "templates/shared/*.html")
	})
	all := &templates{byName: map[string]func() (*template.Template, error){}}
	screens, err := fs.Glob(templateFiles, "templates/*.html")
	for _, file := range screens {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".html")
		all.byName[name] = sync.OnceValues(func() (*template.Template, error) {
			t, err := shared()
			if err != nil {
				return nil, err
			}
			if t, err = t.Clone(); err != nil {
				return nil, err
			}
			return t.ParseFS(templateFiles, file)
		})
	}
	return all, err
}

// screen returns the parsed page of a name.
func (t *templates) screen(name string) (*template.Template, error) {
	parse := t.byName[name]
	if parse == nil {
		return nil, errors.New("web: there is no template " + name)
	}
	return parse()
}

// view is the data of the layout and a screen.
type view struct {
	Screen  string // the template's name
	Title   string
	Section string // which entry of the navigation is the current one
	Session session
	Path    string
	Done    string // a sentence about what was just done
	About   *about // what Done is about; Done is then the rest of the sentence
	Poll    bool   // something is under way: the script asks for the page again
	Lang    string
	Data    any
}

// screen describes how a page is rendered.
type screen struct {
	name    string
	title   string
	section string
	poll    bool
	status  int // 200 where 0
}

// show renders a page. A page that the browser has already is 304.
func (p *page) show(sc screen, data any) error {
	v := view{Screen: sc.name, Title: sc.title, Section: sc.section, Session: p.session,
		Path: p.r.URL.Path, Done: doneWords[p.r.URL.Query().Get("done")], Poll: sc.poll,
		Lang: "en", Data: data}
	p.sayWhose(&v)
	return p.writePage(sc, "layout", v)
}

// writePage renders a screen in a layout.
func (p *page) writePage(sc screen, layout string, v any) error {
	var b bytes.Buffer
	t, err := p.site.pages.screen(sc.name)
	if err != nil {
		return err
	}
	if err := t.ExecuteTemplate(&b, layout, v); err != nil {
		return err
	}
	h := p.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Request-Id", p.api.requestID)
	if sc.status == 0 && p.r.Method == http.MethodGet {
		sum := sha256.Sum256(b.Bytes())
		tag := `W/"` + hex.EncodeToString(sum[:12]) + `"`
		h.Set("ETag", tag)
		if p.r.Header.Get("If-None-Match") == tag {
			p.w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	if sc.status != 0 {
		p.w.WriteHeader(sc.status)
	}
	_, _ = p.w.Write(b.Bytes()) // a browser that went away has no use for the error
	return nil
}

var errNoPage = errors.New("there is no such page")

// problem is the content of an error page.
type problem struct {
	Title, Text, RequestID string
}

// fail responds to an error: a lost session leads to signing in, everything else to an error page.
func (s *Site) fail(p *page, err error) {
	pr, status := problem{Title: "Something went wrong",
		Text: "This is our mistake, not yours. Try again in a moment."},
		http.StatusInternalServerError
	var e *apiError
	switch {
	case errors.As(err, &e) && e.Status == http.StatusUnauthorized:
		s.askToSignIn(p, "")
		return
	case errors.Is(err, errNoPage), errors.As(err, &e) && e.Status == http.StatusNotFound:
		status = http.StatusNotFound
		pr = problem{Title: "There is nothing here",
			Text: "It may have been deleted, or the address has a mistake in it."}
	case e != nil && e.Status == http.StatusForbidden:
		status = http.StatusForbidden
		pr = problem{Title: "Your key may not do this",
			Text: e.Detail + " Ask whoever manages your company's keys."}
	case e != nil && e.Status < http.StatusInternalServerError:
		status = e.Status
		pr = problem{Title: "That was not possible", Text: sentence(e)}
	case e != nil:
		status = e.Status
		pr.Text = e.Detail
	}
	pr.RequestID = p.api.requestID
	if status >= http.StatusInternalServerError {
		s.cfg.Log.ErrorContext(p.r.Context(), "page failed", "requestId", p.api.requestID, "route",
			p.r.Pattern, "error", err)
	}
	if err := p.show(screen{name: "problem", title: pr.Title, status: status}, pr); err != nil {
		s.cfg.Log.ErrorContext(p.r.Context(), "error page failed", "requestId", p.api.requestID,
			"error", err)
		http.Error(p.w, pr.Title, status)
	}
}

// sentence joins the messages of the API about a request and its fields.
func sentence(e *apiError) string {
	parts := []string{e.Detail}
	for _, f := range e.Errors {
		parts = append(parts, fieldSentence(f.Message))
	}
	return strings.Join(parts, " ")
}

// fieldSentence turns a message of the API about a field into a sentence: some of its messages are
// predicates.
func fieldSentence(m string) string {
	if m == "" {
		return ""
	}
	for _, verb := range []string{"is ", "are ", "has ", "does ", "names ", "holds ", "must ",
		"can't "} {
		if strings.HasPrefix(m, verb) {
			m = "This " + m
			break
		}
	}
	m = capital(m)
	if !strings.HasSuffix(m, ".") {
		m += "."
	}
	return m
}
