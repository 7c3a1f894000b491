package httpapi

import (
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/openapitest"
)

// versions checks a response's ETag: it is present exactly where the document lists one, and a GET
// of the resource returns the same one.
func (a conformance) versions(w *httptest.ResponseRecorder) {
	all := openapitest.Operations(a.t)
	n := slices.IndexFunc(all, func(o openapitest.Operation) bool {
		return o.Method+" "+o.Path == a.String()
	})
	if n < 0 {
		return // TestRoutesAndDocument says so
	}
	tag := w.Header().Get("ETag")
	if a.path == "/openapi.json" {
		return // TestDocumentIsCached
	}
	if (tag != "") != all[n].Versioned {
		a.t.Errorf("ETag %q, and the document says %t", tag, all[n].Versioned)
	}
	if tag == "" {
		return
	}
	kind, _, _ := strings.Cut(a.path[1:], "/")
	if strings.HasSuffix(a.path, "/register") {
		kind = "candidates"
	}
	if kind == "settings" {
		kind = "forms" // whose version the sample restores
	}
	if strings.HasSuffix(a.path, "/keepAsTest") {
		kind = "documentTypes"
	}
	id := decoded[dossier.Candidate](a.t, w).ID // every resource has one
	if r := a.ask(call{method: "GET", target: "/" + kind + "/" + id}); r.Code != 200 ||
		r.Header().Get("ETag") != tag {
		a.t.Errorf("ETag %s, and %s as it is read: %d", tag, r.Header().Get("ETag"), r.Code)
	}
}
