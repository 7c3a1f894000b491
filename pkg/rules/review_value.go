package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// value checks the value that a condition compares with.
func (v *review) value(at string, c dossier.Condition) {
	o := dossier.OperatorNamed(c.Operator)
	if !o.NeedsValue {
		if c.Value != nil {
			v.add(at, "notAllowed", "The operator %s takes no value. Leave out the value.",
				c.Operator)
		}
		return
	}
	v.ids(at, c)
	list, isList := c.Value.([]any)
	switch {
	case c.Value == nil:
		v.add(at, "required", "The operator %s needs a value to compare with.", c.Operator)
	case !isList:
		v.scalar(at, c.Value, o)
	case len(list) == 0:
		v.add(at, "required", "The list is empty, so there is no value to compare with.")
	case len(list) > maxValues:
		v.add(at, "tooMany", "The list has more than %d values.", maxValues)
	}
	if len(list) <= maxValues {
		for i, e := range list {
			v.scalar(fmt.Sprintf("%s/%d", at, i), e, o)
		}
	}
}

// IDs returns the ids of document types, forms or presets that a condition compares with; none if
// it reads something else.
func IDs(c dossier.Condition) []string {
	if c.Type != dossier.ConditionContext {
		return nil
	}
	switch where, _ := contextSource(c.Reference); where {
	case fromDocumentTypes, fromForms, fromPresets:
	default:
		return nil
	}
	list, isList := c.Value.([]any)
	if !isList {
		list = []any{c.Value}
	}
	var ids []string
	for _, x := range list {
		if id, ok := x.(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// ids checks that the ids a condition compares with are of the kind that its reference reads.
func (v *review) ids(at string, c dossier.Condition) {
	where, _ := contextSource(c.Reference)
	wanted := map[source]string{fromDocumentTypes: kindDocumentType, fromForms: kindForm,
		fromPresets: kindPreset}[where]
	for _, id := range IDs(c) {
		if v.kindOf(id) != wanted {
			v.add(at, "unknown", "There is no %s with the id %s.", wanted, quoted(id))
		}
	}
}

func (v *review) scalar(at string, x any, o dossier.Operator) {
	switch x := x.(type) {
	case string:
		switch {
		case length(x) > maxValueText:
			v.add(at, "tooLong", "A value can have at most %d characters.", maxValueText)
		case trim(x) == "" && !comparisonOf(o).emptyText:
			v.add(at, "required",
				"An empty text is part of nothing, so the condition would never match.")
		}
	case float64, bool:
	default:
		v.add(at, "wrongType", "A value must be a text, a number, a boolean, or a list of these.")
	}
}

// action checks one action and that its target is there and of the right kind.
func (v *review) action(at string, a dossier.Action) {
	if !v.word(at+"/type", a.Type, actionNames) {
		return
	}
	t := actionNamed(a.Type)
	if a.Metadata != nil && !t.Metadata {
		v.add(at+"/metadata", "notAllowed", "The action %s takes no metadata.", a.Type)
	} else {
		v.metadata(at+"/metadata", a.Metadata)
	}
	wanted := t.Target
	switch found := v.kindOf(a.Value); {
	case a.Value == "":
		v.add(at+"/value", "required", "The value is missing. It must be the id of a %s.", wanted)
	case found == "":
		v.add(at+"/value", "unknown", "There is no %s with the id %s.", wanted, quoted(a.Value))
	case found != wanted:
		v.add(at+"/value", "wrongType", "%s is the id of a %s, not of a %s.", quoted(a.Value),
			found, wanted)
	case wanted == kindScenario && !v.known.Scenarios[a.Value]:
		v.add(at+"/value", "wrongType", "The scenario %s has no notification to send.",
			quoted(a.Value))
	case wanted == kindScenario && len(v.known.EventOnly[a.Value]) > 0:
		v.add(at+"/value", "notAllowed",
			"The notification of the scenario %s contains %s, which a rule has no value for. "+
				"The possible placeholders in a rule are: %s.", quoted(a.Value),
			dossier.Marked(v.known.EventOnly[a.Value]), dossier.Marked(dossier.RulePlaceholders))
	}
}

// kindOf returns the kind of the entity with an id, or "".
func (v *review) kindOf(id string) string {
	if _, ok := v.known.Scenarios[id]; ok {
		return kindScenario
	}
	switch {
	case id == "":
		return ""
	case v.known.DocumentTypes[id] || id == v.known.TypeID:
		return kindDocumentType
	case v.known.Forms[id]:
		return kindForm
	case v.known.Presets[id]:
		return kindPreset
	}
	return ""
}

// metadata checks the members of metadata that are honoured, and its size.
func (v *review) metadata(at string, m map[string]any) {
	if m == nil {
		return
	}
	if b, err := json.Marshal(m); err != nil || len(b) > dossier.MaxMetadata {
		v.add(at, "tooLong", "Metadata can have at most %d bytes as JSON.", dossier.MaxMetadata)
		return
	}
	if x, ok := m["required"]; ok {
		if _, ok := x.(bool); !ok {
			v.add(at+"/required", "wrongType", "The member required must be true or false.")
		}
	}
	if x, ok := m["dueAt"]; ok {
		s, _ := x.(string)
		if _, err := time.Parse(time.RFC3339Nano, s); err != nil {
			v.add(at+"/dueAt", "wrongType",
				"The member dueAt must be an RFC 3339 timestamp, such as 2026-01-31T12:00:00Z.")
		}
	}
	if x, ok := m["customFields"]; ok {
		v.customFields(at+"/customFields", x)
	}
}

func (v *review) customFields(at string, x any) {
	fields, ok := x.(map[string]any)
	if !ok {
		v.add(at, "wrongType",
			"The member customFields must be an object that maps references of document custom fields to values.")
		return
	}
	for _, ref := range slices.Sorted(maps.Keys(fields)) {
		pointer := at + "/" + pointerEscape.Replace(ref)
		t, known := v.known.DocumentFields[ref]
		if !known {
			v.add(pointer, "unknown", "There is no document custom field %s.%s", quoted(ref),
				v.hint(ref, prefixed("", v.known.DocumentFields), "references"))
			continue
		}
		var p dossier.Problems
		p.Value(pointer, t, fields[ref])
		v.addAll(p)
	}
}

// pointerEscape writes a member name as a segment of an RFC 6901 pointer.
var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

func length(s string) int { return utf8.RuneCountInString(s) }
