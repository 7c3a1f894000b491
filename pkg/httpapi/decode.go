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

// The bounds of a body's form.
const (
	maxDepth   = 64   // of nesting
	maxMembers = 1000 // of one object in a PATCH: merging is quadratic in them
)

// strict refuses what version 1 of encoding/json lets through: unknown and wrong-case members, duplicates, invalid UTF-8.
var strict = json.RejectUnknownMembers(true)

// decode reads the body, a JSON object, into a T. What is not JSON, or not the same to every reader of JSON, is MALFORMED_REQUEST. A
// member that T does not have or that has another type is VALIDATION_FAILED, each with its pointer; one that the service sets (`id`,
// `state`, `…At`, and the members in serverSet) is named as such. So is null, which is no value.
func decode[T any](r *request, serverSet ...string) (T, error) {
	return unmarshal[T](r.body, nullRefused, serverSet)
}

// decodePatch applies the body as a JSON Merge Patch (RFC 7396) to current, the resource in the shape of a request, and reads the
// result like decode. A member that T does not have is named also where its value is null.
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
		return none, fmt.Errorf("encode what is patched: %w", err)
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

func isObject(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) }

// malformed is the error of a body that is not JSON, or not the same to every reader of JSON.
func malformed(err error) *dossier.Error {
	e := dossier.Errorf(dossier.CodeMalformed, "The body is not valid JSON.")
	syntax := (*jsontext.SyntacticError)(nil)
	if !errors.As(err, &syntax) {
		return e
	}
	pointer := string(syntax.JSONPointer)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		e.Detail = "The body has a member twice."
		e.Fields = []dossier.FieldError{{Pointer: pointer, Code: "duplicate", Message: "is there more than once"}}
		return e
	}
	e.Fields = []dossier.FieldError{{Pointer: pointer, Code: "malformed", Message: fmt.Sprintf("is not valid JSON at byte %d", syntax.ByteOffset)}}
	return e
}

// checkDepth bounds the nesting of a body. The bytes are counted first, because reading a body twice costs the good ones too.
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
	e := dossier.Errorf(dossier.CodeMalformed, "The body is nested too deep.")
	e.Fields = []dossier.FieldError{{Pointer: string(d.StackPointer()), Code: "tooDeep", Message: fmt.Sprintf("is nested more than %d deep", maxDepth)}}
	return e
}

// checkMembers bounds the members of each object of a valid body.
func checkMembers(body []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(body), strict)
	for {
		if _, err := d.ReadToken(); err != nil {
			return nil // the end: the body has been read before
		}
		kind, length := d.StackIndex(d.StackDepth())
		if kind == '{' && length > 2*maxMembers {
			var p dossier.Problems
			p.Add(string(d.StackPointer().Parent()), "tooMany", "has more than %d members", maxMembers)
			return p.Err()
		}
	}
}
