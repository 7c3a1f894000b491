package httpapi

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// nulls is the meaning of null in a body.
type nulls int

const (
	nullRefused nulls = iota // none: members without a value are left out
	// in a merge patch: removes a value, but is refused in its lists, which replace
	nullClears
	nullAbsent // after a merge: null means absent
)

// findNulls returns the first maxProblems places of null that have no meaning in a body of the type
// T. Members of any type, such as those of metadata, may be null.
func findNulls[T any](body []byte, means nulls) []dossier.FieldError {
	if means == nullAbsent || !bytes.Contains(body, []byte("null")) {
		return nil
	}
	var found []dossier.FieldError
	record := json.UnmarshalFromFunc(func(d *jsontext.Decoder, v any) error {
		if d.PeekKind() != 'n' || reflect.TypeOf(v).Elem().Kind() == reflect.Interface ||
			means == nullClears && !inList(d) {
			return errors.ErrUnsupported
		}
		_, err := d.ReadToken()
		if len(found) < maxProblems {
			found = append(found, dossier.FieldError{Pointer: string(d.StackPointer()),
				Code:    dossier.ProblemNull,
				Message: "null is not a value here. Leave the member out."})
		}
		return err
	})
	var v T
	_ = json.Unmarshal(body, &v, json.WithUnmarshalers(record)) // it was read before
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
