package figures

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/web"
)

// maxPage is the target of figure 8: the time of a page in times of the API's calls that it makes.
const maxPage = 1.3

// inAPI is the API, and the time in which at least one call of it was under way.
type inAPI struct {
	http.Handler
	mu    sync.Mutex
	calls int
	open  int
	since time.Time
	spent time.Duration
}

// ServeHTTP implements http.Handler.
func (a *inAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	if a.calls++; a.open == 0 {
		a.since = time.Now()
	}
	a.open++
	a.mu.Unlock()
	a.Handler.ServeHTTP(w, r)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open--; a.open == 0 {
		a.spent += time.Since(a.since)
	}
}

// take returns the calls and their time since the last take.
func (a *inAPI) take() (int, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	calls, spent := a.calls, a.spent
	a.calls, a.spent = 0, 0
	return calls, spent
}

// visitor is a browser of the site, as far as its cookie goes.
type visitor struct {
	*meteredStore
	site    http.Handler
	cookies []*http.Cookie
}

// visit makes a request of the site, whose answer has to have the status.
func (v *visitor) visit(status int, method, path string, form url.Values) {
	v.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode())).WithContext(
		v.Context())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range v.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	v.site.ServeHTTP(w, r)
	if w.Code != status {
		v.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	v.cookies = append(v.cookies, w.Result().Cookies()...)
}

// BenchmarkFigure8 prints the server time of pages beside that of the API calls that they make, on
// both engines.
func BenchmarkFigure8(b *testing.B) {
	title("figure 8: server time of pages, beside that of the API calls they make")
	for _, on := range []struct {
		engine string
		h      *meteredStore
	}{{"embedded", onBolt(b)}, {"dynamodb", onDynamo(b)}} {
		v, api, paths := visited(on.h)
		for _, path := range paths {
			v.time(on.engine, path, api)
		}
	}
}

// visited makes a company with candidates and documents to review, and signs a visitor in at both
// kinds of pages. paths are those that are measured.
func visited(h *meteredStore) (v *visitor, api *inAPI, paths []string) {
	h.Helper()
	plain := h.documentType("Driving licence", "")
	var candidate, request string
	for range 20 {
		candidate, request = h.candidate(plain)
		h.upload(request)()
		h.check("inReview")
	}
	api = &inAPI{Handler: h.api}
	site, err := web.New(web.Config{API: api, Log: h.cfg.Log})
	if err != nil {
		h.Fatal(err)
	}
	token, _ := h.do(http.StatusOK, http.MethodPost, "/candidates/"+candidate+"/tokens",
		"").(map[string]any)["token"].(string)
	v = &visitor{meteredStore: h, site: site}
	v.visit(http.StatusSeeOther, http.MethodPost, "/console/signin", url.Values{"key": {h.key}})
	v.visit(http.StatusSeeOther, http.MethodPost, "/c/signin", url.Values{"token": {token}})
	return v, api, []string{"/console", "/console/candidates", "/console/candidates/" + candidate,
		"/console/review/" + request, "/console/document-types/" + plain + "/rules", "/c",
		"/c/messages"}
}

// time prints what one page takes.
func (v *visitor) time(engine, path string, api *inAPI) {
	v.Helper()
	const rounds = 50
	v.visit(http.StatusOK, http.MethodGet, path, nil)
	api.take()
	began := time.Now()
	for range rounds {
		v.visit(http.StatusOK, http.MethodGet, path, nil)
	}
	took := time.Since(began)
	calls, spent := api.take()
	times, verdict := took.Seconds()/spent.Seconds(), "ok"
	if times > maxPage {
		verdict = "missed"
	}
	name, _, _ := strings.Cut(path, "_")
	fmt.Printf("%s  %-28s %6.2f ms  %2d calls %6.2f ms  %.2f x of at most %.1f  %s\n", engine, name,
		1000*took.Seconds()/rounds, calls/rounds, 1000*spent.Seconds()/rounds, times, maxPage,
		verdict)
}
