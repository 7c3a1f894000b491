package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// parserShown returns what a company is shown of the parser service of a document type.
func (d client) parserShown(one string) any {
	d.Helper()
	return d.ok("GET", one, "").at("parserConfirmation")
}

// A company with which a type is shared is told the host of its parser service, and nothing else of
// the address. It confirms that host, again when the address changes or the share ends.
func TestParserConfirmation(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner := d.partner()
	owned := d.ok("POST", "/documentTypes", `{"name":"Diploma","sharedWith":["`+
		partner.company.ID+`"],"check":{"parser":"http",
		"http":{"url":"https://Parser.example.com/read?token=canary"}}}`)
	one := "/documentTypes/" + owned.str("id")
	confirm := one + "/parser/confirm"
	open := map[string]any{"host": "Parser.example.com", "confirmed": false}
	confirmed := map[string]any{"host": "Parser.example.com", "confirmed": true}

	if got := d.parserShown(one); got != nil {
		t.Errorf("the owner is shown %v", got)
	}
	seen := partner.ok("GET", one, "")
	if !cmp.Equal(seen.at("parserConfirmation"), any(open)) || seen.len("warnings") != 1 ||
		seen.str("warnings", 0, "code") != dossier.WarningParserNotConfirmed ||
		strings.Contains(seen.text, "canary") {
		t.Errorf("the partner is shown %s", seen.text)
	}
	if got := partner.refuse("POST", confirm, `{"host":"example.com"}`,
		http.StatusUnprocessableEntity, dossier.CodeValidation); !cmp.Equal(got,
		[]string{"/host"}) {
		t.Errorf("another host: %v", got)
	}
	answer := partner.ok("POST", confirm, `{"host":"parser.example.com"}`)
	if !cmp.Equal(answer.at("parserConfirmation"), any(confirmed)) ||
		answer.len("warnings") != 0 {
		t.Errorf("confirmed: %s", answer.text)
	}
	if got := partner.ok("GET", one, ""); !cmp.Equal(got.body, answer.body) ||
		got.header.Get("ETag") != answer.header.Get("ETag") {
		t.Errorf("read again: %s %s", got.header, got.text)
	}

	d.ok("PATCH", one, `{"name":"A diploma"}`)
	if got := partner.parserShown(one); !cmp.Equal(got, any(confirmed)) {
		t.Errorf("after another change: %v", got)
	}
	d.ok("PATCH", one, `{"check":{"http":{"url":"https://parser.example.com/other"}}}`)
	d.ok("PATCH", one, `{"check":{"http":{"url":"https://Parser.example.com/read?token=canary"}}}`)
	if got := partner.parserShown(one); !cmp.Equal(got, any(open)) {
		t.Errorf("after two changes of the address: %v", got)
	}
	partner.ok("POST", confirm, `{"host":"parser.example.com"}`)
	d.ok("PATCH", one, `{"sharedWith":[]}`)
	partner.refuse("POST", confirm, `{"host":"parser.example.com"}`, http.StatusNotFound,
		dossier.CodeNotFound)
	d.ok("PATCH", one, `{"sharedWith":["`+partner.company.ID+`"]}`)
	if got := partner.parserShown(one); !cmp.Equal(got, any(open)) {
		t.Errorf("shared again: %v", got)
	}
}

// Nobody confirms what is not theirs to confirm.
func TestParserConfirmationRefused(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner, third, stranger := d.partner(), d.partner(), d.stranger()
	shared := func(check string) string {
		return "/documentTypes/" + d.make("/documentTypes", `{"name":"T","sharedWith":["`+
			partner.company.ID+`"],"check":`+check+`}`) + "/parser/confirm"
	}
	read := shared(`{"parser":"http","http":{"url":"https://parser.example.com/read"}}`)
	const host = `{"host":"parser.example.com"}`
	d.refuse("POST", read, host, http.StatusConflict, dossier.CodeTransition)
	partner.refuse("POST", shared(`{"parser":"pdf"}`), host, http.StatusConflict,
		dossier.CodeTransition)
	for _, other := range []client{third, stranger} {
		other.refuse("POST", read, host, http.StatusNotFound, dossier.CodeNotFound)
	}
	partner.refuse("POST", read, `{}`, http.StatusUnprocessableEntity, dossier.CodeValidation)
	for scopes, status := range map[string]int{
		`"settings:write"`: http.StatusForbidden, `"documents:read"`: http.StatusForbidden,
		`"settings:write","documents:read"`: http.StatusOK,
	} {
		key := partner.ok("POST", "/keys",
			`{"name":"K","kind":"integration","scopes":[`+scopes+`]}`)
		caller := partner
		caller.key = key.str("secret")
		if got := caller.send("POST", read, host); got.status != status {
			t.Errorf("%s: %s", scopes, got.text)
		}
	}
}
