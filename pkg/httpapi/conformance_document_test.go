package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/openapitest"
)

// parameter is a parameter of an operation, or of the document's components.
type parameter struct {
	Ref  string `json:"$ref"`
	Name string `json:"name"`
	In   string `json:"in"`
}

// The table of routes and the document list the same routes, scopes, path parameters, filters,
// paging, bodies and request headers.
func TestRoutesAndDocument(t *testing.T) {
	t.Parallel()
	got, want := map[string][]string{}, map[string][]string{}
	for _, rt := range (&API{}).routes(Groups()) {
		want[rt.String()] = rt.described()
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters  []parameter `json:"parameters"`
			RequestBody *struct {
				Required bool `json:"required"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Parameters map[string]parameter `json:"parameters"`
		} `json:"components"`
	}
	if err := json.Unmarshal(openapi.Document, &doc); err != nil {
		t.Fatal(err)
	}
	for _, o := range openapitest.Operations(t) {
		op := doc.Paths[o.Path][strings.ToLower(o.Method)]
		list := []string{"scope " + o.Scope}
		for _, p := range op.Parameters {
			if p.Ref != "" {
				p = doc.Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
			}
			list = append(list, p.In+" "+p.Name)
		}
		if op.RequestBody != nil {
			list = append(list, fmt.Sprintf("body, required %t", op.RequestBody.Required))
		}
		slices.Sort(list)
		got[o.Method+" "+o.Path] = list
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-routes +document)\n%s", diff)
	}
}

// described returns everything that the document has to state about a route.
func (rt route) described() []string {
	list := []string{"scope " + rt.scope}
	for _, name := range params(rt.path) {
		list = append(list, "path "+name)
	}
	for _, name := range rt.parameters() {
		list = append(list, "query "+name)
	}
	switch rt.method {
	case "POST":
		if !rt.unkept {
			list = append(list, "header Idempotency-Key")
		}
	case "PATCH":
		list = append(list, "header If-Match")
	}
	if rt.conditional {
		list = append(list, "header If-Match")
	}
	if (rt.method == "POST" || rt.method == "PATCH") && rt.body != bodyNone {
		list = append(list, fmt.Sprintf("body, required %t", rt.body == bodyNeeded))
	}
	slices.Sort(list)
	return list
}
