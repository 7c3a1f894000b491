package spec

import (
	"bytes"
	"encoding/json"
)

// Schema is a JSON Schema as OpenAPI 3.1 has it, with the keywords that this document needs.
type Schema struct {
	Ref                  string         `json:"$ref,omitempty"`
	Type                 any            `json:"type,omitempty"` // a name, or a list of names
	Description          string         `json:"description,omitempty"`
	Const                any            `json:"const,omitempty"`
	Enum                 []any          `json:"enum,omitempty"`
	Default              any            `json:"default,omitempty"`
	Format               string         `json:"format,omitempty"`
	ContentEncoding      string         `json:"contentEncoding,omitempty"`
	Pattern              string         `json:"pattern,omitempty"`
	MinLength            int            `json:"minLength,omitempty"`
	MaxLength            int            `json:"maxLength,omitempty"`
	Minimum              *int64         `json:"minimum,omitempty"`
	Maximum              *int64         `json:"maximum,omitempty"`
	Items                *Schema        `json:"items,omitempty"`
	MinItems             int            `json:"minItems,omitempty"`
	MaxItems             int            `json:"maxItems,omitempty"`
	UniqueItems          bool           `json:"uniqueItems,omitempty"`
	Properties           Properties     `json:"properties,omitempty"`
	Required             []string       `json:"required,omitempty"`
	MaxProperties        int            `json:"maxProperties,omitempty"`
	PropertyNames        *Schema        `json:"propertyNames,omitempty"`
	AdditionalProperties any            `json:"additionalProperties,omitempty"` // bool or *Schema
	AnyOf                []*Schema      `json:"anyOf,omitempty"`
	OneOf                []*Schema      `json:"oneOf,omitempty"`
	Discriminator        *Discriminator `json:"discriminator,omitempty"`
	Examples             []any          `json:"examples,omitempty"`
}

// Discriminator names the property that tells the alternatives of a oneOf apart, and the schema of
// each of its values.
type Discriminator struct {
	PropertyName string            `json:"propertyName"`
	Mapping      map[string]string `json:"mapping"`
}

// Property is one member of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// Properties are the members of an object, in the order of the Go struct.
type Properties []Property

// MarshalJSON writes them as one JSON object.
func (p Properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for n, property := range p {
		name, err := json.Marshal(property.Name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(property.Schema)
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(n, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal writes JSON without escaping <, > and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// RefTo returns a reference to a schema of the document.
func RefTo(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// nullable returns the schema that null meets too.
func nullable(s *Schema) *Schema {
	if kind, ok := s.Type.(string); ok && s.Enum == nil && s.Const == nil {
		n := *s
		n.Type = []string{kind, "null"}
		return &n
	}
	text := s.Description
	inner := *s
	inner.Description = ""
	return &Schema{Description: text, AnyOf: []*Schema{&inner, {Type: "null"}}}
}
