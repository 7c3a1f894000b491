package httpapi

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// refused fails if an error is not a client error with its reasons.
func refused(t *testing.T, err error) {
	t.Helper()
	e := (*dossier.Error)(nil)
	if !errors.As(err, &e) || e.Code != dossier.CodeMalformed && e.Code != dossier.CodeValidation ||
		e.Code == dossier.CodeValidation && len(e.Fields) == 0 {
		t.Fatalf("error %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, body := range []string{`{}`, `null`, `[]`, `{"name":"a","nope":1,"Count":2}`,
		`{"count":1e99,"parts":[{"id":1},2]}`, `{"extra":{"a":{"a":1,"a":2}}}`,
		`{"dueAt":"2026-01-02T03:04:05Z","content":"AAEC","value":[1,"x",null,{"":0}]}`,
		`{"a~/":{}}`, "{\"name\":\"\xff\"}", strings.Repeat(`{"value":`, 70)} {
		f.Add([]byte(body), []byte(`{"extra":{"x":null},"tags":["a"]}`))
	}
	f.Fuzz(func(t *testing.T, body, patch []byte) {
		v, err := decode[thing](&request{body: body})
		if err != nil {
			refused(t, err)
			v = thing{Name: "n", Extra: map[string]any{"x": 1.0}}
		}
		text, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode[thing](&request{body: text})
		if err != nil || asJSON(t, again) != string(text) {
			t.Fatalf("%s does not come back: %v", text, err)
		}
		merged, err := decodePatch(&request{body: patch}, v)
		if err != nil {
			refused(t, err)
			return
		}
		twice, err := decodePatch(&request{body: patch}, merged)
		if err != nil || asJSON(t, twice) != asJSON(t, merged) {
			t.Fatalf("a patch applied twice is another: %s, %s: %v", asJSON(t, merged),
				asJSON(t, twice), err)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, raw := range []string{"", "filter[events][]=a&filter%5BtriggerEvent%5D=b",
		"page[size]=10&page[after]=" + ofRow(""), "a;b=%zz", "filter[evnts][]=", "%ff=%ff"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := queried(listRow(), raw)
		if err != nil {
			refused(t, err)
			return
		}
		for name := range r.query {
			if !strings.HasPrefix(name, "filter[") && !strings.HasPrefix(name, "page[") {
				t.Fatalf("%q is let through", name)
			}
		}
		size, after, err := r.page()
		if err != nil {
			refused(t, err)
			return
		}
		if size < 1 || size > maxPage {
			t.Fatalf("size %d", size)
		}
		if place, err := kv.ParseCursor(after); after != "" &&
			(err != nil || place.Cursor() != after) {
			t.Fatalf("cursor %q: %v", after, err)
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add("GET", "/lists/a", "", adminKey, "k")
	f.Add("POST", "/lists/%2f", `{"name":1}`, token, "é")
	f.Add("PATCH", "/lists/a?filter[events][]=%00", `{"name":null}`, "x.y.z", "")
	f.Fuzz(func(t *testing.T, method, target, body, key, idempotency string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(u.Path, "/") {
			return
		}
		get, post, patch := settingsRow("GET", "/lists/{id}", dossier.ScopeSettingsRead),
			settingsRow("POST", "/lists/{id}", dossier.ScopeSettingsWrite),
			settingsRow("PATCH", "/lists/{id}", dossier.ScopeSettingsWrite)
		get.filters, get.paging = []string{"events[]"}, paged
		post.body, post.handle = bodyNeeded, func(r *request) (any, error) {
			return decode[thing](r)
		}
		patch.body, patch.handle = bodyNeeded, func(r *request) (any, error) {
			return decodePatch(r, thing{})
		}
		b := newTestAPI(t, withRoutes(Config{}, get, post, patch))
		r := httptest.NewRequest("GET", "/", strings.NewReader(body))
		r.Method, r.URL, r.RequestURI = method, u, target
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Idempotency-Key", idempotency)
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code >= 300 && w.Code < 400 {
			t.Fatalf("%d %s\n%s", w.Code, w.Body, b.log)
		}
		checkResponse(t, call{method: method, target: target}, w)
	})
}
