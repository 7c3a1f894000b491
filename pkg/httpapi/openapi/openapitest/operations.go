package openapitest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
)

// Operation is one method of one path of the document.
type Operation struct {
	Method string // upper case
	Path   string // with its parameters in braces, as http.ServeMux writes them
	Scope  string // what a key has to carry, empty where no key is asked for
	// Versioned: a success has an ETag.
	Versioned bool
}

// Operations lists what the document describes, by path and method.
func Operations(t testing.TB) []Operation {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			Security  []map[string][]string `json:"security"`
			Responses map[string]struct {
				Headers map[string]any `json:"headers"`
			} `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(openapi.Document, &doc); err != nil {
		t.Fatalf("the OpenAPI document is not JSON: %v", err)
	}
	var out []Operation
	for path, item := range doc.Paths {
		for method, op := range item {
			o := Operation{Method: strings.ToUpper(method), Path: path,
				Versioned: op.Responses["200"].Headers["ETag"] != nil}
			for _, s := range op.Security {
				o.Scope = strings.Join(s["bearer"], " ")
			}
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return out
}
