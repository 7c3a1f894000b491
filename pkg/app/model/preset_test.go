package model

import (
	"cmp"
	"slices"
	"time"

	"pgregory.net/rapid"
)

// brought lists the parts that a preset brought to a candidate, and nobody has taken away since.
type brought struct {
	types  map[*docType]time.Time // when the preset asked for it
	forms  []*form
	fields map[string]broughtField
}

// broughtField is a value of a preset, and the one that it replaced.
type broughtField struct{ value, before any }

// record returns what a preset brought; for one that is not known yet, nothing.
func (c *candidate) record(p *preset) *brought {
	if c.brought[p] == nil {
		c.brought[p] = &brought{types: map[*docType]time.Time{}, fields: map[string]broughtField{}}
	}
	return c.brought[p]
}

// field is the value of a text field or custom field; nil for none.
func (c *candidate) field(key string) any {
	if reference, custom := cutCustom(key); custom {
		return c.fields[reference]
	}
	if text := c.texts[key]; text != "" {
		return text
	}
	return nil
}

// setFor sets a value of a preset, and reports whether that changed the candidate.
func (c *candidate) setFor(p *preset, key string) bool {
	before := c.field(key)
	if !c.set(key, p.set[key]) {
		return false
	}
	c.record(p).fields[key] = broughtField{c.field(key), before}
	return true
}

// forget notes that no preset brought a form: somebody has taken it away.
func (c *candidate) forget(f *form) {
	for _, b := range c.brought {
		b.forms = slices.DeleteFunc(b.forms, func(o *form) bool { return o == f })
	}
}

// presetChange is the effect of applying a preset, or of taking it back.
type presetChange struct {
	of            *candidate
	preset        *preset
	why           cause
	changed, kept []any
	fields        []string
}

// report notes a part that changed, or why it is left as it was.
func (x *presetChange) report(kind, value, reason string) {
	part := object{"type": kind, "value": value}
	if reason != "" {
		part["reason"] = reason
		x.kept = append(x.kept, part)
		return
	}
	x.changed = append(x.changed, part)
	if kind == "field" {
		x.fields = append(x.fields, value)
	}
}

// end reports the changed fields, and returns the response.
func (x *presetChange) end() result {
	if slices.Sort(x.fields); len(x.fields) > 0 {
		x.of.emit(x.why, "candidateUpdated", as(object{"changed": x.fields}))
	}
	x.of.settle(x.why)
	return ok(object{"candidate": x.of.view(), "changed": orEmpty(x.changed),
		"kept": orEmpty(x.kept)})
}

// orEmpty is the list, or one without elements.
func orEmpty(l []any) []any { return append([]any{}, l...) }

// applyPreset applies a preset to a candidate who exists.
func (s *session) applyPreset() {
	c, by, p := s.candidateAndPreset()
	s.ask(sending{call: call{by: by, scope: "candidates:write", about: c, key: s.key()},
		method: "POST", path: "/candidates/" + c.id + "/presets", kind: "presetChange",
		body: object{"presetId": p.id}, do: func() result {
			switch {
			case !slices.Contains(c.company.presets, p):
				return invalid
			case slices.Contains(c.presets, p):
				return notNow
			}
			x := &presetChange{of: c, preset: p, why: cause{by: by}}
			c.presets = append(c.presets, p)
			c.emit(x.why, "candidatePresetApplied", as(object{"presetId": p.id}))
			for _, key := range sortedKeys(p.set) {
				there := ""
				if !c.setFor(p, key) {
					there = "alreadyThere"
				}
				x.report("field", key, there)
			}
			for _, f := range p.forms {
				there := ""
				if c.open(f) {
					c.record(p).forms = append(c.record(p).forms, f)
				} else {
					there = "alreadyThere"
				}
				x.report("form", f.id, there)
			}
			for _, t := range p.types {
				there := ""
				if r := c.request(t); r == nil || r.state == "removed" {
					c.record(p).types[t] = c.ask(x.why, t, true, nil, nil).since
				} else {
					there = "alreadyThere"
				}
				x.report("documentType", t.id, there)
			}
			return x.end()
		}})
}

// candidateAndPreset draws a candidate, a caller and a preset, most often one of the company.
func (s *session) candidateAndPreset() (*candidate, *principal, *preset) {
	c := s.candidate()
	of := c.company
	if len(of.presets) == 0 || rapid.IntRange(0, 9).Draw(s.T, "foreign") == 0 {
		of = rapid.SampledFrom(s.companies).Draw(s.T, "presets of")
	}
	return c, s.someone(c.company), rapid.SampledFrom(of.presets).Draw(s.T, "preset")
}

// takePresetBack takes from a candidate what a preset brought.
func (s *session) takePresetBack() {
	c, by, p := s.candidateAndPreset()
	if len(c.presets) > 0 && !slices.Contains(c.presets, p) && s.flip("one that it has") {
		p = c.presets[0]
	}
	s.ask(sending{call: call{by: by, scope: "candidates:write", about: c}, method: "DELETE",
		path: "/candidates/" + c.id + "/presets/" + p.id, kind: "presetChange",
		do: func() result {
			if !slices.Contains(c.presets, p) {
				return notFound
			}
			x := &presetChange{of: c, preset: p, why: cause{by: by}, fields: []string{"presetIds"}}
			c.presets = slices.DeleteFunc(c.presets, func(o *preset) bool { return o == p })
			record := c.record(p)
			delete(c.brought, p)
			for _, key := range sortedKeys(record.fields) {
				x.report("field", key, c.takeField(record, key))
			}
			for _, f := range record.forms {
				x.takeForm(f)
			}
			for _, t := range sortedTypes(record.types) {
				x.takeType(t, record.types[t])
			}
			x.reportRest(record)
			return x.end()
		}})
}

// heir returns what another preset of the candidate brought that has the same part; nil if there
// is none.
func (c *candidate) heir(has func(*preset) bool) *brought {
	for _, p := range c.presets {
		if has(p) {
			return c.record(p)
		}
	}
	return nil
}

// takeField gives a field the value from before, or returns why not. If it was changed since, a
// preset that replaced the value replaces the one before it.
func (c *candidate) takeField(from *brought, key string) string {
	f := from.fields[key]
	if c.field(key) != f.value {
		for _, b := range c.brought {
			if later, has := b.fields[key]; has && later.before == f.value {
				b.fields[key] = broughtField{later.value, f.before}
			}
		}
		return "changed"
	}
	if heir := c.heir(func(p *preset) bool { return p.set[key] == f.value }); heir != nil {
		heir.fields[key] = f
		return "otherPreset"
	}
	reference, custom := cutCustom(key)
	switch text, _ := f.before.(string); {
	case !custom:
		c.texts[key] = text
	case f.before == nil:
		delete(c.fields, reference)
	default:
		c.fields[reference] = f.before
	}
	return ""
}

func (x *presetChange) takeForm(f *form) {
	c := x.of
	at := slices.IndexFunc(c.forms, func(o candidateForm) bool { return o.form == f })
	if at < 0 {
		return
	}
	if c.forms[at].state != "open" || len(c.forms[at].answers) > 0 {
		x.report("form", f.id, "filled")
		return
	}
	if heir := c.heir(func(p *preset) bool { return slices.Contains(p.forms, f) }); heir != nil {
		heir.forms = append(heir.forms, f)
		x.report("form", f.id, "otherPreset")
		return
	}
	c.forms = slices.Delete(slices.Clone(c.forms), at, at+1)
	x.report("form", f.id, "")
	c.emit(x.why, "candidateFormRemoved", as(object{"formId": f.id}))
}

func (x *presetChange) takeType(t *docType, asked time.Time) {
	r := x.of.request(t)
	if r == nil || r.state == "removed" {
		return
	}
	heir := x.of.heir(func(p *preset) bool { return slices.Contains(p.types, t) })
	switch {
	case r.state != "requested":
		x.report("documentType", t.id, "filled")
	case !r.since.Equal(asked):
		x.report("documentType", t.id, "notBrought")
	case heir != nil:
		heir.types[t] = asked
		x.report("documentType", t.id, "otherPreset")
	default:
		r.state = "removed"
		x.report("documentType", t.id, "")
		r.reportRemoved(x.why)
	}
}

// reportRest names what the candidate has, and the preset did not bring.
func (x *presetChange) reportRest(record *brought) {
	for _, key := range sortedKeys(x.preset.set) {
		if _, has := record.fields[key]; !has && x.of.field(key) != nil {
			x.report("field", key, "notBrought")
		}
	}
	for _, f := range x.preset.forms {
		has := func(o candidateForm) bool { return o.form == f }
		if !slices.Contains(record.forms, f) && slices.ContainsFunc(x.of.forms, has) {
			x.report("form", f.id, "notBrought")
		}
	}
	for _, t := range x.preset.types {
		_, has := record.types[t]
		if r := x.of.request(t); !has && r != nil && r.state != "removed" {
			x.report("documentType", t.id, "notBrought")
		}
	}
}

func sortedTypes(of map[*docType]time.Time) []*docType {
	var all []*docType
	for t := range of {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *docType) int { return cmp.Compare(a.id, b.id) })
	return all
}
