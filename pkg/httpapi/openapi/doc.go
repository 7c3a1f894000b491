// Package openapi holds the OpenAPI 3.1 document of the whole service: every route, field,
// enumeration, limit and error, with an example of each. Nothing parses it when a process starts.
//
// The document is generated. To add a route, add its row to the route table, then describe it in
// the file pkg/httpapi/openapi_<resource>_test.go: one operation (id, summary, names of the schemas
// of body and answer, codes of its own), one spec.Type for each Go struct that its body and answer
// have (what reflection can't know: descriptions, limits from the constants of pkg/dossier), and
// one recorded request as its example. A new resource returns a description from a function that
// `var _ = describe(…)` registers there; noun.operations, spec.Resource and session.resource cover
// the five usual routes. Then run
//
//	go test ./pkg/httpapi -run TestOpenAPI -update
//
// which writes openapi.json and names whatever is missing. Without -update the same test fails if
// the file is not up to date.
package openapi

import _ "embed"

// Document is openapi.json as it is committed: one JSON object, UTF-8. It must not be changed.
//
//go:embed openapi.json
var Document []byte
