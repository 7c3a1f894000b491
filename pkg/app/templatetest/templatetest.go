// Package templatetest reads template.yaml for tests that hold the stack to the code.
package templatetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Root returns the folder of the repository, which holds go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no folder above the test holds go.mod")
		}
		dir = up
	}
}

// Resource is one resource of template.yaml. Intrinsic functions have their long form: !Ref X is
// {"Ref": "X"}.
type Resource struct {
	Type       string
	Properties map[string]any
	Whole      map[string]any
}

// Read returns the resources of template.yaml by their logical names.
func Read(t testing.TB) map[string]Resource {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	all := map[string]Resource{}
	for name, r := range plain(t, root.Content[0]).(map[string]any)["Resources"].(map[string]any) {
		whole := r.(map[string]any)
		properties, _ := whole["Properties"].(map[string]any)
		all[name] = Resource{whole["Type"].(string), properties, whole}
	}
	return all
}

// plain is the value of a node, with the tags of CloudFormation spelled out.
func plain(t testing.TB, n *yaml.Node) any {
	t.Helper()
	var v any
	switch n.Kind {
	case yaml.MappingNode:
		members := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			members[n.Content[i].Value] = plain(t, n.Content[i+1])
		}
		v = members
	case yaml.SequenceNode:
		elements := []any{}
		for _, e := range n.Content {
			elements = append(elements, plain(t, e))
		}
		v = elements
	case yaml.ScalarNode:
		v = n.Value
	default:
		t.Fatalf("line %d: an alias or something else that CloudFormation does not know", n.Line)
	}
	tag, ok := strings.CutPrefix(n.Tag, "!")
	if !ok || strings.HasPrefix(tag, "!") {
		return v
	}
	if tag == "Ref" {
		return map[string]any{"Ref": v}
	}
	return map[string]any{"Fn::" + tag: v}
}

// List is a value as a list: what is one thing may stand alone.
func List(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// Functions are the functions of the template, by the name of their folder.
func Functions(t testing.TB, all map[string]Resource) map[string]Resource {
	t.Helper()
	byFolder := map[string]Resource{}
	for name, r := range all {
		if r.Type == "AWS::Serverless::Function" {
			byFolder[strings.ToLower(strings.TrimSuffix(name, "Function"))] = r
		}
	}
	return byFolder
}
