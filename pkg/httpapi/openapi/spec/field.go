package spec

import "reflect"

// Field adds to a field what its Go type doesn't say. The zero value adds nothing.
type Field struct {
	schema   Schema
	ref      string // the named schema that replaces the reflected one
	each     *Field // of the elements of a list
	plain    bool   // no Id although it is called so
	needed   bool
	optional bool
	example  any
	of       reflect.Type
}

// Fields say it of the fields of a type, by JSON name.
type Fields map[string]Field

// Says begins with the description. `{one}` in it stands for what one of the type is called.
func Says(text string) Field { return Field{schema: Schema{Description: text}} }

// Is refers to a named schema, as enumerations are.
func Is(name string) Field { return Field{ref: name} }

// Is makes the field refer to a named schema.
func (f Field) Is(name string) Field { f.ref = name; return f }

// Length bounds a text, in characters.
func (f Field) Length(least, most int) Field {
	f.schema.MinLength, f.schema.MaxLength = least, most
	return f
}

// Between bounds a number.
func (f Field) Between(least, most int64) Field {
	f.schema.Minimum, f.schema.Maximum = &least, &most
	return f
}

// AtLeast bounds a number from below.
func (f Field) AtLeast(least int64) Field { f.schema.Minimum = &least; return f }

// Count bounds the elements of a list or the members of a map.
func (f Field) Count(least, most int) Field {
	f.schema.MinItems, f.schema.MaxItems, f.schema.MaxProperties = least, most, most
	return f
}

// Pattern is the regular expression that a text matches as a whole.
func (f Field) Pattern(expression string) Field { f.schema.Pattern = expression; return f }

// Format is a format of JSON Schema, such as uri.
func (f Field) Format(name string) Field { f.schema.Format = name; return f }

// Default sets the meaning of a missing value. It makes the field optional.
func (f Field) Default(value any) Field { f.schema.Default = value; return f }

// Const is the only value.
func (f Field) Const(value any) Field { f.schema.Const = value; return f }

// Unique forbids an element to be in a list twice.
func (f Field) Unique() Field { f.schema.UniqueItems = true; return f }

// Each says it of the elements of a list, or of the values of a map.
func (f Field) Each(element Field) Field { f.each = &element; return f }

// Plain is for a text that is called id but is none of the service's.
func (f Field) Plain() Field { f.plain = true; return f }

// Needed is for a field that a request must have, where its type does not say so.
func (f Field) Needed() Field { f.needed = true; return f }

// Optional is for a field that a request may leave out, where its type does not say so.
func (f Field) Optional() Field { f.optional = true; return f }

// Example is a value of a parameter.
func (f Field) Example(value any) Field { f.example = value; return f }

// ExampleText returns the example if it is a text.
func (f Field) ExampleText() (text string, ok bool) {
	text, ok = f.example.(string)
	return text, ok
}

// Holds makes the field be of the type of a value: for a field of type any.
func (f Field) Holds(value any) Field { f.of = reflect.TypeOf(value); return f }

// Text sets the description.
func (f Field) Text(text string) Field { f.schema.Description = text; return f }
