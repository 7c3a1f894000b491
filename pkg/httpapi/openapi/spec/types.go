package spec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Mode is the use of a type: the same Go type has other rules in a request than in a response.
type Mode int

// The modes. A Change is a JSON Merge Patch: nothing is required, null clears what is optional.
const (
	Response Mode = iota
	Request
	Change
)

// Type describes a Go struct as the schema Name. A struct may have one for each mode.
type Type struct {
	Name   string
	Of     any
	Mode   Mode
	Shared bool   // requests and answers have one shape
	One    string // what one is called: "form"
	Text   string
	Only   []string // the fields that it has [all]
	Fields Fields
}

// Resource describes the three shapes of a resource: Name in answers, NameCreate in a POST and
// NamePatch in a PATCH, with one set of fields. change nil is as create.
func Resource(name, one, text string, answer, create, change any, fields Fields) []Type {
	if change == nil {
		change = create
	}
	return []Type{
		{Name: name, Of: answer, Mode: Response, One: one, Text: text, Fields: fields},
		{Name: name + "Create", Of: create, Mode: Request, One: one,
			Text: "The " + one + " to create.", Fields: fields},
		{Name: name + "Patch", Of: change, Mode: Change, One: one, Fields: fields,
			Text: "What to change of the " + one +
				" (JSON Merge Patch, RFC 7396): absent keeps, `null` clears, an array replaces."},
	}
}

// Nested describes a struct within resources: Name in answers, NameInput in requests, and
// NamePatch where a PATCH merges it.
func Nested(name, one, text string, answer, request any, fields Fields) []Type {
	return []Type{
		{Name: name, Of: answer, Mode: Response, One: one, Text: text, Fields: fields},
		{Name: name + "Input", Of: request, Mode: Request, One: one, Text: text, Fields: fields},
		{Name: name + "Patch", Of: request, Mode: Change, One: one, Text: "The members to change.",
			Fields: fields},
	}
}

// Shared describes a struct that requests and answers have in one shape.
func Shared(name, one, text string, of any, fields Fields) []Type {
	return []Type{
		{Name: name, Of: of, Mode: Request, Shared: true, One: one, Text: text, Fields: fields},
		{Name: name + "Patch", Of: of, Mode: Change, One: one, Text: "The members to change.",
			Fields: fields},
	}
}

// Output describes a struct that only answers have.
func Output(name, one, text string, of any, fields Fields) []Type {
	return []Type{{Name: name, Of: of, Mode: Response, One: one, Text: text, Fields: fields}}
}

// Input describes a struct that only requests have.
func Input(name, text string, of any, fields Fields, only ...string) []Type {
	return []Type{{Name: name, Of: of, Mode: Request, Text: text, Fields: fields, Only: only}}
}

type typeKey struct {
	reflect.Type
	Mode
}

// schemas makes the schemas that are asked for, and those that they refer to.
type schemas struct {
	named  map[string]*Schema // written as they are
	types  map[string]Type
	names  map[typeKey]string
	common Fields
	done   map[string]*Schema
	wrong  []string
}

func newSchemas(named map[string]*Schema, types []Type, common Fields) *schemas {
	s := &schemas{named: named, types: map[string]Type{}, names: map[typeKey]string{},
		common: common, done: map[string]*Schema{}}
	for _, t := range types {
		if _, twice := s.types[t.Name]; twice {
			s.wrong = append(s.wrong, fmt.Sprintf("%s is described twice", t.Name))
		}
		s.types[t.Name] = t
		of := reflect.TypeOf(t.Of)
		if t.Only != nil {
			continue // found by its name only
		}
		s.names[typeKey{of, t.Mode}] = t.Name
		if t.Shared {
			s.names[typeKey{of, Response}] = t.Name
		}
	}
	return s
}

// ref refers to a schema by name and makes it.
func (s *schemas) ref(name string) *Schema {
	if _, made := s.done[name]; made {
		return RefTo(name)
	}
	if schema, ok := s.named[name]; ok {
		s.done[name] = schema
		s.follow(schema)
		return RefTo(name)
	}
	t, ok := s.types[name]
	if !ok {
		s.wrong = append(s.wrong, fmt.Sprintf("there is no schema %s", name))
		return RefTo(name)
	}
	s.done[name] = nil // it may refer to itself
	s.done[name] = s.object(t)
	return RefTo(name)
}

// follow makes what a schema refers to that is written as it is.
func (s *schemas) follow(schema *Schema) {
	if schema == nil {
		return
	}
	if name, ok := strings.CutPrefix(schema.Ref, "#/components/schemas/"); ok {
		s.ref(name)
	}
	for _, inner := range slices.Concat(schema.AnyOf, schema.OneOf) {
		s.follow(inner)
	}
	for _, p := range schema.Properties {
		s.follow(p.Schema)
	}
	s.follow(schema.Items)
	if values, ok := schema.AdditionalProperties.(*Schema); ok {
		s.follow(values)
	}
}

// object makes the schema of a struct.
func (s *schemas) object(t Type) *Schema {
	o := &Schema{Type: "object", Description: t.Text, AdditionalProperties: false}
	unused := maps.Clone(t.Fields)
	for _, member := range members(reflect.TypeOf(t.Of)) {
		if t.Only != nil && !slices.Contains(t.Only, member.name) {
			delete(unused, member.name)
			continue
		}
		f, told := t.Fields[member.name]
		if !told {
			f = s.common[member.name]
		}
		delete(unused, member.name)
		p, required := s.property(t, member, f)
		o.Properties = append(o.Properties, Property{member.name, p})
		if required {
			o.Required = append(o.Required, member.name)
		}
		if p.Description == "" && !refers(p) {
			s.wrong = append(s.wrong, fmt.Sprintf("%s.%s has no description", t.Name, member.name))
		}
	}
	for name := range unused {
		if !s.sibling(t, name) {
			s.wrong = append(s.wrong, fmt.Sprintf("%s has no field %s", t.Name, name))
		}
	}
	return o
}

// sibling reports whether another shape that shares the description has a field of the name.
func (s *schemas) sibling(t Type, name string) bool {
	for _, other := range s.types {
		if reflect.ValueOf(other.Fields).Pointer() != reflect.ValueOf(t.Fields).Pointer() {
			continue
		}
		if slices.ContainsFunc(members(reflect.TypeOf(other.Of)), func(m member) bool {
			return m.name == name
		}) {
			return true
		}
	}
	return false
}

// refers reports whether a schema is described where it refers to.
func refers(p *Schema) bool {
	return p.Ref != "" || p.Items != nil && p.Items.Ref != "" ||
		len(p.AnyOf) > 0 && p.AnyOf[0].Ref != ""
}

// member is a field of a struct as JSON has it.
type member struct {
	name string
	omit bool // left out where it is empty
	of   reflect.Type
}

// members lists the JSON members of a struct, those of embedded structs among them.
func members(t reflect.Type) []member {
	var list []member
	for n := range t.NumField() {
		f := t.Field(n)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == "-":
		case f.Anonymous && tag == "":
			list = append(list, members(f.Type)...)
		case f.IsExported():
			list = append(list, member{tag, strings.Contains(options, "omit"), f.Type})
		}
	}
	return list
}

// property makes the schema of a field, and reports whether it is required.
func (s *schemas) property(t Type, m member, f Field) (p *Schema, required bool) {
	f.schema.Description = strings.ReplaceAll(f.schema.Description, "{one}", t.One)
	if f.of != nil {
		m.of = f.of
	}
	of, pointer := m.of, m.of.Kind() == reflect.Pointer
	if pointer {
		of = of.Elem()
	}
	p = s.value(m.name, of, f, t.Mode)
	if t.Mode == Response {
		if pointer && !m.omit {
			p = nullable(p)
		}
		return p, !m.omit || f.needed
	}
	needed := f.needed || !f.optional && !pointer && !m.omit && f.schema.Default == nil &&
		mustBeGiven(of, p)
	if t.Mode == Request {
		p.Default = f.schema.Default
		return p, needed
	}
	if needed || f.schema.Const != nil {
		return p, false
	}
	if d := f.schema.Default; d != nil {
		p.Description = strings.TrimSpace(fmt.Sprintf("%s `null`: `%v`.", p.Description, d))
	}
	if pointer || m.omit || of.Kind() == reflect.Slice || of.Kind() == reflect.Map ||
		f.schema.Default != nil || f.optional {
		p = nullable(p)
	}
	return p, false
}

// mustBeGiven reports whether the zero value of a type is not taken from a request.
func mustBeGiven(of reflect.Type, p *Schema) bool {
	switch of.Kind() {
	case reflect.String:
		return p.MinLength > 0 || p.Ref != "" || p.Const != nil
	case reflect.Struct:
		return true
	}
	return false
}

var timeType = reflect.TypeFor[time.Time]()

// isTime reports whether a type is a moment: time.Time, or a struct of it alone.
func isTime(of reflect.Type) bool {
	return of == timeType || of.Kind() == reflect.Struct && of.NumField() == 1 &&
		of.Field(0).Type == timeType
}

// value makes the schema of a value. Answers promise no limits, and of formats the addresses only:
// what rules or older versions stored is answered as it is.
func (s *schemas) value(name string, of reflect.Type, f Field, mode Mode) *Schema {
	if mode == Response {
		if !strings.HasPrefix(f.schema.Format, "uri") {
			f.schema.Format = ""
		}
		f.schema = Schema{Description: f.schema.Description, Format: f.schema.Format,
			Const:   f.schema.Const,
			Minimum: f.schema.Minimum, Maximum: f.schema.Maximum, Enum: f.schema.Enum}
	}
	p := f.schema
	p.Default = nil
	text := p.Description
	switch {
	case f.ref != "":
		return s.described(s.ref(s.inMode(f.ref, mode)), text)
	case isTime(of):
		p.Type, p.Format = "string", "date-time"
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Uint8:
		p.Type, p.ContentEncoding = "string", "base64"
	case of.Kind() == reflect.String && !f.plain && (name == "id" || strings.HasSuffix(name, "Id")):
		return s.described(s.ref("Id"), text)
	case of.Kind() == reflect.Slice:
		p.Type, p.MaxProperties = "array", 0
		p.UniqueItems = p.UniqueItems || mode != Response && strings.HasSuffix(name, "Ids")
		p.Items = s.element(name, of.Elem(), f.each, mode)
	case of.Kind() == reflect.Map:
		p.Type, p.MinItems, p.MaxItems = "object", 0, 0
		p.AdditionalProperties = true
		if f.each != nil || of.Elem().Kind() != reflect.Interface {
			p.AdditionalProperties = s.element("", of.Elem(), f.each, mode)
		}
	case of.Kind() == reflect.Struct:
		return s.described(s.structOf(of, mode), text)
	case of.Kind() == reflect.Interface:
	default:
		p.Type = basic(of.Kind())
	}
	return &p
}

// basic returns the JSON type of a Go kind.
func basic(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64, reflect.Float32:
		return "number"
	default:
		return "integer"
	}
}

func (s *schemas) described(p *Schema, text string) *Schema { p.Description = text; return p }

// element makes the schema of an element of a list, which a PATCH replaces as a whole.
func (s *schemas) element(list string, of reflect.Type, f *Field, mode Mode) *Schema {
	if mode == Change {
		mode = Request
	}
	name := ""
	if strings.HasSuffix(list, "Ids") {
		name = "id"
	}
	if f == nil {
		f = &Field{}
	}
	return s.value(name, of, *f, mode)
}

// inMode returns the name that a named schema has in a mode: a PATCH may have one of its own.
func (s *schemas) inMode(name string, mode Mode) string {
	if _, own := s.named[name+"Patch"]; own && mode == Change {
		return name + "Patch"
	}
	return name
}

// structOf refers to the schema of a struct in a mode.
func (s *schemas) structOf(of reflect.Type, mode Mode) *Schema {
	for _, m := range []Mode{mode, Request} {
		if name, ok := s.names[typeKey{of, m}]; ok {
			return s.ref(name)
		}
		if mode == Response {
			break
		}
	}
	s.wrong = append(s.wrong, fmt.Sprintf("%v is not described in mode %d", of, mode))
	return &Schema{}
}
