package httpapi

import (
	"bytes"
	"errors"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Limits of the structure of a body.
const (
	maxDepth   = 64   // of nesting
	maxMembers = 1000 // of one object in a PATCH: merging is quadratic in them
)

// strict refuses unknown members. The library refuses duplicates, members in the wrong case and
// invalid UTF-8 by itself.
var strict = json.RejectUnknownMembers(true)

// decode reads the body, a JSON object, into a T. Invalid or ambiguous JSON is MALFORMED_REQUEST.
// Unknown members, wrong types and null are VALIDATION_FAILED, each with its pointer. Members that
// the service sets (`id`, `state`, `…At`, and those in serverSet) are reported as readOnly.
func decode[T any](r *request, serverSet ...string) (T, error) {
	return unmarshal[T](r.body, nullRefused, serverSet)
}

// decodePatch applies the body as a JSON Merge Patch (RFC 7396) to current, the resource in the
// shape of a request, and decodes the result. Unknown members are refused even if they are null.
func decodePatch[T any](r *request, current T, serverSet ...string) (T, error) {
	var none T
	if _, err := unmarshal[T](r.body, nullClears, serverSet); err != nil {
		return none, err
	}
	if err := checkMembers(r.body); err != nil {
		return none, err
	}
	doc, err := json.Marshal(current)
	if err != nil {
		return none, fmt.Errorf("encode the stored resource: %w", err)
	}
	merged, err := jsonpatch.MergePatch(doc, r.body)
	if err != nil {
		return none, fmt.Errorf("merge a patch: %w", err)
	}
	return unmarshal[T](merged, nullAbsent, serverSet)
}

func unmarshal[T any](body []byte, null nulls, serverSet []string) (T, error) {
	if err := checkDepth(body); err != nil {
		var none T
		return none, err
	}
	read := func(b []byte) (v T, err error) { return v, json.Unmarshal(b, &v, strict) }
	v, err := read(body)
	if err == nil && isObject(body) {
		var p dossier.Problems
		p.AddAll(findNulls[T](body, null))
		return v, p.Err()
	}
	var none T
	return none, explain(body, serverSet, func(b []byte) ([]dossier.FieldError, error) {
		_, err := read(b)
		return findNulls[T](b, null), err
	})
}

func isObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}

// malformed returns the error for invalid or ambiguous JSON.
func malformed(err error) *dossier.Error {
	e := dossier.Errorf(dossier.CodeMalformed, "The body is not valid JSON.")
	syntax := (*jsontext.SyntacticError)(nil)
	if !errors.As(err, &syntax) {
		return e
	}
	pointer := string(syntax.JSONPointer)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		e.Detail = "The body has the same member twice."
		e.Fields = []dossier.FieldError{
			{Pointer: pointer, Code: dossier.ProblemDuplicate,
				Message: dossier.Subject(pointer) + " is given more than once."},
		}
		return e
	}
	e.Fields = []dossier.FieldError{{Pointer: pointer, Code: dossier.ProblemMalformed,
		Message: fmt.Sprintf("The JSON is invalid at byte %d.", syntax.ByteOffset)}}
	return e
}

// checkDepth limits the nesting of a body. A cheap byte scan comes first, so that valid bodies are
// not parsed twice.
func checkDepth(body []byte) error {
	depth, deepest, text := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case !text && (c == '{' || c == '['):
			depth++
			deepest = max(deepest, depth)
		case !text && (c == '}' || c == ']'):
			depth--
		}
	}
	if deepest <= maxDepth {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(body))
	for d.StackDepth() <= maxDepth {
		if _, err := d.ReadToken(); err != nil {
			return malformed(err)
		}
	}
	e := dossier.Errorf(dossier.CodeMalformed, "The body is nested too deeply.")
	e.Fields = []dossier.FieldError{
		{Pointer: string(d.StackPointer()), Code: dossier.ProblemTooDeep,
			Message: fmt.Sprintf("The body is nested more than %d levels deep.", maxDepth)},
	}
	return e
}

// checkMembers limits the members of each object of a valid body.
func checkMembers(body []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(body), strict)
	for {
		if _, err := d.ReadToken(); err != nil {
			return nil // the end: the body has been read before
		}
		kind, length := d.StackIndex(d.StackDepth())
		if kind == '{' && length > 2*maxMembers {
			var p dossier.Problems
			p.Say(string(d.StackPointer().Parent()), dossier.ProblemTooMany,
				"has more than %d members", maxMembers)
			return p.Err()
		}
	}
}
