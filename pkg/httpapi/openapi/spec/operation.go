package spec

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const securityScheme = "bearer"

// Operation is one method of one path.
type Operation struct {
	Method, Path, ID, Tag string
	Summary, Text         string
	Scope                 string // empty: no credential is asked for, unless Anyone
	Anyone                bool   // any credential will do
	// of the path and of filters; Ref for those that operations share
	Parameters []Parameter
	In         string // the schema of the body; empty: there is none
	Optional   bool   // the body may be missing
	Patch      bool   // the body is a merge patch
	Out        string // the schema of the answer, `[]` before it for a list
	Done       string // what a success is: "The form."
	Headers    map[string]string
	Failures   []OperationFailure
	Examples   []Example
}

// OperationFailure is a code that an operation can respond with. Text is its meaning there, if that
// is more than the code always means.
type OperationFailure struct{ Code, Text string }

// Example is a request to an operation and its response. Body is empty where there is none.
type Example struct {
	Name           string
	Body, Response json.RawMessage
}

// Parameter is one of a path or a query, or the name of one that operations share.
type Parameter struct {
	Ref         string  `json:"$ref,omitempty"`
	Name        string  `json:"name,omitempty"`
	In          string  `json:"in,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Description string  `json:"description,omitempty"`
	Style       string  `json:"style,omitempty"`
	Explode     bool    `json:"explode,omitempty"`
	Schema      *Schema `json:"schema,omitempty"`
	Example     any     `json:"example,omitempty"`
	field       *Field  // of a filter
}

// SharedParameter refers to one of Source.Parameters.
func SharedParameter(name string) Parameter {
	return Parameter{Ref: "#/components/parameters/" + name}
}

// Filter returns a query parameter with the schema of a field.
func Filter(name string, f Field) Parameter {
	return Parameter{Name: name, In: "query", Description: f.schema.Description, field: &f}
}

// content is a body with its examples.
func content(schema *Schema, examples map[string]any, types ...string) map[string]any {
	all := map[string]any{}
	for _, t := range types {
		media := map[string]any{"schema": schema}
		if len(examples) > 0 {
			media["examples"] = examples
		}
		all[t] = media
	}
	return all
}

const jsonType = "application/json"

// operation describes an operation.
func (b *builder) operation(o Operation) map[string]any {
	out := map[string]any{"operationId": o.ID, "tags": []string{o.Tag}, "summary": o.Summary,
		"responses": b.responsesOf(o)}
	for name, text := range map[string]string{"ID": o.ID, "tag": o.Tag, "summary": o.Summary} {
		if text == "" {
			b.wrong("%s %s has no %s", o.Method, o.Path, name)
		}
	}
	if o.Text != "" {
		out["description"] = o.Text
	}
	out["security"] = []any{}
	switch {
	case o.Anyone:
		out["security"] = []map[string][]string{{securityScheme: {}}}
	case o.Scope != "":
		out["security"] = []map[string][]string{{securityScheme: {o.Scope}}}
	}
	var parameters []Parameter
	for _, p := range o.Parameters {
		parameters = append(parameters, b.parameter(p))
	}
	if parameters != nil {
		out["parameters"] = parameters
	}
	if o.In != "" {
		out["requestBody"] = b.body(o)
	}
	return out
}

// parameter makes the schema of a filter.
func (b *builder) parameter(p Parameter) Parameter {
	if p.field == nil {
		return p
	}
	f := *p.field
	f.schema.Description = ""
	of := reflect.TypeFor[string]()
	if strings.HasSuffix(p.Name, "[]") {
		of = reflect.TypeFor[[]string]()
		p.Style, p.Explode = "form", true
		f.schema.MinItems = 1
	}
	p.Schema = b.schemas.value("", of, f, Request)
	if p.Description == "" || f.example == nil {
		b.wrong("the parameter %s has no description or no example", p.Name)
	}
	p.Schema.Examples = []any{f.example}
	return p
}

// body describes the body of a request.
func (b *builder) body(o Operation) map[string]any {
	types, examples := []string{jsonType}, map[string]any{}
	if o.Patch {
		types = append(types, "application/merge-patch+json")
	}
	for _, e := range o.Examples {
		if len(e.Body) > 0 {
			examples[e.Name] = map[string]any{"value": e.Body}
		}
	}
	if len(examples) == 0 {
		b.wrong("%s %s has no example of its body", o.Method, o.Path)
	}
	return map[string]any{"required": !o.Optional,
		"content": content(b.schemas.ref(o.In), examples, types...)}
}

// responsesOf describes the responses of an operation: its success, and its failures by status.
func (b *builder) responsesOf(o Operation) map[string]any {
	examples := map[string]any{}
	for _, e := range o.Examples {
		if len(e.Response) > 0 {
			examples[e.Name] = map[string]any{"value": e.Response}
		}
	}
	if len(examples) == 0 {
		b.wrong("%s %s has no example of its answer", o.Method, o.Path)
	}
	name, list := strings.CutPrefix(o.Out, "[]")
	schema := b.schemas.ref(name)
	if list {
		schema = &Schema{Type: "array", Items: schema}
	}
	all := map[string]any{"200": map[string]any{"description": o.Done,
		"headers": headers(o.Headers), "content": content(schema, examples, jsonType)}}
	byStatus := map[int][]OperationFailure{}
	for _, f := range o.Failures {
		known, ok := b.failures[f.Code]
		if !ok {
			b.wrong("%s %s: there is no failure %s", o.Method, o.Path, f.Code)
		}
		byStatus[known.Status] = append(byStatus[known.Status], f)
	}
	for status, list := range byStatus {
		all[strconv.Itoa(status)] = b.failed(list)
	}
	return all
}

// failed describes the response of one status. One without a text of the operation's own is shared.
func (b *builder) failed(list []OperationFailure) any {
	own, name := false, ""
	for _, f := range list {
		own = own || f.Text != ""
		name += "Or" + camel(f.Code)
	}
	if own {
		return b.failure(list)
	}
	name = strings.TrimPrefix(name, "Or")
	if b.responses[name] == nil {
		b.responses[name] = b.failure(list)
	}
	return map[string]string{"$ref": "#/components/responses/" + name}
}

func (b *builder) failure(list []OperationFailure) any {
	var texts []string
	examples, all := map[string]any{}, map[string]string{}
	for _, f := range list {
		known := b.failures[f.Code]
		text := known.Text
		if f.Text != "" {
			text = f.Text
		}
		if len(list) > 1 {
			text = "`" + f.Code + "`: " + text
		}
		texts = append(texts, text)
		examples[f.Code] = map[string]string{"$ref": "#/components/examples/" + f.Code}
		b.examples[f.Code] = map[string]any{"summary": known.Title, "value": known.Example}
		for header, name := range known.Headers {
			all[header] = name
		}
	}
	return map[string]any{"description": strings.Join(texts, " "), "headers": headers(all),
		"content": content(b.schemas.ref(b.Error), examples, jsonType)}
}

// headers refers to the headers of a response, and to the one that every response has.
func headers(names map[string]string) map[string]any {
	all := map[string]any{"X-Request-Id": map[string]string{
		"$ref": "#/components/headers/XRequestId",
	}}
	for header, name := range names {
		all[header] = map[string]string{"$ref": "#/components/headers/" + name}
	}
	return all
}

// camel writes NOT_FOUND as NotFound.
func camel(code string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(code, "_") {
		b.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return b.String()
}

// Webhook is a request that the service sends.
type Webhook struct {
	Name, ID, Tag, Summary, Text string
	Parameters                   []Parameter
	In, Out                      string // the schemas of the body and of the answer, if it has one
	Responses                    map[string]string
	Examples                     []Example
}

// webhook describes a request that the service sends.
func (b *builder) webhook(w Webhook) map[string]any {
	requests, answers := map[string]any{}, map[string]any{}
	for _, e := range w.Examples {
		requests[e.Name] = map[string]any{"value": e.Body}
		if len(e.Response) > 0 {
			answers[e.Name] = map[string]any{"value": e.Response}
		}
	}
	responses := map[string]any{}
	for status, text := range w.Responses {
		response := map[string]any{"description": text}
		if w.Out != "" && strings.HasPrefix(status, "2") {
			response["content"] = content(b.schemas.ref(w.Out), answers, jsonType)
		}
		responses[status] = response
	}
	return map[string]any{
		"operationId": w.ID, "tags": []string{w.Tag}, "summary": w.Summary, "description": w.Text,
		"security":   []any{},
		"parameters": slices.Clone(w.Parameters),
		"requestBody": map[string]any{"required": true,
			"content": content(b.schemas.ref(w.In), requests, jsonType)},
		"responses": responses,
	}
}
