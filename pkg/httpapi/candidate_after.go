package httpapi

import "github.com/dossierhq/dossier/pkg/dossier"

// askForm asks a candidate who exists for a form.
func (a *API) askForm(r *request) (any, error) {
	in, err := decodeValid(r, dossier.CandidateFormInput.Validate)
	if err != nil {
		return nil, err
	}
	return read(a.store.AskForm(r.Context(), r.company(), r.param("id"), in.FormID))
}

// reopenForm lets the candidate submit a form again.
func (a *API) reopenForm(r *request) (any, error) {
	return read(a.store.ReopenForm(r.Context(), r.company(), r.param("id"), r.param("formId")))
}

// applyPreset applies a preset to a candidate who exists.
func (a *API) applyPreset(r *request) (any, error) {
	in, err := decodeValid(r, dossier.CandidatePresetInput.Validate)
	if err != nil {
		return nil, err
	}
	return a.store.ApplyPreset(r.Context(), r.company(), r.param("id"), in.PresetID)
}

// takeBackPreset removes what a preset brought and nobody has filled.
func (a *API) takeBackPreset(r *request) (any, error) {
	return a.store.TakeBackPreset(r.Context(), r.company(), r.param("id"), r.param("presetId"))
}
