package web_test

import (
	"encoding/csv"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManyCandidates asks several candidates for a document and writes to them, without script: the
// page says what became of each, and the same form, sent again, acts once.
func TestManyCandidates(t *testing.T) {
	p := start(t)
	card := p.post("/documentTypes", `{"name":"Work permit","check":{"parser":"none"}}`)
	ada := p.post("/candidates", `{"firstName":"Ada","documentTypeIds":["`+card+`"]}`)
	bob := p.post("/candidates", `{"firstName":"Bob"}`)
	cleo := p.post("/candidates", `{"firstName":"Cleo"}`)
	b := p.signedIn(t)
	b.noScript()
	choose := func(what string, ids ...string) {
		t.Helper()
		b.open("/console/candidates")
		for _, id := range ids {
			eval[bool](b, `(() => { document.querySelector('[name="id"][value="`+id+
				`"]').checked = true; return true })()`)
		}
		b.press(what)
	}
	choose("Ask for a document", ada, bob)
	b.sees("Ask 2 candidates for a document")
	b.press("Ask for it")
	b.sees("Choose a document type.")
	b.choose("documentTypeId", "Work permit")
	b.press("Ask for it")
	b.sees("Asked for a document: 1 of 2 candidates")
	b.sees("Not done")
	p.request(bob, card)
	choose("Send a message", ada, bob, cleo)
	b.fill("text", "We are closed on Friday.")
	b.press("Cleo")
	key := eval[string](b, `document.querySelector("[name=_key]").value`)
	b.press("Send it")
	b.sees("Sent a message: 2 of 2 candidates")
	web := p.browserless(t)
	form := url.Values{"_key": {key}, "what": {"message"}, "id": {ada, bob},
		"text": {"We are closed on Friday."}}
	res, err := web.PostForm(p.base+"/console/candidates/many", form)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	for id, want := range map[string]int{ada: 1, bob: 1, cleo: 0} {
		if got := p.send("GET", "/candidates/"+id+"/messages", nil).([]any); len(got) != want {
			t.Errorf("%s has %d messages, not %d", id, len(got), want)
		}
	}
	choose("Send a message")
	b.sees("Nobody is chosen")
	b.quiet()
}

// browserless returns a client that is signed in to the console.
func (p *process) browserless(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Client{Jar: jar}
	res, err := web.PostForm(p.base+"/console/signin", url.Values{"key": {p.key}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return web
}

// TestManyLooks chooses all rows by script and looks at the pages for several candidates.
func TestManyLooks(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.open("/console/candidates")
	b.sees("With those chosen")
	eval[bool](b, `(() => { document.querySelector("[data-all]").click(); return true })()`)
	b.press("Send a message")
	b.sees("Send a message to 2 candidates")
	b.view("candidates", "/console/candidates", "With those chosen")
	both := "id=" + s.ada + "&id=" + s.bob
	b.view("many-message", "/console/candidates/many?what=message&"+both, "sees nobody else")
	b.view("many-ask", "/console/candidates/many?what=ask&"+both, "Needed for approval")
	b.choose("documentTypeId", "Tachograph card")
	b.press("Ask for it")
	b.sees("Not done")
	b.accessible("what became of each")
	b.shoot("many-results")
	b.view("many-nobody", "/console/candidates/many?what=ask", "Nobody is chosen")
	b.quiet()
}

// TestExport downloads the candidates of all pages of the list: what begins like a formula is
// none in the file, and the filters of the list count.
func TestExport(t *testing.T) {
	p := start(t)
	p.post("/candidates", `{"firstName":"=HYPERLINK(\"https://example.com\")",
		"lastName":"@SUM(A1)","phone":"+31612345678","externalId":"-1,5"}`)
	for range 105 {
		p.post("/candidates", `{"firstName":"Zoë","lastName":"O\"Hara, jr."}`)
	}
	web := p.browserless(t)
	rows := func(query string) [][]string {
		t.Helper()
		res, err := web.Get(p.base + "/console/candidates.csv" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK ||
			!strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%d %v %v", res.StatusCode, res.Header, err)
		}
		all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text),
			"\ufeff"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := rows("")
	if len(all) != 107 {
		t.Errorf("the file has %d rows, not 107", len(all))
	}
	found := rows("?search=" + url.QueryEscape("=hyper"))
	if len(found) != 2 {
		t.Fatalf("the search has %d rows, not 2", len(found))
	}
	want := []string{"'-1,5", `'=HYPERLINK("https://example.com")`, "'@SUM(A1)", "",
		"'+31612345678"}
	if diff := cmp.Diff(want, found[1][1:6]); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if got := all[106][2] + " " + all[106][3]; got != `Zoë O"Hara, jr.` {
		t.Errorf("the last name is %s", got)
	}
}
