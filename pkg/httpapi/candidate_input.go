package httpapi

import (
	"maps"
	"reflect"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// candidateServerSet lists the members of a candidate, beside the usual ones, that the service
// sets.
var candidateServerSet = []string{"status", "statusReason", "passVerification", "forms",
	"presetIds"}

// validateCustomFields records what is wrong with the values of custom fields of an entity.
// Unchanged values are skipped, since their field may be deleted; if nothing changed, storage is
// not read.
func (a *API) validateCustomFields(r *request, p *dossier.Problems, entity string,
	values, before map[string]any) error {
	if len(values) > dossier.MaxCustomFields {
		p.Add("/customFields", dossier.ProblemTooMany, "There are more than %d customFields.",
			dossier.MaxCustomFields)
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
	types, err := a.store.CustomFieldTypes(r.Context(), r.company(), entity)
	if err != nil {
		return err
	}
	p.FieldValues("/customFields", types, values, changed)
	return nil
}
