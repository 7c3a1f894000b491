package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Source is everything that a document is made of.
type Source struct {
	Info Info
	Tags []Tag
	// schemas that are no Go struct: texts, enumerations, alternatives
	Named      map[string]*Schema
	Types      []Type
	Common     Fields    // of every type whose own Fields don't name them
	Failures   []Failure // every code, in the order of the enumeration
	Error      string    // the name of the schema of every failure
	Security   map[string]any
	Parameters map[string]Parameter // those that operations share
	Headers    map[string]Header
	Operations []Operation
	Webhooks   []Webhook
}

// Info describes the document: title, version, summary, description and license.
type Info struct {
	Title       string            `json:"title"`
	Version     string            `json:"version"`
	Summary     string            `json:"summary"`
	Description string            `json:"description"`
	License     map[string]string `json:"license,omitempty"`
	Contact     map[string]string `json:"contact,omitempty"`
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Header is a header of a response.
type Header struct {
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Schema      *Schema `json:"schema"`
	Example     any     `json:"example,omitempty"`
}

// Failure is one code: its status, what it means where an operation says nothing else, and an
// answer with it. Headers are names of Source.Headers by name of the header.
type Failure struct {
	Code    string
	Status  int
	Title   string
	Text    string
	Headers map[string]string
	Example json.RawMessage
}

// builder is a document that is being made.
type builder struct {
	Source
	schemas   *schemas
	failures  map[string]Failure
	responses map[string]any
	examples  map[string]any
	paths     map[string]map[string]any
}

// Document returns the document as JSON, or everything that is wrong with its source.
func Document(source Source) ([]byte, error) {
	b := &builder{Source: source, schemas: newSchemas(source.Named, source.Types, source.Common),
		failures:  map[string]Failure{},
		responses: map[string]any{}, examples: map[string]any{}, paths: map[string]map[string]any{}}
	for _, f := range source.Failures {
		b.failures[f.Code] = f
	}
	for _, o := range source.Operations {
		if b.paths[o.Path] == nil {
			b.paths[o.Path] = map[string]any{}
		}
		b.paths[o.Path][strings.ToLower(o.Method)] = b.operation(o)
	}
	webhooks := map[string]any{}
	for _, w := range source.Webhooks {
		webhooks[w.Name] = map[string]any{"post": b.webhook(w)}
	}
	for _, name := range slices.Sorted(maps.Keys(b.schemas.types)) {
		if b.schemas.done[name] == nil && b.schemas.types[name].Mode != Change {
			b.wrong("schema %s is used nowhere", name)
		}
	}
	for name := range b.schemas.named {
		if b.schemas.done[name] == nil {
			b.wrong("schema %s is used nowhere", name)
		}
	}
	if len(b.schemas.wrong) > 0 {
		slices.Sort(b.schemas.wrong)
		return nil, errors.New(strings.Join(slices.Compact(b.schemas.wrong), "\n"))
	}
	return b.write(webhooks)
}

func (b *builder) wrong(format string, args ...any) {
	b.schemas.wrong = append(b.schemas.wrong, fmt.Sprintf(format, args...))
}

// write puts the parts together.
func (b *builder) write(webhooks map[string]any) ([]byte, error) {
	text, err := marshal(struct {
		OpenAPI    string              `json:"openapi"`
		Info       Info                `json:"info"`
		Servers    []map[string]string `json:"servers"`
		Security   []map[string][]any  `json:"security"`
		Tags       []Tag               `json:"tags"`
		Paths      map[string]any      `json:"paths"`
		Webhooks   map[string]any      `json:"webhooks"`
		Components map[string]any      `json:"components"`
	}{
		"3.1.0", b.Info, []map[string]string{
			{"url": "/", "description": "The service that this document came from."},
		},
		[]map[string][]any{{securityScheme: {}}}, b.Tags, anyOf(b.paths), webhooks, map[string]any{
			"securitySchemes": b.Security, "parameters": b.Parameters, "headers": b.Headers,
			"responses": b.responses, "examples": b.examples, "schemas": b.schemas.done,
		},
	})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, text, "", " ")
	out.WriteByte('\n')
	return out.Bytes(), err
}

func anyOf(paths map[string]map[string]any) map[string]any {
	all := map[string]any{}
	for path, item := range paths {
		all[path] = item
	}
	return all
}
