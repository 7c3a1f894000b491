package openapitest

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
)

// document is the document as a tree.
func document(t *testing.T) map[string]any {
	t.Helper()
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.Document))
	if err != nil {
		t.Fatal(err)
	}
	return tree.(map[string]any)
}

// at follows the members of a tree.
func at(t *testing.T, tree any, path ...string) any {
	t.Helper()
	for _, name := range path {
		object, ok := tree.(map[string]any)
		if !ok || object[name] == nil {
			t.Fatalf("the document has no %s", strings.Join(path, "/"))
		}
		tree = object[name]
	}
	return tree
}

// Every example matches its schema, and every body has one.
func TestExamples(t *testing.T) {
	t.Parallel()
	doc := document(t)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	count := 0
	var walk func(tree any, pointer string)
	walk = func(tree any, pointer string) {
		object, ok := tree.(map[string]any)
		if !ok {
			return
		}
		if _, found := object["schema"]; found {
			schema, err := compiler.Compile("openapi.json#" + pointer + "/schema")
			if err != nil {
				t.Fatal(err)
			}
			values := examples(t, doc, object)
			if len(values) == 0 {
				t.Errorf("%s has no example", pointer)
			}
			for _, v := range values {
				count++
				if err := schema.Validate(v); err != nil {
					t.Errorf("%s: an example is not what the schema describes: %v", pointer, err)
				}
			}
		}
		for name, member := range object {
			walk(member, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}",
				"%7D").Replace(name))
		}
	}
	for _, part := range []string{"paths", "webhooks", "components"} {
		walk(doc[part], "/"+part)
	}
	if count < 190 {
		t.Errorf("found %d examples only", count)
	}
}

func examples(t *testing.T, doc, object map[string]any) []any {
	if v, ok := object["example"]; ok {
		return []any{v}
	}
	named, _ := object["examples"].(map[string]any)
	// An optional parameter has its examples in the schema. Beside it they would be filled into
	// the form on /docs.
	values, _ := object["schema"].(map[string]any)["examples"].([]any)
	for _, e := range named {
		if ref, ok := e.(map[string]any)["$ref"].(string); ok {
			e = at(t, doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
		values = append(values, at(t, e, "value"))
	}
	return values
}

func TestOperationsAreNamed(t *testing.T) {
	t.Parallel()
	doc := document(t)
	var tags []string
	for _, tag := range doc["tags"].([]any) {
		tags = append(tags, at(t, tag, "name").(string))
	}
	seen := map[string]string{}
	operations := Operations(t)
	for _, o := range operations {
		op := at(t, doc, "paths", o.Path, strings.ToLower(o.Method)).(map[string]any)
		id, _ := op["operationId"].(string)
		if other := seen[id]; id == "" || other != "" {
			t.Errorf("%s %s: operationId %q, also of %q", o.Method, o.Path, id, other)
		}
		seen[id] = o.Path
		for _, tag := range op["tags"].([]any) {
			if !slices.Contains(tags, tag.(string)) {
				t.Errorf("%s %s: tag %q is not described", o.Method, o.Path, tag)
			}
		}
		public := slices.Contains([]string{"/healthz", "/openapi.json", "/sessions",
			"/sessions/current"}, o.Path) || strings.HasPrefix(o.Path, "/public/")
		if (o.Scope == "") != public || !public && !slices.Contains(dossier.Scopes, o.Scope) {
			t.Errorf("%s %s: scope %q", o.Method, o.Path, o.Scope)
		}
	}
	if len(operations) < 70 {
		t.Errorf("found %d operations only", len(operations))
	}
}

// Bodies are closed in requests and responses: an unknown member is an error everywhere.
func TestObjectsAreClosed(t *testing.T) {
	t.Parallel()
	schemas := at(t, document(t), "components", "schemas").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		schema := schemas[name].(map[string]any)
		if name != "OpenAPI" && schema["properties"] != nil &&
			schema["additionalProperties"] != false {
			t.Errorf("%s takes members it does not name", name)
		}
	}
}
