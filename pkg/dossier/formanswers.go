package dossier

import (
	"maps"
	"slices"
)

// FieldValues records, of the named members of the object at a pointer, those that are of no field
// and those that their field can't have. types maps the references of the fields to their types.
func (p *Problems) FieldValues(pointer string, types map[string]string, values map[string]any,
	named []string) {
	known := slices.Sorted(maps.Keys(types))
	for _, reference := range named {
		at := Member(pointer, reference)
		if fieldType, ok := types[reference]; ok {
			p.Value(at, fieldType, values[reference])
		} else {
			p.Add(at, ProblemUnknown, "There is no field with the reference %q.%s", Clip(reference),
				Hint(reference, known, "references"))
		}
	}
}

// Answers records the errors of the answers to a form. An empty text is no answer.
func (p *Problems) Answers(pointer string, f Form, answers map[string]any) {
	types := map[string]string{}
	for _, field := range f.Fields {
		types[field.Reference] = field.Type
		if v, ok := answers[field.Reference]; field.Required && (!ok || v == "") {
			p.Say(Member(pointer, field.Reference), ProblemRequired, "is missing")
		}
	}
	p.FieldValues(pointer, types, answers, slices.Sorted(maps.Keys(answers)))
}
