package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expiryCompany holds what the lists by documents have to tell apart.
type expiryCompany struct{ permit, card, ada string }

// expiring makes candidates with documents that expire: Ada's permit in 2031 and card in 2032,
// Bob's permit in 2033. Cleo has yet to bring the permit.
func (p *process) expiring() (c expiryCompany) {
	p.t.Helper()
	const check = `"requiredParts":["front"],"check":{"parser":"none","decision":"manual",` +
		`"expiryReference":"expires","fields":[{"label":"Valid until","reference":"expires",` +
		`"type":"date"}]}}`
	c.permit = p.post("/documentTypes", `{"name":"Work permit",`+check)
	c.card = p.post("/documentTypes", `{"name":"Tachograph card",`+check)
	hold := func(candidate, of, until string) {
		request := p.request(candidate, of)
		p.upload(request, "photo.jpg", "image/jpeg")
		p.reaches(request, "inReview")
		p.send("POST", "/candidateDocumentTypes/"+request+"/validate",
			`{"parsed":{"expires":"`+until+`"}}`)
	}
	c.ada = p.post("/candidates", fmt.Sprintf(
		`{"firstName":"Ada","externalId":"A-1","documentTypeIds":[%q,%q]}`, c.permit, c.card))
	hold(c.ada, c.permit, "2031-05-01")
	hold(c.ada, c.card, "2032-06-02")
	bob := p.post("/candidates",
		fmt.Sprintf(`{"firstName":"Bob","documentTypeIds":[%q]}`, c.permit))
	hold(bob, c.permit, "2033-07-03")
	p.post("/candidates", fmt.Sprintf(`{"firstName":"Cleo","documentTypeIds":[%q]}`, c.permit))
	p.post("/candidates", `{"firstName":"Dora"}`)
	return c
}

// TestCandidatesByDocument lists without script who has yet to bring a document and whose expires
// before a day. The address keeps the filters, the file has the same, and what can't be combined is
// said beside its field.
func TestCandidatesByDocument(t *testing.T) {
	p := start(t)
	c := p.expiring()
	b := newTab(t, p.base)
	b.noScript()
	b.open("/console/")
	b.fill("key", p.key)
	b.press("Sign in")
	b.sees("Candidates")
	b.open("/console/candidates")
	b.choose("missing", "Work permit")
	b.press("Show")
	b.hides("Bob")
	b.sees("Cleo")
	b.hides("Dora")
	b.choose("status", "Approved")
	b.leaves("Show")
	b.sees("No candidate fits")
	b.open("/console/candidates?missing=" + c.permit + "&expires=2031-12-31")
	b.sees("Choose a missing document or a date, not both.")
	b.open("/console/candidates")
	b.choose("of", "Work permit")
	b.press("Show")
	b.sees("Enter the date as well.")
	b.fill("expires", "2032-12-31")
	b.press("Show")
	b.sees("Work permit expires on 1 May 2031")
	b.hides("Bob")
	b.hides("Tachograph card expires")
	if got := eval[string](b, `document.querySelector("#f-of").value + " " +
		document.querySelector("#f-expires").value`); got != c.permit+" 2032-12-31" {
		t.Errorf("in the fields: %s", got)
	}
	b.open("/console/candidates?expires=2034-01-01")
	b.sees("Work permit expires on 1 May 2031 · Tachograph card expires on 2 June 2032")
	b.sees("Work permit expires on 3 July 2033")
	if n := eval[int](b, `document.querySelectorAll("tbody tr").length`); n != 2 {
		t.Errorf("%d candidates are listed, not 2", n)
	}
	b.quiet()
	b = p.signedIn(t)
	b.view("candidates-expiring", "/console/candidates?expires=2034-01-01", "What expires")
	b.view("candidates-combined", "/console/candidates?search=ada&missing="+c.permit,
		"can’t be combined with a name")
	b.quiet()
	p.expiryFile(t, c)
}

// expiryFile downloads the documents that expire before a day.
func (p *process) expiryFile(t *testing.T, c expiryCompany) {
	t.Helper()
	res, err := p.browserless(t).Get(p.base + "/console/candidates.csv?" +
		url.Values{"expires": {"2032-12-31"}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	rows, err := csv.NewReader(res.Body).ReadAll()
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %v", res.StatusCode, err)
	}
	rows[0][0] = strings.TrimPrefix(rows[0][0], "\ufeff")
	want := [][]string{{"Id", "External id", "First name", "Last name", "Document", "Expires on"},
		{c.ada, "A-1", "Ada", "", "Work permit", "2031-05-01"},
		{c.ada, "A-1", "Ada", "", "Tachograph card", "2032-06-02"}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
}
