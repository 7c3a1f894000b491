// Package docs is the page on which the API can be read and tried, for the standalone process. Everything it shows comes from the
// process itself.
package docs

import (
	"net/http"

	"github.com/swaggest/swgui/v5emb"
)

// Handler serves the page at /docs, for the document at /openapi.json.
func Handler() http.Handler { return v5emb.New("Dossier", "/openapi.json", "/docs") }
