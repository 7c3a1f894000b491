package rules

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// evaluation holds the copy of the facts that the actions change. A map or list that it has not
// copied yet belongs to the caller.
type evaluation struct {
	facts   Facts
	changes []Change
	read    operand  // of the condition at hand
	sent    []string // scenarios whose notification was sent
	owned   struct{ candidate, customFields bool }
	try     bool // what the actions change is dropped, and they report it as ReasonShadow
}

// shadow returns a copy on which the actions of a rule in shadow mode are tried.
func (e *evaluation) shadow() *evaluation {
	c := *e
	c.changes, c.sent = slices.Clone(e.changes), slices.Clone(e.sent)
	c.owned.candidate, c.owned.customFields, c.try = false, false, true
	return &c
}

// apply performs one action of a matching rule. Review lets no unknown type through.
func (e *evaluation) apply(a dossier.Action) dossier.ActionResult {
	out := dossier.ActionResult{Type: a.Type, Value: a.Value}
	if t := actionNamed(a.Type); t.apply != nil {
		out.Reason = t.apply(e, a)
		out.Changed = out.Reason == "" && !e.try
		if e.try && out.Reason == "" {
			out.Reason = dossier.ReasonShadow
		}
	}
	return out
}

func (e *evaluation) sendNotification(scenario string) string {
	switch {
	case e.facts.Missing[scenario]:
		return dossier.ReasonTargetDeleted
	case slices.Contains(e.sent, scenario):
		return dossier.ReasonAlreadyApplied
	}
	e.sent = append(e.sent, scenario)
	e.changes = append(e.changes, Change{Type: dossier.ActionSendNotification, Value: scenario})
	return ""
}

func (e *evaluation) addDocumentType(id string, metadata map[string]any) string {
	switch {
	case e.facts.Missing[id]:
		return dossier.ReasonTargetDeleted
	case slices.Contains(e.facts.DocumentTypes, id):
		return dossier.ReasonAlreadyRequested
	case e.tooMany(id):
		return dossier.ReasonLimitReached
	}
	e.facts.DocumentTypes = with(e.facts.DocumentTypes, id)
	e.changes = append(e.changes, Change{Type: dossier.ActionAddDocumentType, Value: id,
		Metadata: metadata})
	return ""
}

// removeDocumentType also removes a type that was deleted meanwhile: the candidate is still asked
// for it.
func (e *evaluation) removeDocumentType(id string) string {
	switch {
	case !slices.Contains(e.facts.DocumentTypes, id):
		return e.absent(id, dossier.ReasonNotRequested)
	case slices.Contains(e.facts.Frozen, id):
		return dossier.ReasonBeingChecked
	}
	e.facts.DocumentTypes = without(e.facts.DocumentTypes, id)
	if !e.undo(dossier.ActionAddDocumentType, dossier.ActionRemoveDocumentType, id) &&
		e.more(id) > 0 {
		e.facts.Removed = with(e.facts.Removed, id)
	}
	return ""
}

// kept counts the candidate document types that are kept: the requested and the removed ones.
func (e *evaluation) kept() int {
	n := len(e.facts.DocumentTypes)
	for _, id := range e.facts.Removed {
		if !slices.Contains(e.facts.DocumentTypes, id) {
			n++
		}
	}
	return n
}

// more returns how many of ids would become new candidate document types.
func (e *evaluation) more(ids ...string) int {
	return e.fresh(ids, e.facts.DocumentTypes, e.facts.Removed)
}

// fresh counts the distinct existing ids that none of the lists contains.
func (e *evaluation) fresh(ids []string, there ...[]string) int {
	n := 0
	for i, id := range ids {
		has := func(list []string) bool { return slices.Contains(list, id) }
		if !e.facts.Missing[id] && !has(ids[:i]) && !slices.ContainsFunc(there, has) {
			n++
		}
	}
	return n
}

func (e *evaluation) removeForm(id string) string {
	if !slices.Contains(e.facts.Forms, id) {
		return e.absent(id, dossier.ReasonNoSuchForm)
	}
	e.facts.Forms = without(e.facts.Forms, id)
	e.undo(ChangeAddForm, dossier.ActionRemoveForm, id)
	return ""
}

// absent returns reason for an entity that the candidate does not have, or ReasonTargetDeleted if
// it does not exist any more.
func (e *evaluation) absent(id, reason string) string {
	if e.facts.Missing[id] {
		return dossier.ReasonTargetDeleted
	}
	return reason
}

// applyPreset sets values, adds missing document types and forms, and remembers the preset. It
// changes nothing if the candidate would have too many of them.
func (e *evaluation) applyPreset(id string) string {
	content, ok := e.facts.PresetContents[id]
	switch {
	case !ok || e.facts.Missing[id]:
		return dossier.ReasonTargetDeleted
	case slices.Contains(e.facts.Presets, id):
		return dossier.ReasonAlreadyApplied
	case e.tooMany(content.DocumentTypeIDs...) || e.tooManyForms(content.FormIDs):
		return dossier.ReasonLimitReached
	}
	e.facts.Presets = with(e.facts.Presets, id)
	e.changes = append(e.changes, Change{Type: dossier.ActionApplyPreset, Value: id})
	from := len(e.changes)
	defer func() {
		for n := from; n < len(e.changes); n++ {
			e.changes[n].Preset = id
		}
	}()
	for _, key := range slices.Sorted(maps.Keys(content.Set)) {
		e.setValue(key, content.Set[key])
	}
	for _, t := range content.DocumentTypeIDs {
		e.addDocumentType(t, nil)
	}
	for _, form := range content.FormIDs {
		if !e.facts.Missing[form] && !slices.Contains(e.facts.Forms, form) {
			e.facts.Forms = with(e.facts.Forms, form)
			e.changes = append(e.changes, Change{Type: ChangeAddForm, Value: form})
		}
	}
	return ""
}

// tooMany reports whether the candidate would have too many document types with more of them.
func (e *evaluation) tooMany(ids ...string) bool {
	more := e.more(ids...)
	return more > 0 && e.kept()+more > dossier.MaxRequested
}

// tooManyForms reports whether the candidate would have too many forms with more of them.
func (e *evaluation) tooManyForms(ids []string) bool {
	more := e.fresh(ids, e.facts.Forms)
	return more > 0 && len(e.facts.Forms)+more > dossier.MaxForms
}

// setValue writes a candidate's text or custom field if its value differs.
func (e *evaluation) setValue(key string, v any) {
	if reference, custom := strings.CutPrefix(key, prefixCustomField); custom {
		if old, ok := e.facts.CustomFields[reference]; ok && reflect.DeepEqual(old, v) {
			return
		}
		e.facts.CustomFields = own(e.facts.CustomFields, &e.owned.customFields)
		e.facts.CustomFields[reference] = v
	} else {
		text, ok := v.(string)
		if !ok || e.facts.Candidate[key] == text {
			return
		}
		e.facts.Candidate = own(e.facts.Candidate, &e.owned.candidate)
		e.facts.Candidate[key] = text
	}
	e.changes = append(e.changes, Change{Type: ChangeSetValue, Value: key, Set: v})
}

// undo takes back an addition of this run, or records the removal of an earlier one. It reports
// whether it took one back.
func (e *evaluation) undo(added, removed, id string) bool {
	for i := len(e.changes) - 1; i >= 0; i-- {
		if c := e.changes[i]; c.Value == id && c.Type == added {
			e.changes = slices.Delete(e.changes, i, i+1)
			return true
		}
	}
	e.changes = append(e.changes, Change{Type: removed, Value: id})
	return false
}

// own returns a map that may be written: the first call copies the caller's.
func own[V any](m map[string]V, owned *bool) map[string]V {
	if *owned {
		return m
	}
	*owned = true
	out := make(map[string]V, len(m)+1)
	maps.Copy(out, m)
	return out
}

// with and without return a new list and leave the caller's alone.
func with(ids []string, id string) []string { return append(slices.Clip(ids), id) }

func without(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(x string) bool { return x == id })
}
