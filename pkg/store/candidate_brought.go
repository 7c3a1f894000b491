package store

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// broughtBy lists the parts of a preset that a candidate did not have before it was applied.
type broughtBy struct {
	// by id, with the moment at which the preset requested it
	DocumentTypes map[string]dossier.Time `json:"documentTypes,omitzero"`
	Forms         []string                `json:"forms,omitzero"`
	Fields        map[string]broughtField `json:"fields,omitzero"` // by candidate key or cf_
}

// broughtField is a value that a preset set, and the one that it replaced, nil if there was none.
type broughtField struct {
	Value  any `json:"value"`
	Before any `json:"before,omitzero"`
}

// brought returns the record of a preset, a new one if there is none.
func (c *storedCandidate) brought(preset string) *broughtBy {
	if c.Brought == nil {
		c.Brought = map[string]*broughtBy{}
	}
	if c.Brought[preset] == nil {
		c.Brought[preset] = &broughtBy{}
	}
	return c.Brought[preset]
}

func (b *broughtBy) documentType(id string, at dossier.Time) {
	if b.DocumentTypes == nil {
		b.DocumentTypes = map[string]dossier.Time{}
	}
	b.DocumentTypes[id] = at
}

func (b *broughtBy) field(key string, f broughtField) {
	if b.Fields == nil {
		b.Fields = map[string]broughtField{}
	}
	b.Fields[key] = f
}

// forgetForm notes that a form is not the one that a preset brought any more.
func (c *storedCandidate) forgetForm(id string) {
	for _, b := range c.Brought {
		b.Forms = slices.DeleteFunc(b.Forms, func(form string) bool { return form == id })
	}
}

// field returns the value of a text field or cf_<reference>, nil if there is none.
func (c *storedCandidate) field(key string) any {
	if ref, custom := strings.CutPrefix(key, prefixCandidateField); custom {
		return c.CustomFields[ref]
	}
	if text := c.Text(key); text != nil && *text != "" {
		return *text
	}
	return nil
}

// setByPreset is setField for a value of a preset, whose record it keeps.
func (c *storedCandidate) setByPreset(preset, key string, value any,
	types map[string]string) bool {
	before := c.field(key)
	if !setField(&c.Candidate, key, value, types) {
		return false
	}
	c.brought(preset).field(key, broughtField{Value: c.field(key), Before: before})
	return true
}

// restoreField gives a field the value that a preset replaced.
func (c *storedCandidate) restoreField(key string, f broughtField) {
	if ref, custom := strings.CutPrefix(key, prefixCandidateField); !custom {
		text, _ := f.Before.(string)
		*c.Text(key) = text
	} else if f.Before == nil {
		delete(c.CustomFields, ref)
	} else {
		c.CustomFields[ref] = f.Before
	}
}

// passOn makes the presets that replaced the value of a preset replace the one before it.
func (c *storedCandidate) passOn(preset, key string, f broughtField) {
	for id, b := range c.Brought {
		other, ok := b.Fields[key]
		if ok && id != preset && reflect.DeepEqual(other.Before, f.Value) {
			other.Before = f.Before
			b.Fields[key] = other
		}
	}
}
