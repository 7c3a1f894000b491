package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) presetRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.Preset, string, error) {
				return a.store.Presets(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, dossier.PresetInput.Validate,
				func(in dossier.PresetInput) (dossier.Preset, error) {
					return a.store.CreatePreset(r.Context(), r.company(), in)
				}, "documentTypes")
		},
		read: func(r *request) (any, error) {
			return read(a.store.Preset(r.Context(), r.company(), r.param("id")))
		},
		change: func(r *request) (any, error) {
			return change(r, dossier.PresetInput.Validate,
				func(want store.Rev, patch func(dossier.PresetInput) (dossier.PresetInput, error)) (
					dossier.Preset, store.Rev, error) {
					return a.store.ChangePreset(r.Context(), r.company(), r.param("id"), want,
						patch)
				}, "documentTypes")
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeletePreset(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/presets", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}
