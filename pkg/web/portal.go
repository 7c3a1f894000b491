package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// languages are the portal's, English first: it stands in for all others.
var languages = []option{{"en", "English"}, {"nl", "Nederlands"}, {"de", "Deutsch"},
	{"fr", "Français"}, {"es", "Español"}, {"pl", "Polski"}}

// matchLanguage returns the matcher of the portal's languages. Its tables are made when somebody
// asks.
var matchLanguage = sync.OnceValue(func() language.Matcher {
	return language.NewMatcher([]language.Tag{language.English, language.Dutch, language.German,
		language.French, language.Spanish, language.Polish})
})

// languageCookie keeps the language that a person chose.
const languageCookie = "dossier-language"

// portalRoutes registers the candidate's pages.
func (s *Site) portalRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /c", s.portal(candidateHome, false))
	mux.HandleFunc("GET /c/messages", s.portal(candidateMessages, false))
	mux.HandleFunc("POST /c/messages", s.portal(candidateAnswer, false))
	mux.HandleFunc("GET /c/forms/{form}", s.portal(openForm, false))
	mux.HandleFunc("POST /c/forms/{form}", s.portal(submitForm, false))
	mux.HandleFunc("POST /c/upload/{request}", s.portal(candidateUpload, false))
	mux.HandleFunc("POST /c/announce/{request}", s.portal(announceUpload, false))
	mux.HandleFunc("POST /c/commit/{request}", s.portal(commitUpload, false))
	mux.HandleFunc("POST /c/signin", s.portal(candidateSignIn, true))
	mux.HandleFunc("POST /c/signout", s.portal(candidateSignOut, true))
	mux.HandleFunc("POST /c/language", s.portal(chooseLanguage, true))
	mux.HandleFunc("/c/", s.portal(func(*page) error { return errNoPage }, true))
	mux.HandleFunc("GET /p/{company}/{page}", s.portal(registerPage, true))
	mux.HandleFunc("POST /p/{company}/{page}", s.portal(register, true))
	mux.HandleFunc("/p/", s.portal(func(*page) error { return errNoPage }, true))
}

// maxPortalForm limits the bytes of an upload: the parts, and the form around them.
const maxPortalForm = dossier.MaxInlineSize + 1<<19

// portal serves a page of the candidate's; public ones need no session.
func (s *Site) portal(h handler, public bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxPortalForm)
		p := s.newPage(w, r)
		var err error
		if !public {
			err = p.resume(portalCookie)
		}
		if err == nil {
			err = h(p)
		}
		if err != nil {
			p.portalProblem(err)
		}
	}
}

// portalView is the data of the portal's layout and pages.
type portalView struct {
	Lang      string
	Title     string
	Company   string
	Path      string
	Candidate string // whose page it is; empty without a session
	Poll      bool
	Languages []option
	Data      any
}

// speaks returns the language of the page: chosen, else the candidate's, else the browser's.
func (p *page) speaks(candidate string) string {
	var wanted []string
	if c, err := p.r.Cookie(languageCookie); err == nil {
		wanted = append(wanted, c.Value)
	}
	tag, _ := language.MatchStrings(matchLanguage(),
		append(wanted, candidate, p.r.Header.Get("Accept-Language"))...)
	base, _ := tag.Base()
	return base.String()
}

func (p *page) showPortal(sc screen, candidate string, data any) error {
	lang := p.speaks(candidate)
	v := portalView{Lang: lang, Title: say(lang, sc.title), Company: p.session.Company,
		Path: p.r.URL.Path, Candidate: p.session.Candidate,
		Poll: sc.poll, Languages: languages, Data: data}
	if link, ok := data.(linkView); ok && link.Kept != "" {
		v.Languages = nil // another language is another page: it would not have what was typed
	}
	p.w.Header().Set("Vary", "Accept-Language, Cookie")
	return p.writePage(sc, "portal", v)
}

// portalProblem answers an error of the candidate's pages: without a session the page asks for the
// link.
func (p *page) portalProblem(err error) {
	sc, data := screen{name: "candidateproblem", title: "wrong",
		status: http.StatusInternalServerError}, "wrongText"
	var e *apiError
	switch {
	case errors.As(err, &e) && (e.Status == http.StatusUnauthorized ||
		e.Status == http.StatusForbidden):
		if err = p.askForLink(); err == nil {
			return
		}
	case errors.Is(err, errNoPage), e != nil && e.Status == http.StatusNotFound:
		sc.status, sc.title, data = http.StatusNotFound, "nothing", "nothingText"
	case e != nil && e.Status == http.StatusTooManyRequests:
		sc.status, sc.title, data = e.Status, "wait", "tooMany"
	}
	if sc.status >= http.StatusInternalServerError {
		p.site.cfg.Log.ErrorContext(p.r.Context(), "page failed", "requestId", p.api.requestID,
			"route", p.r.Pattern, "error", err)
	}
	if err := p.showPortal(sc, "", data); err != nil {
		http.Error(p.w, "Something went wrong.", http.StatusInternalServerError)
	}
}

func candidateSignOut(p *page) error {
	if err := p.leave(portalCookie); err != nil {
		return err
	}
	return p.redirect("/c")
}

// keepLanguage keeps the language that a person chose, if the portal has it.
func (p *page) keepLanguage(lang string) {
	if slices.ContainsFunc(languages, func(o option) bool { return o.Value == lang }) {
		http.SetCookie(p.w, &http.Cookie{Name: languageCookie, Value: lang, Path: "/",
			Expires:  p.now.Add(365 * 24 * time.Hour),
			HttpOnly: true, Secure: p.site.cfg.Secure, SameSite: http.SameSiteStrictMode})
	}
}

func chooseLanguage(p *page) error {
	p.keepLanguage(p.r.PostFormValue("language"))
	to := p.r.PostFormValue("path")
	if to != "/c" && !strings.HasPrefix(to, "/c/") && !strings.HasPrefix(to, "/p/") ||
		strings.Contains(to, "\\") {
		to = "/c"
	}
	return p.redirect(to)
}

// wantedDoc is one document of the candidate's page.
type wantedDoc struct {
	dossier.CandidateDocumentType
	Word, Tone string // the state for a candidate
	Parts      []string
	Wanted     bool // it has to be sent
	Replace    bool // it can be sent again
	// a text about a newer version of an accepted document, "" without one
	Newer string
	Due   string
	Key   string
}

type candidateView struct {
	Name    string
	Docs    []wantedDoc
	Open    int
	Done    int
	Total   int
	Forms   []dossier.CandidateForm
	ToFill  int // forms that are open
	Message *dossier.Message
	Problem string // of an upload that could not be taken
	Of      string // the request that the problem is about
}

func candidateHome(p *page) error { return p.candidateHome("", "") }

// candidateHome shows the candidate's documents; problem is a text's key about an upload to of.
func (p *page) candidateHome(problem, of string) error {
	id := p.session.Candidate
	var c dossier.Candidate
	var requests []dossier.CandidateDocumentType
	var messages []dossier.Message
	err := gather(
		func() error { _, err := p.api.get("/candidates/"+id, &c); return err },
		func() (err error) {
			requests, _, err = list[dossier.CandidateDocumentType](p.api, "/candidateDocumentTypes",
				url.Values{"filter[candidateId]": {id}}, pageSize)
			return err
		},
		func() (err error) {
			messages, _, err = list[dossier.Message](p.api, "/candidates/"+id+"/messages",
				url.Values{"sort": {"-createdAt"}}, 1)
			return err
		},
	)
	if err != nil {
		return err
	}
	v := candidateView{Name: c.FirstName, Problem: problem, Of: of}
	busy := false
	for _, r := range requests {
		if r.State == dossier.StateRemoved {
			continue
		}
		d := wanted(r)
		busy = busy || r.Lock != nil
		if r.Required {
			v.Total++
			if d.Wanted {
				v.Open++
			} else {
				v.Done++
			}
		}
		v.Docs = append(v.Docs, d)
	}
	slices.SortStableFunc(v.Docs, func(a, b wantedDoc) int { return order(a) - order(b) })
	v.Forms = c.Forms
	for _, f := range c.Forms {
		if f.State == dossier.FormOpen {
			v.ToFill++
		}
	}
	if len(messages) > 0 {
		v.Message = &messages[0]
	}
	sc := screen{name: "candidatehome", title: "title", poll: busy}
	if problem != "" {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.showPortal(sc, c.Language, v)
}

// order returns the rank of a document in the list: wanted ones come first, validated ones last.
func order(d wantedDoc) int {
	switch {
	case d.Wanted:
		return 0
	case d.State == dossier.StateValidated:
		return 2
	}
	return 1
}

// wanted returns a request as its candidate sees it.
func wanted(r dossier.CandidateDocumentType) wantedDoc {
	d := wantedDoc{CandidateDocumentType: r, Key: formKey(), Parts: r.DocumentType.RequiredParts}
	if len(d.Parts) == 0 {
		d.Parts = []string{"front"}
	}
	switch r.State {
	case dossier.StateRequested, dossier.StateUploaded:
		d.Word, d.Tone, d.Wanted = "stateWanted", "wait", true
	case dossier.StateNeedsResubmission, dossier.StateRejected, dossier.StateExpired,
		dossier.StateCheckFailed:
		d.Word, d.Tone, d.Wanted = "stateAgain", "bad", true
	case dossier.StateProcessing:
		d.Word, d.Tone = "stateReading", "wait"
	case dossier.StateInReview:
		d.Word, d.Tone, d.Replace = "stateReview", "warn", true
	case dossier.StateValidated:
		d.Word, d.Tone = "stateAccepted", "ok"
		d.newer(r)
	}
	return d
}

// newer says what became of a newer version of an accepted document. The candidate can send one
// while it expires or a newer one was not accepted, if the document type lets them.
func (d *wantedDoc) newer(r dossier.CandidateDocumentType) {
	d.Replace = r.ExpiresAt != ""
	if r.Replacement != nil {
		d.Replace = r.Lock == nil
		switch r.Replacement.State {
		case dossier.StateProcessing, dossier.StateInReview:
			d.Newer = "newerReview"
		case dossier.StateUploaded:
			d.Newer = "newerParts"
		default:
			d.Newer = "newerAgain"
		}
	}
	d.Replace = d.Replace && r.DocumentType.Replaceable == dossier.ReplaceableCandidate
}

type messagesView struct {
	Messages []dossier.Message
	Earlier  string // the address of the next page, empty where there is none
	Newest   bool   // this is the first page
	Form     *form
}

// messagesOnPage is the number of messages on a page of the portal.
const messagesOnPage = 50

func candidateMessages(p *page) error { return p.candidateMessages(newForm(url.Values{})) }

// candidateMessages shows a page of messages, newest first, and marks what others wrote there as
// read.
func (p *page) candidateMessages(f *form) error {
	path := "/candidates/" + p.session.Candidate
	var c dossier.Candidate
	if _, err := p.api.get(path, &c); err != nil {
		return err
	}
	query := url.Values{"sort": {"-createdAt"}, "page[size]": {strconv.Itoa(messagesOnPage)}}
	after := p.r.URL.Query().Get("after")
	if after != "" {
		query.Set("page[after]", after)
	}
	var messages []dossier.Message
	rep, err := p.api.do(call{path: path + "/messages", query: query}, &messages)
	var e *apiError
	if after != "" && errors.As(err, &e) && e.Code == dossier.CodeMalformed {
		return p.redirect("/c/messages")
	}
	if err != nil {
		return err
	}
	for _, m := range messages {
		if m.ReadByCandidateAt.IsZero() && m.Author.Type != dossier.KindCandidate {
			if _, err := p.api.do(call{method: http.MethodPost,
				path: path + "/messages/" + m.ID + "/read"}, nil); err != nil {
				return err
			}
		}
	}
	v := messagesView{Messages: messages, Newest: after == "", Form: f}
	if rep.next != "" {
		v.Earlier = "/c/messages?" + url.Values{"after": {rep.next}}.Encode()
	}
	sc := screen{name: "candidatemessages", title: "messages"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.showPortal(sc, c.Language, v)
}

func candidateAnswer(p *page) error {
	f, err := p.postedByCandidate()
	if err != nil {
		return err
	}
	_, err = p.api.do(call{method: http.MethodPost,
		path: "/candidates/" + p.session.Candidate + "/messages",
		body: object{"text": f.Get("text")}, key: f.Key}, nil)
	if err != nil {
		if err := f.refused(err, nil); err != nil {
			return err
		}
		return p.candidateMessages(f)
	}
	return p.arrived("/c/messages", f)
}
