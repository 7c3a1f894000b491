package settingsfile

import (
	"fmt"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// effectSections holds the section that the value of an expected change names.
var effectSections = map[string]string{
	dossier.ActionSendNotification: scenarios, dossier.ActionAddDocumentType: documentTypes,
	dossier.ActionRemoveDocumentType: documentTypes, dossier.ActionRemoveForm: forms,
	dossier.ActionApplyPreset: presets, dossier.EffectAddForm: forms,
}

// testReferences lists what the tests of rules name, in the form of the file.
func testReferences(e entity) (all []reference) {
	for n, test := range objects(e["tests"]) {
		at := fmt.Sprintf("/tests/%d", n)
		context, _ := test["context"].(entity)
		for m, d := range objects(context[documentTypes]) {
			all = append(all, member(fmt.Sprintf("%s/context/documentTypes/%d/documentType", at, m),
				documentTypes, d, "documentType"))
		}
		for m, f := range objects(context[forms]) {
			all = append(all, member(fmt.Sprintf("%s/context/forms/%d/form", at, m), forms, f,
				"form"))
		}
		if list, ok := context[presets].([]any); ok {
			all = append(all, elements(at+"/context/presets", presets, list)...)
		}
		expect, _ := test["expect"].(entity)
		for m, c := range objects(expect["changes"]) {
			if section := effectSections[fmt.Sprint(c["type"])]; section != "" {
				all = append(all, member(fmt.Sprintf("%s/expect/changes/%d/value", at, m), section,
					c, "value"))
			}
		}
	}
	return all
}

// testMembers lists the members of a test's context that have other names in the file than in the
// API, by the list whose elements have them; "" is the context itself.
var testMembers = map[string]struct{ api, file string }{
	documentTypes: {"id", "documentType"}, forms: {"id", "form"}, "": {"presetIds", presets},
}

// moveTestMembers renames members of the contexts of tests, to those of the file or of the API.
func moveTestMembers(tests any, toFile bool) {
	for _, test := range objects(tests) {
		context, _ := test["context"].(entity)
		for list, name := range testMembers {
			from, to := name.api, name.file
			if !toFile {
				from, to = to, from
			}
			holders := objects(context[list])
			if list == "" {
				holders = []entity{context}
			}
			for _, holder := range holders {
				if value, ok := holder[from]; ok {
					holder[to] = value
					delete(holder, from)
				}
			}
		}
	}
}

// namePositions replaces the ids of rules in tests by their positions: in a file rules have no ids.
func namePositions(tests, rules any) {
	positions := map[any]float64{}
	for n, r := range objects(rules) {
		positions[r["id"]] = float64(n + 1)
	}
	for _, test := range objects(tests) {
		expect, _ := test["expect"].(entity)
		for _, outcome := range objects(expect["rules"]) {
			if n := positions[outcome["id"]]; n > 0 {
				outcome["position"] = n
				delete(outcome, "id")
			}
		}
	}
}
