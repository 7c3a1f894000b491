package settingsfile

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
)

const (
	documentRef = "#/components/schemas/"
	ownRef      = "#/$defs/"
)

// Schema returns the JSON Schema of the file, made of the bodies of the OpenAPI document. It must
// not be changed.
var Schema = sync.OnceValue(func() map[string]any {
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(openapi.Document, &document); err != nil {
		panic(err) // a test reads it
	}
	all := document.Components.Schemas
	withNames(all)
	definitions, sections := map[string]any{}, map[string]any{}
	for _, k := range kinds {
		sections[k.section] = map[string]any{"type": "array",
			"items": own(map[string]any{"$ref": documentRef + k.schema}, all, definitions)}
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Settings of Dossier",
		"description": "Settings name each other by their names; a registration page has its slug.",
		"type":        "object", "properties": sections, "additionalProperties": false,
		"$defs": definitions,
	}
})

// withNames changes the members of bodies that hold ids into those that hold names.
func withNames(all map[string]any) {
	property := func(schema string) map[string]any {
		return all[schema].(map[string]any)["properties"].(map[string]any)
	}
	rename := func(schema, from, to, description string) {
		p := property(schema)
		p[to] = described(p[from], description)
		delete(p, from)
	}
	rename("ScenarioCreate", "documentTypeIds", documentTypes,
		"Names of the document types that it asks for.")
	rename("PresetCreate", "documentTypeIds", documentTypes,
		"Names of the document types to ask for.")
	rename("PresetCreate", "formIds", forms, "Names of the forms to ask for.")
	rename("RegistrationPageCreate", "formIds", forms, "Names of the forms to ask for.")
	rename("RegistrationPageCreate", "presetId", "preset",
		"Name of a preset that is applied to everyone who registers.")
	rename("RelatedDocumentInput", "documentTypeId", "documentType", "Name of the document type.")
	all["RelatedDocumentInput"].(map[string]any)["required"] = []any{"documentType"}
	action := property("Action")
	action["value"] = described(action["value"], "Name of the entity that the action is about.")
	delete(property("RuleInput"), "id")
	rename("ContextDocumentType", "id", "documentType", "Name of the document type.")
	all["ContextDocumentType"].(map[string]any)["required"] = []any{"documentType"}
	rename("ContextForm", "id", "form", "Name of the form.")
	all["ContextForm"].(map[string]any)["required"] = []any{"form"}
	rename("RuleContext", "presetIds", presets, "Names of the presets that were applied.")
	delete(property("RuleOutcome"), "id")
	effect := property("RuleEffect")
	effect["value"] = described(effect["value"],
		"Name of the entity that the change is about; for setField the field.")
	property("DocumentTypeCreate")["rules"] = property("SubmissionInput")["rules"]
	property("DocumentTypeCreate")["tests"] = property("SubmissionInput")["tests"]
	delete(property("DocumentTypeCreate"), "submission")
}

// described returns a copy of a schema with another description.
func described(schema any, description string) map[string]any {
	c := maps.Clone(schema.(map[string]any))
	c["description"] = description
	return c
}

// own returns a copy of a schema that refers to definitions, to which it adds what it refers to.
func own(schema any, all, definitions map[string]any) any {
	switch s := schema.(type) {
	case []any:
		list := make([]any, len(s))
		for n := range s {
			list[n] = own(s[n], all, definitions)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, value := range s {
			text, isText := value.(string)
			target, found := strings.CutPrefix(text, documentRef)
			switch {
			case key == "$ref" && isText && found:
				object[key] = ownRef + target
				if definitions[target] == nil {
					definitions[target] = true // recursion ends here
					definitions[target] = own(all[target], all, definitions)
				}
			case key != "example" && key != "examples":
				object[key] = own(value, all, definitions)
			}
		}
		return object
	}
	return schema
}

// resolved returns the schema that a schema refers to.
func resolved(schema any) map[string]any {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		target := Schema()["$defs"].(map[string]any)[strings.TrimPrefix(ref, ownRef)]
		s, ok = target.(map[string]any)
		if !ok {
			panic("no schema " + ref) // a test resolves all
		}
	}
	return s
}

// nothingChanges is the member of an expectation that has a meaning when it is empty.
const nothingChanges = "changes"

// plain returns a value with the members that its schema knows, without those that are optional
// and have their default or are empty.
func plain(value, schema any) any {
	s := resolved(schema)
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for n := range v {
			list[n] = plain(v[n], s["items"])
		}
		return list
	case entity:
		properties, closed := s["properties"].(map[string]any)
		if !closed {
			return v // members of the customer's own
		}
		required, _ := s["required"].([]any)
		object := entity{}
		for key, member := range properties {
			if v[key] == nil {
				continue
			}
			kept := plain(v[key], member)
			standard, hasDefault := member.(map[string]any)["default"]
			if !hasDefault {
				standard = resolved(member)["default"]
			}
			said := !reflect.DeepEqual(kept, standard) && (standard != nil || !isEmpty(kept))
			if said || key == nothingChanges || slices.Contains(required, any(key)) {
				object[key] = kept
			}
		}
		return object
	}
	return value
}

// isEmpty reports whether a value is a list or an object with nothing in it.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case []any:
		return len(v) == 0
	case entity:
		return len(v) == 0
	}
	return value == ""
}
