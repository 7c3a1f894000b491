package settingsfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// names translates between ids and names of the settings of a company.
type names struct {
	byID map[string]string            // id to name
	ids  map[string]map[string]string // section and name to id, "" for more than one
}

func newNames() *names { return &names{map[string]string{}, map[string]map[string]string{}} }

func (n *names) add(section, name, id string) {
	if n.ids[section] == nil {
		n.ids[section] = map[string]string{}
	}
	if _, twice := n.ids[section][name]; twice {
		id = ""
	}
	n.ids[section][name] = id
	n.byID[id] = name
}

// reference is a place of an entity that names something else.
type reference struct {
	pointer string // into the entity as it stands in the file
	section string
	name    string
	set     func(string)
}

// actionSections holds the section that the value of an action names.
var actionSections = map[string]string{
	dossier.ActionSendNotification: scenarios, dossier.ActionAddDocumentType: documentTypes,
	dossier.ActionRemoveDocumentType: documentTypes, dossier.ActionRemoveForm: forms,
	dossier.ActionApplyPreset: presets,
}

// references lists what an entity names, in the form of the file.
func references(e entity) (all []reference) {
	for _, section := range []string{documentTypes, forms} {
		if list, ok := e[section].([]any); ok {
			all = append(all, elements("/"+section, section, list)...)
		}
	}
	if _, ok := e["preset"].(string); ok {
		all = append(all, member("/preset", presets, e, "preset"))
	}
	for n, d := range objects(e["documents"]) {
		all = append(all, member(fmt.Sprintf("/documents/%d/documentType", n), documentTypes, d,
			"documentType"))
	}
	for n, rule := range objects(e["rules"]) {
		at := fmt.Sprintf("/rules/%d", n)
		for m, c := range objects(rule["conditions"]) {
			all = append(all, conditionReferences(fmt.Sprintf("%s/conditions/%d/value", at, m),
				c)...)
		}
		for m, a := range objects(rule["actions"]) {
			section := actionSections[fmt.Sprint(a["type"])]
			all = append(all, member(fmt.Sprintf("%s/actions/%d/value", at, m), section, a,
				"value"))
		}
	}
	return append(all, testReferences(e)...)
}

// conditionReferences lists what a condition on the candidate's document types, forms or presets
// compares with.
func conditionReferences(at string, c entity) []reference {
	section, _ := c["reference"].(string)
	if c["type"] != dossier.ConditionContext ||
		!slices.Contains([]string{documentTypes, forms, presets}, section) {
		return nil
	}
	if list, ok := c["value"].([]any); ok {
		return elements(at, section, list)
	}
	if _, ok := c["value"].(string); ok {
		return []reference{member(at, section, c, "value")}
	}
	return nil
}

func member(pointer, section string, e entity, key string) reference {
	return reference{pointer, section, fmt.Sprint(e[key]), func(s string) { e[key] = s }}
}

func elements(pointer, section string, list []any) (all []reference) {
	for n := range list {
		all = append(all, reference{fmt.Sprintf("%s/%d", pointer, n), section,
			fmt.Sprint(list[n]), func(s string) { list[n] = s }})
	}
	return all
}

// objects returns the objects of a list.
func objects(list any) (all []entity) {
	elements, _ := list.([]any)
	for _, element := range elements {
		e, _ := element.(entity)
		all = append(all, e)
	}
	return all
}

// renamed lists the members that have other names in the file than in the API.
var renamed = map[string]string{"documentTypeIds": documentTypes, "formIds": forms,
	"presetId": "preset"}

// toFile returns an entity of the API as it stands in the file.
func (n *names) toFile(k *kind, live entity) entity {
	e := clone(live)
	for from, to := range renamed {
		if e[from] != nil {
			e[to] = e[from]
		}
	}
	if list := objects(e[documentTypes]); len(list) > 0 && list[0] != nil {
		ids := make([]any, len(list))
		for i, dt := range list {
			ids[i] = dt["id"]
		}
		e[documentTypes] = ids
	}
	for _, d := range objects(e["documents"]) {
		d["documentType"] = d["documentType"].(entity)["id"]
	}
	if submission, ok := e["submission"].(entity); ok {
		e["rules"], e["tests"] = submission["rules"], submission["tests"]
		moveTestMembers(e["tests"], true)
		namePositions(e["tests"], e["rules"])
	}
	for _, r := range references(e) {
		if name, known := n.byID[r.name]; known {
			r.set(name)
		}
	}
	return plain(e, entity{"$ref": ownRef + k.schema}).(entity)
}

// toAPI returns an entity of the file as the API takes it, and the references that name nothing.
func (n *names) toAPI(file entity) (e entity, unknown []reference) {
	e = clone(file)
	for _, r := range references(e) {
		id := n.ids[r.section][r.name]
		if id == "" {
			unknown = append(unknown, r)
		}
		r.set(id)
	}
	for to, from := range renamed {
		if e[from] != nil {
			e[to] = e[from]
			delete(e, from)
		}
	}
	for _, d := range objects(e["documents"]) {
		d["documentTypeId"] = d["documentType"]
		delete(d, "documentType")
	}
	submission := entity{}
	moveTestMembers(e["tests"], false)
	for _, member := range []string{"rules", "tests"} {
		if e[member] != nil {
			submission[member] = e[member]
			delete(e, member)
		}
	}
	if len(submission) > 0 {
		if submission["rules"] == nil {
			submission["rules"] = []any{}
		}
		e["submission"] = submission
	}
	return e, unknown
}

// problem says what is wrong with a reference that names nothing, or more than one thing.
func (n *names) problem(r reference) string {
	word := kindOf(r.section).word
	if _, known := n.ids[r.section][r.name]; known {
		return fmt.Sprintf("More than one %s has the name %q.", word, r.name)
	}
	return fmt.Sprintf("There is no %s with the name %q.%s", word, r.name,
		dossier.DidYouMean(r.name, slices.Sorted(maps.Keys(n.ids[r.section]))))
}

func kindOf(section string) *kind {
	return kinds[slices.IndexFunc(kinds, func(k *kind) bool { return k.section == section })]
}

// clone returns a deep copy of an entity.
func clone(e entity) entity {
	copied, err := converted[entity](e, nil)
	if err != nil {
		// it came from JSON
		panic(fmt.Sprintf("%s is no JSON: %v", strings.TrimSpace(name(e)), err))
	}
	return copied
}
