package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const (
	maxProblems = 50      // in one response
	maxReread   = 2 << 20 // bytes to read again while looking for more mistakes
)

// rawNumbers keeps numbers as they are written, so that a tree reads again as the body did.
var rawNumbers = json.WithUnmarshalers(
	json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) error {
		if d.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		raw, err := d.ReadValue()
		*v = raw.Clone()
		return err
	}))

// explain lists everything that is wrong with a body that read refuses: it removes the refused
// places and reads the rest again until nothing is refused. read also returns the places of null,
// some of which explain itself has put there.
func explain(body []byte, serverSet []string,
	read func([]byte) ([]dossier.FieldError, error)) error {
	var raw jsontext.Value
	if err := json.Unmarshal(body, &raw, strict); err != nil {
		return malformed(err)
	}
	var tree any
	if err := json.Unmarshal(body, &tree, strict, rawNumbers); err != nil {
		return malformed(err)
	}
	x := explanation{tree: tree, serverSet: serverSet, seen: map[string]bool{}}
	if _, ok := tree.(map[string]any); !ok {
		x.problems = append(x.problems,
			dossier.FieldError{Code: dossier.ProblemWrongType,
				Message: "The body must be an object."})
		return x.err()
	}
	for range 1 + maxReread/(len(body)+1) {
		rest, err := json.Marshal(x.tree, json.Deterministic(true))
		if err != nil {
			return malformed(err)
		}
		refused := (*json.SemanticError)(nil)
		nulls, err := read(rest)
		if err == nil {
			x.addNulls(nulls)
		}
		if !errors.As(err, &refused) || !x.add(refused) || len(x.problems) >= maxProblems {
			break
		}
	}
	return x.err()
}

// explanation holds the mistakes found so far and the rest of the body.
type explanation struct {
	tree      any
	serverSet []string
	seen      map[string]bool // pointers
	problems  []dossier.FieldError
}

func (x *explanation) err() error {
	slices.SortStableFunc(x.problems, func(a, b dossier.FieldError) int {
		return cmp.Compare(a.Pointer, b.Pointer)
	})
	var p dossier.Problems
	p.AddAll(x.problems[:min(len(x.problems), maxProblems)])
	if err := p.Err(); err != nil {
		return err
	}
	return dossier.Errorf(dossier.CodeMalformed, "The body cannot be decoded.")
}

// add records the place of one error and removes it from the tree. It returns false if that makes
// no progress.
func (x *explanation) add(e *json.SemanticError) bool {
	pointer := e.JSONPointer
	if x.seen[string(pointer)] {
		return false
	}
	x.seen[string(pointer)] = true
	if errors.Is(e.Err, json.ErrUnknownName) {
		return x.addUnknown(pointer.Parent(), memberNames(e.GoType))
	}
	var p dossier.Problems
	sayExpected(&p, string(pointer), e)
	x.problems = append(x.problems, p.List()...)
	return x.clear(pointer)
}

// addNulls records the places of null that clear did not make.
func (x *explanation) addNulls(found []dossier.FieldError) {
	for _, f := range found {
		if !x.seen[f.Pointer] {
			x.problems = append(x.problems, f)
		}
	}
}

// addUnknown records and removes every unknown member of one object.
func (x *explanation) addUnknown(object jsontext.Pointer, known []string) bool {
	members, ok := x.find(object).(map[string]any)
	if !ok {
		return false
	}
	found := false
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(known, name) {
			continue
		}
		found = true
		delete(members, name)
		p := dossier.FieldError{Pointer: string(object.AppendToken(name)),
			Code: dossier.ProblemUnknown,
			Message: fmt.Sprintf("There is no member %q here.%s", dossier.Clip(name),
				dossier.Hint(name, known, "members"))}
		if x.isServerSet(object, name) {
			p.Code, p.Message = dossier.ProblemReadOnly,
				fmt.Sprintf("The service sets %q itself.", dossier.Clip(name))
		}
		x.problems = append(x.problems, p)
	}
	return found
}

func (x *explanation) isServerSet(object jsontext.Pointer, name string) bool {
	return name == "id" || name == "state" || len(name) > 2 && strings.HasSuffix(name, "At") ||
		object == "" && slices.Contains(x.serverSet, name)
}

// find returns the value at a pointer.
func (x *explanation) find(p jsontext.Pointer) any {
	at := x.tree
	for token := range p.Tokens() {
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

// clear replaces a value with null, which every type accepts.
func (x *explanation) clear(p jsontext.Pointer) bool {
	switch v := x.find(p.Parent()).(type) {
	case map[string]any:
		v[p.LastToken()] = nil
		return true
	case []any:
		i, err := strconv.Atoi(p.LastToken())
		if err != nil || i < 0 || i >= len(v) {
			return false
		}
		v[i] = nil
		return true
	}
	return false
}

// sayExpected records which type a value has to have.
func sayExpected(p *dossier.Problems, pointer string, e *json.SemanticError) {
	if errors.Is(e.Err, strconv.ErrRange) {
		p.Say(pointer, dossier.ProblemOutOfRange, "is out of range")
		return
	}
	t := e.GoType
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		p.Say(pointer, dossier.ProblemWrongType, "has the wrong type")
	case t == reflect.TypeFor[dossier.Time]():
		p.Say(pointer, dossier.ProblemWrongType,
			"must be an RFC 3339 timestamp, such as 2026-01-31T12:00:00Z")
	case t == reflect.TypeFor[[]byte]():
		p.Say(pointer, dossier.ProblemWrongType, "must be a text in base64")
	default:
		p.Say(pointer, dossier.ProblemWrongType, "must be %s", kindName(t.Kind()))
	}
}

func kindName(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not negative"
	}
	return "of the right type"
}

// memberNames returns the JSON names of the fields of a struct type.
func memberNames(t reflect.Type) []string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, memberNames(f.Type)...)
		case f.IsExported() && name == "":
			names = append(names, f.Name)
		case f.IsExported() && name != "-":
			names = append(names, name)
		}
	}
	return names
}
