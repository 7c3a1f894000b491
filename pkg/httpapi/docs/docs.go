// Package docs is the page on which the API can be read and tried, for the standalone process.
// Everything it shows comes from the process itself.
package docs

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

const path = "/docs"

// Handler serves the page at /docs, for the document at /openapi.json. Groups of operations are
// closed at first, and the schemas are shown.
func Handler() http.Handler {
	page := v5emb.NewHandlerWithConfig(
		swgui.Config{Title: "Dossier", SwaggerJSON: "/openapi.json", BasePath: path,
			SettingsUI: map[string]string{
				"docExpansion": `"none"`, "defaultModelsExpandDepth": "0",
				"defaultModelExpandDepth": "2",
				"filter":                  "true", "tryItOutEnabled": "true",
			}})
	policy := sync.OnceValue(func() string { return policyOf(page) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy())
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		page.ServeHTTP(w, r)
	})
}

var inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// policyOf allows what the page has and asks for: its own files, and the scripts within it by their
// hashes. Its library writes styles into elements, and pictures as data.
func policyOf(page http.Handler) string {
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	scripts := "script-src 'self'"
	for _, found := range inlineScript.FindAllStringSubmatch(w.Body.String(), -1) {
		sum := sha256.Sum256([]byte(found[1]))
		scripts += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{"default-src 'none'", scripts, "style-src 'self' 'unsafe-inline'",
		"img-src 'self' data:", "connect-src 'self'",
		"font-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"}, "; ")
}
