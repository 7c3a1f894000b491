package httpapi

import (
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// The bounds of what settings bring a candidate. A page and its preset together are one transaction, of two writes for each document.
const (
	maxPageDocuments     = 30
	maxPresetDocuments   = 15
	maxScenarioDocuments = 30
	maxPresetForms       = dossier.MaxForms
	maxPresetValues      = dossier.MaxCustomFields
)

func (a *API) presetRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.Preset, string, error) {
				return a.store.Presets(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, checkPreset, func(in dossier.PresetInput) (dossier.Preset, error) {
				return a.store.CreatePreset(r.Context(), r.company(), in)
			}, "documentTypes")
		},
		read: func(r *request) (any, error) { return read(a.store.Preset(r.Context(), r.company(), r.param("id"))) },
		change: func(r *request) (any, error) {
			return change(r, checkPreset, func(want store.Rev, patch func(dossier.PresetInput) (dossier.PresetInput, error)) (dossier.Preset, store.Rev, error) {
				return a.store.ChangePreset(r.Context(), r.company(), r.param("id"), want, patch)
			}, "documentTypes")
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeletePreset(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/presets", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}

func checkPreset(p *dossier.Problems, in dossier.PresetInput) {
	noteName(p, in.Name)
	noteCount(p, "/set", len(in.Set), maxPresetValues)
	for key := range in.Set {
		if utf8.RuneCountInString(key) > dossier.MaxReference+len("cf_") {
			p.Add("/set", "tooLong", "has a member whose name is longer than %d characters", dossier.MaxReference+len("cf_"))
			break
		}
	}
	noteIDs(p, "/documentTypeIds", in.DocumentTypeIDs, maxPresetDocuments)
	noteIDs(p, "/formIds", in.FormIDs, maxPresetForms)
}

// noteIDs notes too many ids, and what is too long for one.
func noteIDs(p *dossier.Problems, pointer string, ids []string, most int) {
	for n := range noteCount(p, pointer, len(ids), most) {
		noteText(p, at(pointer, n), ids[n], true, maxParam)
	}
}
