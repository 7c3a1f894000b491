package httpapi

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
)

// The framework on a real table: keys that it made, and answers that its transactions keep.
func TestOnARealTable(t *testing.T) {
	t.Parallel()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	tbl := store.New(engine, store.Config{})
	company, err := tbl.CreateCompany(t.Context(), "", "One")
	if err != nil {
		t.Fatal(err)
	}
	forms := settingsRow("POST", "/forms", dossier.ScopeSettingsWrite)
	forms.body = bodyNeeded
	forms.handle = func(r *request) (any, error) {
		in, err := decode[dossier.FormInput](r)
		if err != nil {
			return nil, err
		}
		return tbl.CreateForm(r.Context(), r.principal.CompanyID, in)
	}
	b := &bench{responses: &fakeResponses{}}
	if b.API, err = (&API{}).build(Config{Keys: tbl, Now: time.Now}, tbl, []route{forms}); err != nil {
		t.Fatal(err)
	}
	post := func(key, idempotency, body string) (int, string) {
		w := b.do(t, call{method: "POST", target: "/forms", key: key, body: body, header: []string{"Idempotency-Key", idempotency}})
		return w.Code, w.Body.String()
	}
	secret := company.Key.Secret
	status, first := post(secret, "k", `{"name":"F","fields":[]}`)
	if status != 200 {
		t.Fatalf("%d %s", status, first)
	}
	if status, again := post(secret, "k", `{"name":"F","fields":[]}`); status != 200 || form(t, again) != form(t, first) {
		t.Errorf("sent again: %d %s, first %s", status, again, first)
	}
	if status, body := post(secret, "k", `{"name":"G","fields":[]}`); status != 422 || !strings.Contains(body, "IDEMPOTENCY_KEY_REUSED") {
		t.Errorf("another body: %d %s", status, body)
	}
	if status, other := post(secret, "l", `{"name":"F","fields":[]}`); status != 200 || form(t, other) == form(t, first) {
		t.Errorf("another key: %d %s", status, other)
	}
	wrong := secret[:len(secret)-1] + "-"
	if wrong == secret {
		wrong = secret[:len(secret)-1] + "x"
	}
	if status, body := post(wrong, "k", `{}`); status != 401 {
		t.Errorf("a wrong secret: %d %s", status, body)
	}
	list, _, err := tbl.Forms(t.Context(), company.ID, "", 10)
	if err != nil || len(list) != 2 {
		t.Errorf("%d forms: %v", len(list), err)
	}
}

// form returns the id in an answer.
func form(t *testing.T, body string) string {
	t.Helper()
	var f dossier.Form
	if err := json.Unmarshal([]byte(body), &f); err != nil || f.ID == "" {
		t.Fatalf("%s: %v", body, err)
	}
	return f.ID
}
