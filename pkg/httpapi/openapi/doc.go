// Package openapi holds the OpenAPI 3.1 document of the whole service: every route, field, enumeration, limit and error, with an
// example of each. The document is the source; nothing generates it, and nothing parses it when a process starts.
package openapi

import _ "embed"

// Document is openapi.json as it is committed: one JSON object, UTF-8. It must not be changed.
//
//go:embed openapi.json
var Document []byte
