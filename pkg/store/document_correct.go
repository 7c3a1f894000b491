package store

import (
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The bounds of the values that a reviewer gives.
const (
	maxCorrections    = 200    // of one document
	maxCorrectedBytes = 64_000 // of the values of a document as JSON, once they are corrected
)

// enteredValue is one value that a reviewer entered. Without a value, the parsed one is removed.
type enteredValue struct {
	reference string
	value     any
}

// correct writes what a reviewer entered over what was read, and notes beside it what was read and
// who changed it. With the parser none, whose values nobody else gives, those that the check
// requires have to be there then.
func (c *candidateTx) correct(d *StoredDocument, check dossier.Check, parsed map[string]any) error {
	var p dossier.Problems
	values := entered(&p, check, parsed)
	if err := p.Err(); err != nil {
		return err
	}
	d.Parsed = deepCopy(d.Parsed)
	d.Corrections = slices.Clone(d.Corrections)
	for _, v := range values {
		c.correctOne(d, v)
	}
	if check.Parser == dossier.ParserNone {
		missingValues(&p, check, d.Parsed)
	}
	if len(values) > 0 {
		tooManyBytes(&p, d.Parsed)
	}
	return p.Err()
}

// entered lists the values that a person gave for a document, and records what is wrong with them.
func entered(p *dossier.Problems, check dossier.Check, parsed map[string]any) []enteredValue {
	values := flatten(p, check, parsed, "")
	if len(values) > maxCorrections {
		p.Say("/parsed", dossier.ProblemTooMany, "have more than %d values", maxCorrections)
	}
	for _, v := range values {
		checkValue(p, check, v)
	}
	return values
}

// missingValues records the values that the check requires and a document lacks.
func missingValues(p *dossier.Problems, check dossier.Check, parsed map[string]any) {
	for _, reference := range check.Required {
		if v, ok := dossier.Lookup(parsed, reference); !ok || v == nil {
			p.Say(pointerOf(reference), dossier.ProblemRequired, "is missing")
		}
	}
}

// tooManyBytes records the values of a document that are too large together.
func tooManyBytes(p *dossier.Problems, parsed map[string]any) {
	if text, err := json.Marshal(parsed); err != nil || len(text) > maxCorrectedBytes {
		p.Add("/parsed", dossier.ProblemTooLong,
			"With these corrections, the values of the document would have more than %d bytes.",
			maxCorrectedBytes)
	}
}

// correctOne sets one value. The values that the check read stay those before the first correction;
// setting a value to itself is no correction.
func (c *candidateTx) correctOne(d *StoredDocument, v enteredValue) {
	before, _ := dossier.Lookup(d.Parsed, v.reference)
	if reflect.DeepEqual(before, v.value) {
		return
	}
	setNested(d.Parsed, v.reference, v.value)
	read := before
	at := slices.IndexFunc(d.Corrections, func(k dossier.Correction) bool {
		return k.Reference == v.reference
	})
	if at >= 0 {
		read = d.Corrections[at].Read
		d.Corrections = slices.Delete(d.Corrections, at, at+1)
	}
	if reflect.DeepEqual(read, v.value) {
		return
	}
	by := dossier.Actor{Kind: dossier.AuthorSystem, ID: dossier.AuthorSystem}
	if c.cause.Principal != nil {
		by = *c.cause.Principal
	}
	d.Corrections = append(d.Corrections, dossier.Correction{
		Reference: v.reference, Read: read, Value: v.value, ChangedBy: by, ChangedAt: c.now})
}

// flatten lists the values of a nested object by their dotted references, in their order. What
// can't be the name of a value, or is none that the check knows, is recorded.
func flatten(p *dossier.Problems, check dossier.Check, object map[string]any,
	prefix string) []enteredValue {
	var all []enteredValue
	known := check.References()
	for _, name := range sortedKeys(object) {
		reference := prefix + name
		inner, nested := object[name].(map[string]any)
		switch {
		case strings.Contains(name, "."):
			p.Say(pointerOf(prefix)+"/"+escaped(name), dossier.ProblemMalformed,
				"contains a dot. Nest the value in an object instead")
		case nested:
			all = append(all, flatten(p, check, inner, reference+".")...)
		case known != nil && !slices.Contains(known, reference):
			p.Add(pointerOf(prefix)+"/"+escaped(name), dossier.ProblemUnknown,
				"The parser of this document type does not read %q.", dossier.Clip(reference))
		default:
			before := p.Len()
			if p.DottedReference(pointerOf(prefix)+"/"+escaped(name), reference); p.Len() ==
				before {
				all = append(all, enteredValue{reference, object[name]})
			}
		}
	}
	return all
}

// pointerOf returns the JSON pointer of a value, or of the object behind a prefix with its last
// dot.
func pointerOf(reference string) string {
	reference = strings.TrimSuffix(reference, ".")
	if reference == "" {
		return "/parsed"
	}
	return "/parsed/" + strings.ReplaceAll(reference, ".", "/")
}

// escaped is a name as a token of a JSON pointer.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// checkValue records what is wrong with a value for its reference.
func checkValue(p *dossier.Problems, check dossier.Check, v enteredValue) {
	pointer := pointerOf(v.reference)
	text, isText := v.value.(string)
	_, isList := v.value.([]any)
	t := check.ValueType(v.reference)
	switch {
	case v.value == nil:
	case isText && strings.TrimSpace(text) == "":
		p.Say(pointer, dossier.ProblemTooShort, "is empty. Use null to remove the value")
	case t != "":
		p.Value(pointer, t, v.value)
	case isText:
		p.Value(pointer, dossier.FieldText, v.value)
	case isList:
		p.Value(pointer, dossier.FieldList, v.value)
	}
}

// deepCopy copies an object with the objects in it. Lists are never changed in place.
func deepCopy(object map[string]any) map[string]any {
	next := map[string]any{}
	for name, v := range object {
		if inner, nested := v.(map[string]any); nested {
			v = deepCopy(inner)
		}
		next[name] = v
	}
	return next
}

// setNested sets the value at a dotted reference, or takes it away where it is nil.
func setNested(object map[string]any, reference string, value any) {
	name, rest, nested := strings.Cut(reference, ".")
	switch {
	case nested:
		inner, ok := object[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[name] = inner
		}
		setNested(inner, rest, value)
	case value == nil:
		delete(object, name)
	default:
		object[name] = value
	}
}
