package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// A secret is shown once: not when read, listed or changed, nor when the request is repeated with
// its Idempotency-Key.
func TestSecretsShownOnce(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	parser := `{"name":"T","check":{"parser":"http","decision":"manual","http":{"url":"https://example.com/parse"}}}`
	for _, c := range []struct {
		path, body string
		secret     []any
	}{
		{"/integrations", hookBody, []any{"secret"}},
		{"/documentTypes", parser, []any{"check", "http", "secret"}},
		{"/keys", `{"name":"k","kind":"integration","scopes":[]}`, []any{"secret"}},
		{"/companies", `{"name":"Third"}`, []any{"key", "secret"}},
	} {
		made := d.ok("POST", c.path, c.body, "Idempotency-Key", "k"+c.path)
		secret := made.str(c.secret...)
		if secret == "" {
			t.Fatalf("%s: no secret in %s", c.path, made.text)
		}
		again := d.ok("POST", c.path, c.body, "Idempotency-Key", "k"+c.path)
		if again.str("id") != made.str("id") || strings.Contains(again.text, secret) {
			t.Errorf("%s, sent again: %s", c.path, again.text)
		}
		seen := d.ok("GET", c.path, "").text
		if c.path != "/companies" {
			seen += d.ok("GET", c.path+"/"+made.str("id"), "").text +
				d.ok("PATCH", c.path+"/"+made.str("id"), `{"name":"Other"}`).text
		}
		if strings.Contains(seen, secret) || strings.Contains(seen, "secret") {
			t.Errorf("%s: shown again in %s", c.path, seen)
		}
	}
}

// A parser service gets a new secret whenever its address changes.
func TestParserSecret(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	one := "/documentTypes/" + d.make("/documentTypes", typeBody)
	at := func(url string) string {
		return fmt.Sprintf(`{"check":{"parser":"http","http":{"url":%q}}}`, url)
	}
	secret := func(body string) string {
		return d.ok("PATCH", one, body).str("check", "http", "secret")
	}
	first := secret(at("https://example.com/a"))
	if !strings.HasPrefix(first, "whsec_") {
		t.Errorf("when it is set: %q", first)
	}
	if again := secret(at("https://example.com/a")); again != "" {
		t.Errorf("the same address: %q", again)
	}
	if other := secret(at("https://example.com/b")); other == "" || other == first {
		t.Errorf("another address: %q", other)
	}
	if gone := d.ok("PATCH", one, `{"check":null}`); gone.at("check", "http") != nil ||
		gone.str("check", "parser") != "none" {
		t.Errorf("taken away: %s", gone.text)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	made := d.ok("POST", "/keys", `{"name":"CI","kind":"integration","scopes":["settings:read"]}`)
	if !strings.HasPrefix(made.str("secret"), "dsr_"+strings.TrimPrefix(d.company.ID, "com_")) {
		t.Errorf("secret of company %s: %s", d.company.ID, made.text)
	}
	ci := d
	ci.key = made.str("secret")
	ci.ok("GET", "/forms", "")
	ci.refuse("POST", "/forms", formBody, http.StatusForbidden, dossier.CodeForbidden)
	ci.refuse("GET", "/keys", "", http.StatusForbidden, dossier.CodeForbidden)
	if used := d.ok("GET", "/keys/"+made.str("id"), "").str("lastUsedAt"); !strings.HasSuffix(used,
		"T00:00:00.000Z") {
		t.Errorf("last used at %q, want a day", used)
	}
	// The wrong secret of a key that exists is no use of it.
	unused := d.ok("POST", "/keys", `{"name":"x","kind":"integration","scopes":[]}`)
	wrong := d
	wrong.key = unused.str("secret") + "x"
	wrong.refuse("GET", "/forms", "", http.StatusUnauthorized, dossier.CodeUnauthorized)
	if k := d.ok("GET", "/keys/"+unused.str("id"), ""); k.at("lastUsedAt") != nil {
		t.Errorf("used with a wrong secret: %s", k.text)
	}
	d.ok("DELETE", "/keys/"+unused.str("id"), "")
	unknown := d
	unknown.key = unused.str("secret")
	unknown.refuse("GET", "/forms", "", http.StatusUnauthorized, dossier.CodeUnauthorized)
}

// The last administrator key with the scope keys can't be lost.
func TestLastAdministratorKey(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	own := "/keys/" + d.company.Key.ID
	d.make("/keys", `{"name":"i","kind":"integration","scopes":["keys"]}`)
	d.make("/keys", `{"name":"a","kind":"administrator","scopes":["settings:write"]}`)
	d.refuse("DELETE", own, "", http.StatusConflict, dossier.CodeConflict)
	d.refuse("PATCH", own, `{"scopes":["settings:write"]}`, http.StatusConflict,
		dossier.CodeConflict)
	d.refuse("PATCH", own, fmt.Sprintf(`{"expiresAt":%q}`,
		time.Now().Add(time.Hour).Format(time.RFC3339)), http.StatusConflict, dossier.CodeConflict)
	d.ok("PATCH", own, `{"name":"Mine"}`)
	second := d.ok("POST", "/keys", `{"name":"b","kind":"administrator","scopes":["keys"]}`)
	other := d
	other.key = second.str("secret")
	// Each key deletes itself: a key that deleted the other could leave that one unauthorized.
	answers := make(chan int, 2)
	go func() { answers <- d.send("DELETE", own, "").status }()
	go func() { answers <- other.send("DELETE", "/keys/"+second.str("id"), "").status }()
	got := []int{<-answers, <-answers}
	if slices.Sort(got); !slices.Equal(got, []int{http.StatusOK, http.StatusConflict}) {
		t.Errorf("both at once, answers by status: %v", got)
	}
}

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	past := fmt.Sprintf(`{"name":"k","kind":"integration","scopes":[],"expiresAt":%q}`,
		time.Now().Add(-time.Second).Format(time.RFC3339))
	if got := d.refuse("POST", "/keys", past, http.StatusUnprocessableEntity,
		dossier.CodeValidation); !cmp.Equal(got, []string{"/expiresAt"}) {
		t.Errorf("a past end: %v", got)
	}
	future := strings.Replace(past, past[strings.LastIndex(past, `:"2`)+2:],
		time.Now().Add(time.Hour).Format(time.RFC3339)+`"}`, 1)
	made := d.ok("POST", "/keys", future)
	if made.str("expiresAt") == "" {
		t.Errorf("made: %s", made.text)
	}
	if a := d.ok("PATCH", "/keys/"+made.str("id"), `{"expiresAt":null}`); a.at("expiresAt") != nil {
		t.Errorf("without an end: %s", a.text)
	}
}

func TestCompanies(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	stranger := d.stranger()
	made := d.ok("POST", "/companies", `{"name":"Second"}`)
	if made.str("groupId") != d.company.GroupID ||
		made.str("key", "kind") != dossier.KindAdministrator {
		t.Errorf("made: %s", made.text)
	}
	second := d
	second.key = made.str("key", "secret")
	list := second.ok("GET", "/companies", "")
	if list.len() != 2 || list.str(0, "id") != d.company.ID ||
		list.str(1, "id") != made.str("id") || strings.Contains(list.text, "key") {
		t.Errorf("listed: %s", list.text)
	}
	if list := stranger.ok("GET", "/companies", ""); list.len() != 1 {
		t.Errorf("another group lists %s", list.text)
	}
	program := d
	program.key = d.ok("POST", "/keys", `{"name":"i","kind":"integration","scopes":["keys"]}`).str(
		"secret")
	program.refuse("GET", "/companies", "", http.StatusForbidden, dossier.CodeForbidden)
	program.refuse("POST", "/companies", `{"name":"x"}`, http.StatusForbidden,
		dossier.CodeForbidden)
}

func TestCreateCandidateToken(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	own, other := d.make("/candidates", `{"firstName":"Ada"}`),
		d.make("/candidates", `{"firstName":"Bo"}`)
	made := d.ok("POST", "/candidates/"+own+"/tokens", "", "Idempotency-Key", "k")
	if again := d.ok("POST", "/candidates/"+own+"/tokens", "", "Idempotency-Key",
		"k"); again.at("token") != nil || again.str("expiresAt") != made.str("expiresAt") {
		t.Errorf("sent again: %s", again.text)
	}
	ends, err := time.Parse(time.RFC3339, made.str("expiresAt"))
	if left := time.Until(ends); err != nil || left > 24*time.Hour || left < 23*time.Hour {
		t.Errorf("ends at %s", made.text)
	}
	ada := d
	ada.key = made.str("token")
	ada.ok("GET", "/candidates/"+own, "")
	ada.refuse("GET", "/candidates/"+other, "", http.StatusNotFound, dossier.CodeNotFound)
	ada.refuse("GET", "/forms", "", http.StatusForbidden, dossier.CodeForbidden)
	ada.refuse("POST", "/candidates/"+own+"/tokens", "", http.StatusForbidden,
		dossier.CodeForbidden)
	for _, id := range []string{"cnd_x", "cnd_01JD5T0000000000000000000C"} {
		d.refuse("POST", "/candidates/"+id+"/tokens", "", http.StatusNotFound, dossier.CodeNotFound)
	}
	d.stranger().refuse("POST", "/candidates/"+own+"/tokens", "", http.StatusNotFound,
		dossier.CodeNotFound)
}

// receiver verifies signatures with the Standard Webhooks library and echoes challenges.
func receiver(t *testing.T, secret func() string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		verifier, err := standardwebhooks.NewWebhook(secret())
		if err == nil {
			err = verifier.Verify(body, r.Header)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		var in struct {
			Challenge string `json:"challenge"`
		}
		_ = json.Unmarshal(body, &in)
		_, _ = io.WriteString(w, in.Challenge)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestSendInitRequest(t *testing.T) {
	t.Parallel()
	secret := ""
	endpoint := receiver(t, func() string { return secret })
	d := newClient(t, strings.TrimPrefix(endpoint.URL, "http://"))
	made := d.ok("POST", "/integrations",
		strings.Replace(hookBody, "https://example.com/hook", endpoint.URL, 1))
	secret = made.str("secret")
	body := fmt.Sprintf(`{"integrationId":%q}`, made.str("id"))
	report := d.ok("POST", "/integrations/send-init-request", body)
	if report.at("delivered") != true || report.at("challengeEchoed") != true ||
		!strings.Contains(report.str("request", "body"), `"type":"candidateDocumentValidated"`) {
		t.Errorf("report: %s", report.text)
	}
	// During a rotation both secrets sign.
	rotated := d.ok("POST", "/integrations/"+made.str("id")+"/secret/rotate", "").str("secret")
	for _, secret = range []string{made.str("secret"), rotated} {
		if a := d.ok("POST", "/integrations/send-init-request", body); a.at("delivered") != true {
			t.Errorf("during a rotation: %s", a.text)
		}
	}
	// A second rotation ends the first secret.
	third := d.ok("POST", "/integrations/"+made.str("id")+"/secret/rotate", "").str("secret")
	for s, want := range map[string]bool{made.str("secret"): false, rotated: true, third: true} {
		secret = s
		if a := d.ok("POST", "/integrations/send-init-request", body); a.at("delivered") != want {
			t.Errorf("after two rotations, want %v: %s", want, a.text)
		}
	}
	a := d.ok("POST", "/integrations/send-init-request",
		fmt.Sprintf(`{"url":%q,"triggerEvent":"candidateRejected"}`, endpoint.URL))
	if a.at("delivered") != false || a.at("statusCode") != float64(http.StatusUnauthorized) ||
		!strings.Contains(a.str("request", "body"), `"candidateRejected"`) {
		t.Errorf("an address: %s", a.text)
	}
	again := func() textResponse {
		return d.ok("POST", "/integrations/send-init-request", body, "Idempotency-Key", "k")
	}
	if first, second := again(), again(); first.text != second.text {
		t.Errorf("sent twice with one Idempotency-Key: %s, %s", first.text, second.text)
	}
}

func TestSendInitRequestRefused(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	made := d.ok("POST", "/integrations", hookBody)
	for body, pointer := range map[string]string{
		`{}`: "/integrationId", `{"integrationId":"int_x"}`: "/integrationId",
		`{"url":"https://10.0.0.1/","triggerEvent":"candidateRejected"}`:   "/url",
		`{"url":"https://example.com/","triggerEvent":"candidateRejcted"}`: "/triggerEvent",
		`{"url":"https://example.com/"}`:                                   "/triggerEvent",
		`{"url":"https://example.com/","integrationId":"int_x"}`:           "/url",
	} {
		if got := d.refuse("POST", "/integrations/send-init-request", body,
			http.StatusUnprocessableEntity, dossier.CodeValidation); len(got) == 0 ||
			!strings.Contains(strings.Join(got, " "), pointer) {
			t.Errorf("%s: %v", body, got)
		}
	}
	d.refuse("POST", "/integrations/"+made.str("id")+"/enable", "", http.StatusConflict,
		dossier.CodeIntegrationActive)
	d.refuse("POST", "/integrations/int_x/enable", "", http.StatusNotFound, dossier.CodeNotFound)
	d.refuse("POST", "/integrations/int_x/secret/rotate", "", http.StatusNotFound,
		dossier.CodeNotFound)
}
