package httpapi

import (
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The store keeps the response of a POST in the transaction of its effect.
func TestIdempotencyOnAStore(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		post := func(key, idempotency, body string) (int, string) {
			w := h.do(t, call{method: "POST", target: "/forms", key: key, body: body,
				header: []string{"Idempotency-Key", idempotency}})
			return w.Code, w.Body.String()
		}
		form := func(body string) string {
			f := decodedText[dossier.Form](t, body)
			if f.ID == "" {
				t.Fatalf("no id in %s", body)
			}
			return f.ID
		}
		status, first := post(h.key, "k", `{"name":"F","fields":[]}`)
		if status != 200 {
			t.Fatalf("%d %s", status, first)
		}
		if status, again := post(h.key, "k", `{"name":"F","fields":[]}`); status != 200 ||
			form(again) != form(first) {
			t.Errorf("sent again: %d %s, first %s", status, again, first)
		}
		if status, body := post(h.key, "k", `{"name":"G","fields":[]}`); status != 422 ||
			!strings.Contains(body, "IDEMPOTENCY_KEY_REUSED") {
			t.Errorf("another body: %d %s", status, body)
		}
		if status, other := post(h.key, "l", `{"name":"F","fields":[]}`); status != 200 ||
			form(other) == form(first) {
			t.Errorf("another key: %d %s", status, other)
		}
		wrong := h.key[:len(h.key)-1] + "-"
		if wrong == h.key {
			wrong = h.key[:len(h.key)-1] + "x"
		}
		if status, body := post(wrong, "k", `{}`); status != 401 {
			t.Errorf("a wrong secret: %d %s", status, body)
		}
		list, _, err := h.store.Forms(t.Context(), h.company.ID, "", 10)
		if err != nil || len(list) != 2 {
			t.Errorf("%d forms: %v", len(list), err)
		}
	})
}
