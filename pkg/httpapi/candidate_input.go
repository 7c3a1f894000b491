package httpapi

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// candidateValues are the fields of a candidate that requests set. nil is no value.
type candidateValues struct {
	ExternalID   *string        `json:"externalId,omitzero"`
	FirstName    *string        `json:"firstName,omitzero"`
	LastName     *string        `json:"lastName,omitzero"`
	Email        *string        `json:"email,omitzero"`
	Phone        *string        `json:"phone,omitzero"`
	BirthDate    *string        `json:"birthDate,omitzero"`
	Nationality  *string        `json:"nationality,omitzero"`
	Language     *string        `json:"language,omitzero"`
	CustomFields map[string]any `json:"customFields,omitzero"`
}

// candidateOwn are the members of a candidate, beside the usual ones, that the service sets.
var candidateOwn = []string{"status", "statusReason", "passVerification", "forms", "presetIds"}

// texts returns the text and date fields by JSON name.
func (v *candidateValues) texts() map[string]**string {
	return map[string]**string{
		"externalId": &v.ExternalID, "firstName": &v.FirstName, "lastName": &v.LastName, "email": &v.Email, "phone": &v.Phone,
		"birthDate": &v.BirthDate, "nationality": &v.Nationality, "language": &v.Language,
	}
}

// valuesOf returns what a candidate has, in the shape of a request.
func valuesOf(c *dossier.Candidate) candidateValues {
	v := candidateValues{CustomFields: maps.Clone(c.CustomFields)}
	for key, field := range v.texts() {
		if text := *c.Text(key); text != "" {
			*field = &text
		}
	}
	return v
}

// setOn gives the values to a candidate.
func (v *candidateValues) setOn(c *dossier.Candidate) {
	for key, field := range v.texts() {
		*c.Text(key) = ""
		if *field != nil {
			*c.Text(key) = **field
		}
	}
	c.CustomFields = v.CustomFields
}

// check notes what is wrong with the text and date fields. Those that are as in before, which rules may have set, are left alone.
func (v *candidateValues) check(p *dossier.Problems, before candidateValues) {
	texts, old := v.texts(), before.texts()
	for _, key := range dossier.TextKeys {
		field := *texts[key]
		if field == nil || *old[key] != nil && **old[key] == *field {
			continue
		}
		if code, message := dossier.ValidateText(key, *field); code != "" {
			p.Add("/"+key, code, "%s", message)
		}
	}
}

// checkText notes what is wrong with a text that has to be there: nothing in it, or more than longest characters.
func checkText(p *dossier.Problems, pointer, text string, longest int) {
	switch {
	case strings.TrimSpace(text) == "":
		p.Add(pointer, "required", "is missing or blank")
	case utf8.RuneCountInString(text) > longest:
		p.Add(pointer, "tooLong", "is longer than %d characters", longest)
	}
}

// checkCustomFields notes what is wrong with the values of custom fields of an entity, beside those that are as before: their custom
// field may be gone. Without another value it reads nothing.
func (a *API) checkCustomFields(ctx context.Context, p *dossier.Problems, company, entity string, values, before map[string]any) error {
	if len(values) > dossier.MaxCustomFields {
		p.Add("/customFields", "tooMany", "has more than %d values", dossier.MaxCustomFields)
		return nil
	}
	var changed []string
	for _, reference := range slices.Sorted(maps.Keys(values)) {
		if old, ok := before[reference]; !ok || !reflect.DeepEqual(old, values[reference]) {
			changed = append(changed, reference)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	types, err := a.store.CustomFieldTypes(ctx, company, entity)
	if err != nil {
		return err
	}
	checkValuesOf(p, "/customFields", types, values, changed)
	return nil
}

// checkValuesOf notes the values, of those named, that are of no field or of another type than their field.
func checkValuesOf(p *dossier.Problems, at jsontext.Pointer, types map[string]string, values map[string]any, named []string) {
	known := slices.Sorted(maps.Keys(types))
	for _, reference := range named {
		pointer := string(at.AppendToken(reference))
		fieldType, ok := types[reference]
		if !ok {
			p.Add(pointer, "unknown", "%q is no reference of a field%s", clip(reference), suggest(reference, known))
			continue
		}
		if wrong := dossier.ValidateValue(fieldType, values[reference]); wrong != "" {
			p.Add(pointer, "invalidType", "%s", wrong)
		}
	}
}

// checkAnswers returns what is wrong with the answers to a form. An empty text is no answer.
func checkAnswers(f dossier.Form, answers map[string]any) error {
	var p dossier.Problems
	at := jsontext.Pointer("/answers")
	types := map[string]string{}
	for _, field := range f.Fields {
		types[field.Reference] = field.Type
		if v, ok := answers[field.Reference]; field.Required && (!ok || v == "") {
			p.Add(string(at.AppendToken(field.Reference)), "required", "is missing")
		}
	}
	checkValuesOf(&p, at, types, answers, slices.Sorted(maps.Keys(answers)))
	return p.Err()
}
