package httpapi

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// nulls says what null means in a body.
type nulls int

const (
	nullRefused nulls = iota // nothing: what has no value is left out
	nullClears               // a merge patch: takes a value away; in the lists of one, which replace, nothing
	nullAbsent               // what was merged: a value that is not there
)

// findNulls returns the first places of a body, which reads as a T, where null stands and means nothing: as many as one answer names. A
// place that holds any JSON, like a member of metadata, holds null too.
func findNulls[T any](body []byte, means nulls) []dossier.FieldError {
	if means == nullAbsent || !bytes.Contains(body, []byte("null")) {
		return nil
	}
	var found []dossier.FieldError
	note := json.UnmarshalFromFunc(func(d *jsontext.Decoder, v any) error {
		if d.PeekKind() != 'n' || reflect.TypeOf(v).Elem().Kind() == reflect.Interface || means == nullClears && !inList(d) {
			return errors.ErrUnsupported
		}
		_, err := d.ReadToken()
		if len(found) < maxProblems {
			found = append(found, dossier.FieldError{Pointer: string(d.StackPointer()), Code: "null", Message: "is null: what has no value is left out"})
		}
		return err
	})
	var v T
	_ = json.Unmarshal(body, &v, json.WithUnmarshalers(note)) // it was read before
	return found
}

func inList(d *jsontext.Decoder) bool {
	for depth := range d.StackDepth() + 1 {
		if kind, _ := d.StackIndex(depth); kind == '[' {
			return true
		}
	}
	return false
}
