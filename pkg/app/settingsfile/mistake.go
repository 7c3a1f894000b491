package settingsfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// mistakes returns an error for each place of a value that its schema does not allow. The library
// tells the first mistake only and not where it is, so that it gets each place by itself.
func (s *Settings) mistakes(at string, schema, value any) (errs []error) {
	own := resolved(schema)
	switch v := value.(type) {
	case []any:
		for n, element := range v {
			errs = append(errs, s.mistakes(fmt.Sprintf("%s/%d", at, n), own["items"], element)...)
		}
	case map[string]any:
		properties, _ := own["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member, known := properties[name]
			if !known {
				member = own["additionalProperties"]
			}
			if member == false {
				errs = append(errs, s.wrong(at+"/"+name, "There is no such member."+
					dossier.DidYouMean(name, slices.Sorted(maps.Keys(properties)))))
				continue
			}
			errs = append(errs, s.mistakes(at+"/"+name, member, v[name])...)
		}
	}
	if err := mistake(own, value); err != nil {
		errs = append(errs, s.wrong(cmp.Or(at, "/"), err.Error()+nearest(own, value)))
	}
	return errs
}

// mistake compares a value with its schema, but not its members and elements with theirs.
func mistake(own map[string]any, value any) error {
	shallow := maps.Clone(own)
	for _, inside := range []string{"properties", "additionalProperties", "items", "$defs",
		"default"} {
		delete(shallow, inside)
	}
	if len(shallow) == 0 {
		return nil
	}
	if _, choice := own["anyOf"]; choice {
		shallow["$defs"] = Schema()["$defs"]
	}
	text, err := json.Marshal(shallow)
	if err != nil {
		return err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return err
	}
	compiled, err := schema.Resolve(nil)
	if err != nil {
		return err
	}
	err = compiled.Validate(value)
	if err != nil && schema.AnyOf != nil {
		return fmt.Errorf("the value does not fit, give: %s", schema.Description)
	}
	for errors.Unwrap(err) != nil { // the outer ones name schemas
		err = errors.Unwrap(err)
	}
	return err
}

// nearest returns a sentence that asks for the nearest of the words that a schema allows, or "".
func nearest(own map[string]any, value any) string {
	word, _ := value.(string)
	var words []string
	allowed, _ := own["enum"].([]any)
	for _, w := range allowed {
		words = append(words, fmt.Sprint(w))
	}
	return dossier.DidYouMean(word, words)
}
