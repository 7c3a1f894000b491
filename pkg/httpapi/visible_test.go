package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const canaries = `"check":{"parser":"http","http":{"url":"https://parser.example.com/canary-address"}},
	"submission":{"rules":[{"conditionsType":"and","conditions":[{"type":"context","reference":"nationality","operator":"isEqual","value":["canary-threshold"]}],"actions":[]}]}`

// A candidate's token sees neither rules nor parser addresses nor internal metadata, also in the
// stored response to a repeated request.
func TestWhatATokenSees(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate := h.candidate(t)
	dt := ok[dossier.DocumentType](t, h, "POST", "/documentTypes", `{"name":"Card",`+canaries+`}`)
	request := ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes",
		fmt.Sprintf(
			`{"candidateId":%q,"documentTypeId":%q,"metadata":{"note":"canary-metadata","candidate":{"hint":"for you"}}}`, candidate, dt.ID))
	token := h.token(t, candidate)
	at := "/candidateDocumentTypes/" + request.ID
	upload := `{"parts":[{"name":"front","contentType":"application/pdf","content":"JVBERi0xLjQKJSVFT0YK"}]}`
	for _, c := range []call{
		{method: "GET", target: at},
		{method: "GET", target: "/candidateDocumentTypes?filter[candidateId]=" + candidate},
		{method: "POST", target: at + "/upload", body: upload,
			header: []string{"Idempotency-Key", "k"}},
		{method: "POST", target: at + "/upload", body: upload,
			header: []string{"Idempotency-Key", "k"}},
	} {
		c.key = token
		w := h.do(t, c)
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "canary") ||
			!strings.Contains(w.Body.String(), "for you") ||
			!strings.Contains(w.Body.String(), `"submission":{"rules":[]}`) {
			t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
		}
	}
	if w := h.do(t, call{method: "GET", target: at}); strings.Count(w.Body.String(),
		"canary") != 3 {
		t.Errorf("the company itself: %s", w.Body)
	}
}

// The partner that a document type is shared with sees neither its rules nor the parser's address.
func TestWhatASiblingSees(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	sibling, err := h.store.CreateCompany(t.Context(), h.company.GroupID, "Sibling")
	if err != nil {
		t.Fatal(err)
	}
	dt := ok[dossier.DocumentType](t, h, "POST", "/documentTypes",
		fmt.Sprintf(`{"name":"Card","sharedWith":[%q],%s}`, sibling.ID, canaries))
	scenario, _ := okWith[dossier.Scenario](t, h,
		call{method: "POST", target: "/scenarios", key: sibling.Key.Secret,
			header: []string{"Idempotency-Key", "k"},
			body: fmt.Sprintf(
				`{"name":"S","eventName":"candidateCreated","active":false,"documentTypeIds":[%q]}`,
				dt.ID)})
	for _, c := range []call{
		{method: "GET", target: "/documentTypes/" + dt.ID},
		{method: "GET", target: "/documentTypes"},
		{method: "GET", target: "/scenarios"},
		{method: "GET", target: "/scenarios/" + scenario.ID},
		{method: "POST", target: "/scenarios", header: []string{"Idempotency-Key", "k"},
			body: fmt.Sprintf(
				`{"name":"S","eventName":"candidateCreated","active":false,"documentTypeIds":[%q]}`,
				dt.ID)},
	} {
		c.key = sibling.Key.Secret
		w := h.do(t, c)
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "canary") ||
			!strings.Contains(w.Body.String(), `"submission":{"rules":[]}`) {
			t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
		}
	}
}

// One GET of large document types that many scenarios name answers a bounded number of bytes, and
// the link leads to the rest.
func TestListsAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	var ids, fields []string
	for n := range dossier.MaxCheckFields {
		fields = append(fields, fmt.Sprintf(`{"reference":"%0100d","label":"%s","type":"text"}`, n,
			strings.Repeat("é", dossier.MaxName)))
	}
	for n := range 10 {
		dt := ok[dossier.DocumentType](t, h, "POST", "/documentTypes",
			fmt.Sprintf(`{"name":"%d","check":{"parser":"pdf","fields":[%s]}}`, n,
				strings.Join(fields, ",")))
		ids = append(ids, `"`+dt.ID+`"`)
	}
	const scenarios = 20
	for n := range scenarios {
		ok[dossier.Scenario](t, h, "POST", "/scenarios", fmt.Sprintf(
			`{"name":"%d","eventName":"candidateCreated","active":false,"documentTypeIds":[%s]}`, n,
			strings.Join(ids, ",")))
	}
	seen := 0
	for next := "/scenarios?page[size]=100"; next != ""; {
		list, w := okWith[[]dossier.Scenario](t, h, call{method: "GET", target: next})
		if w.Body.Len() > defaultMaxList || len(list) == 0 {
			t.Fatalf("a page of %d bytes, %d scenarios", w.Body.Len(), len(list))
		}
		seen += len(list)
		link, _, _ := strings.Cut(w.Header().Get("Link"), ">")
		next = strings.TrimPrefix(link, "<")
	}
	if seen != scenarios {
		t.Errorf("%d scenarios of %d", seen, scenarios)
	}
}

// A list of messages without a page is whole, however long, and breaks off visibly if storage
// fails.
func TestMessagesAreStreamed(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	at := "/candidates/" + h.candidate(t) + "/messages"
	const messages = 2*streamedPage + 50
	for n := range messages {
		ok[dossier.Message](t, h, "POST", at, fmt.Sprintf(`{"text":"%d"}`, n))
	}
	list, w := okWith[[]dossier.Message](t, h, call{method: "GET", target: at})
	if len(list) != messages || list[messages-1].Text != fmt.Sprint(messages-1) ||
		w.Header().Get("Content-Length") != "" {
		t.Errorf("%d messages, Content-Length %q", len(list), w.Header().Get("Content-Length"))
	}
	write := streamList([]int{1}, "more", func(string) ([]int, string, error) {
		return nil, "", errors.New("storage is away")
	})
	if err := write(httptest.NewRecorder()); err == nil {
		t.Error("a list that breaks off ends like a whole one")
	}
}

// Responses under way share a bound of bytes; one too many is refused for a moment.
func TestResponsesUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	b.underWay.Store(maxUnderWay)
	w := b.do(t, call{method: "GET", target: "/x"})
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	b.underWay.Store(0)
	if w := b.do(t, call{method: "GET", target: "/x"}); w.Code != http.StatusOK ||
		b.underWay.Load() != 0 {
		t.Errorf("%d, %d bytes are still counted", w.Code, b.underWay.Load())
	}
}
