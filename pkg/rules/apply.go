package rules

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// working is the copy of the facts that the actions change. What it has not copied yet belongs to the caller.
type working struct {
	facts   Facts
	changes []Change
	sent    []string // scenarios whose notification was sent
	owned   struct{ candidate, customFields bool }
}

// apply does one action of a matching rule.
func (w *working) apply(a dossier.Action) dossier.ActionResult {
	reason, changed := "", false
	switch a.Type {
	case dossier.ActionSendNotification:
		reason = w.sendNotification(a.Value)
	case dossier.ActionAddDocumentType:
		reason = w.addDocumentType(a.Value, a.Metadata, "")
	case dossier.ActionRemoveDocumentType:
		reason = w.removeDocumentType(a.Value)
	case dossier.ActionRemoveForm:
		reason = w.removeForm(a.Value)
	case dossier.ActionApplyPreset:
		reason = w.applyPreset(a.Value)
	default:
		return dossier.ActionResult{Type: a.Type, Value: a.Value} // Review lets none through
	}
	changed = reason == ""
	return dossier.ActionResult{Type: a.Type, Value: a.Value, Changed: changed, Reason: reason}
}

func (w *working) sendNotification(scenario string) string {
	switch {
	case w.facts.Missing[scenario]:
		return dossier.ReasonTargetDeleted
	case slices.Contains(w.sent, scenario):
		return dossier.ReasonAlreadyApplied
	}
	w.sent = append(w.sent, scenario)
	w.changes = append(w.changes, Change{Type: dossier.ActionSendNotification, Value: scenario})
	return ""
}

func (w *working) addDocumentType(id string, metadata map[string]any, preset string) string {
	switch {
	case w.facts.Missing[id]:
		return dossier.ReasonTargetDeleted
	case slices.Contains(w.facts.DocumentTypes, id):
		return dossier.ReasonAlreadyRequested
	case w.tooMany(id):
		return dossier.ReasonLimitReached
	}
	w.facts.DocumentTypes = with(w.facts.DocumentTypes, id)
	w.changes = append(w.changes, Change{Type: dossier.ActionAddDocumentType, Value: id, Metadata: metadata, FromPreset: preset})
	return ""
}

// removeDocumentType also removes a type that was deleted meanwhile: the candidate is asked for it still.
func (w *working) removeDocumentType(id string) string {
	switch {
	case !slices.Contains(w.facts.DocumentTypes, id):
		return w.absent(id, dossier.ReasonNotRequested)
	case slices.Contains(w.facts.Frozen, id):
		return dossier.ReasonBeingChecked
	}
	w.facts.DocumentTypes = without(w.facts.DocumentTypes, id)
	if !w.undo(dossier.ActionAddDocumentType, dossier.ActionRemoveDocumentType, id) && w.more(id) > 0 {
		w.facts.Removed = with(w.facts.Removed, id)
	}
	return ""
}

// kept is how many candidate document types are kept of the candidate: those it is asked for, and those that were removed.
func (w *working) kept() int {
	n := len(w.facts.DocumentTypes)
	for _, id := range w.facts.Removed {
		if !slices.Contains(w.facts.DocumentTypes, id) {
			n++
		}
	}
	return n
}

// more is how many kept ones asking for document types adds.
func (w *working) more(ids ...string) int {
	return w.fresh(ids, w.facts.DocumentTypes, w.facts.Removed)
}

// fresh is how many of the ids are of what exists and is not there yet.
func (w *working) fresh(ids []string, there ...[]string) int {
	n := 0
	for i, id := range ids {
		has := func(list []string) bool { return slices.Contains(list, id) }
		if !w.facts.Missing[id] && !has(ids[:i]) && !slices.ContainsFunc(there, has) {
			n++
		}
	}
	return n
}

func (w *working) removeForm(id string) string {
	if !slices.Contains(w.facts.Forms, id) {
		return w.absent(id, dossier.ReasonNoSuchForm)
	}
	w.facts.Forms = without(w.facts.Forms, id)
	w.undo(ChangeAddForm, dossier.ActionRemoveForm, id)
	return ""
}

// absent is the reason for what the candidate does not have: reason, unless it does not exist at all.
func (w *working) absent(id, reason string) string {
	if w.facts.Missing[id] {
		return dossier.ReasonTargetDeleted
	}
	return reason
}

// applyPreset sets values, adds document types and forms that are not there yet, and remembers the preset: all of it or, where the
// candidate would have too many, nothing.
func (w *working) applyPreset(id string) string {
	content, ok := w.facts.PresetContents[id]
	switch {
	case !ok || w.facts.Missing[id]:
		return dossier.ReasonTargetDeleted
	case slices.Contains(w.facts.Presets, id):
		return dossier.ReasonAlreadyApplied
	case w.tooMany(content.DocumentTypeIDs...) || w.tooManyForms(content.FormIDs):
		return dossier.ReasonLimitReached
	}
	w.facts.Presets = with(w.facts.Presets, id)
	w.changes = append(w.changes, Change{Type: dossier.ActionApplyPreset, Value: id})
	for _, key := range slices.Sorted(maps.Keys(content.Set)) {
		w.setValue(key, content.Set[key], id)
	}
	for _, t := range content.DocumentTypeIDs {
		w.addDocumentType(t, nil, id)
	}
	for _, form := range content.FormIDs {
		if !w.facts.Missing[form] && !slices.Contains(w.facts.Forms, form) {
			w.facts.Forms = with(w.facts.Forms, form)
			w.changes = append(w.changes, Change{Type: ChangeAddForm, Value: form, FromPreset: id})
		}
	}
	return ""
}

// tooMany reports whether the candidate would have too many document types with more of them.
func (w *working) tooMany(ids ...string) bool {
	more := w.more(ids...)
	return more > 0 && w.kept()+more > dossier.MaxRequested
}

// tooManyForms reports whether the candidate would have too many forms with more of them.
func (w *working) tooManyForms(ids []string) bool {
	more := w.fresh(ids, w.facts.Forms)
	return more > 0 && len(w.facts.Forms)+more > dossier.MaxForms
}

// setValue writes a candidate's text or custom field, where it holds something else.
func (w *working) setValue(key string, v any, preset string) {
	if reference, custom := strings.CutPrefix(key, prefixCustomField); custom {
		if old, ok := w.facts.CustomFields[reference]; ok && reflect.DeepEqual(old, v) {
			return
		}
		w.facts.CustomFields = own(w.facts.CustomFields, &w.owned.customFields)
		w.facts.CustomFields[reference] = v
	} else {
		text, ok := v.(string)
		if !ok || w.facts.Candidate[key] == text {
			return
		}
		w.facts.Candidate = own(w.facts.Candidate, &w.owned.candidate)
		w.facts.Candidate[key] = text
	}
	w.changes = append(w.changes, Change{Type: ChangeSetValue, Value: key, Set: v, FromPreset: preset})
}

// undo takes back what this run added, or notes the removal of what was there before. It reports whether it took something back.
func (w *working) undo(added, removed, id string) bool {
	for i := len(w.changes) - 1; i >= 0; i-- {
		if c := w.changes[i]; c.Value == id && c.Type == added {
			w.changes = slices.Delete(w.changes, i, i+1)
			return true
		}
	}
	w.changes = append(w.changes, Change{Type: removed, Value: id})
	return false
}

// own returns a map that may be written: a copy of the caller's, once.
func own[V any](m map[string]V, owned *bool) map[string]V {
	if *owned {
		return m
	}
	*owned = true
	out := make(map[string]V, len(m)+1)
	maps.Copy(out, m)
	return out
}

// with and without return a new list, so that nobody else's changes.
func with(ids []string, id string) []string { return append(slices.Clip(ids), id) }

func without(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(x string) bool { return x == id })
}
