package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// shownOnce holds the results that a candidate's page shows right after a form was taken only.
type shownOnce struct {
	link   string // a link for the candidate
	preset *dossier.PresetChange
	back   bool // the preset was taken back
}

// presetOutcome tells in words what applying a preset, or taking it back, did.
type presetOutcome struct {
	Title         string
	Changed, Kept []string
}

// presetRow is a preset that was applied to a candidate.
type presetRow struct{ ID, Name string }

// keptReasons say why a part of a preset was left as it was.
var keptReasons = map[string]string{
	dossier.KeptThere: "was there already", dossier.KeptGone: "does not exist any more",
	dossier.KeptNotBrought:  "did not come with this preset",
	dossier.KeptFilled:      "has an upload or answers",
	dossier.KeptChanged:     "has another value since",
	dossier.KeptOtherPreset: "comes with another preset too",
}

// outcome names the parts of a preset.
func (d dossierData) outcome(s shownOnce) *presetOutcome {
	if s.preset == nil {
		return nil
	}
	o := &presetOutcome{Title: "The preset is applied."}
	if s.back {
		o.Title = "The preset is taken back."
	}
	for _, part := range s.preset.Changed {
		o.Changed = append(o.Changed, d.partName(part))
	}
	for _, part := range s.preset.Kept {
		why := keptReasons[part.Reason]
		if why == "" {
			why = word(part.Reason)
		}
		o.Kept = append(o.Kept, d.partName(part)+" "+why)
	}
	return o
}

// partName names a document type, a form or a field of a preset.
func (d dossierData) partName(part dossier.PresetPart) string {
	for _, t := range d.types {
		if t.ID == part.Value {
			return t.Name
		}
	}
	for _, f := range d.forms {
		if f.ID == part.Value {
			return f.Name
		}
	}
	for _, f := range d.candidate.Forms {
		if f.FormID == part.Value {
			return f.Name
		}
	}
	return fieldLabel(d.fields, part.Value)
}

// giveable fills in the forms and presets that the candidate can be given, and those applied.
func (v *dossierView) giveable(d dossierData) {
	for _, f := range d.forms {
		has := func(own dossier.CandidateForm) bool { return own.FormID == f.ID }
		if !slices.ContainsFunc(d.candidate.Forms, has) {
			v.MoreForms = append(v.MoreForms, option{f.ID, f.Name})
		}
	}
	names := map[string]string{}
	for _, p := range d.presets {
		names[p.ID] = p.Name
		if !slices.Contains(d.candidate.PresetIDs, p.ID) {
			v.MorePresets = append(v.MorePresets, option{p.ID, p.Name})
		}
	}
	for _, id := range d.candidate.PresetIDs {
		name := names[id]
		if name == "" {
			name = shortID(id)
		}
		v.Presets = append(v.Presets, presetRow{id, name})
	}
}

func askForForm(p *page) error {
	return p.post("form", p.candidatePath("/forms"), "formAsked", func(f *form) map[string]any {
		return object{"formId": f.Get("formId")}
	}, nil)
}

func reopenForm(p *page) error {
	return p.post("more", p.candidatePath("/forms/"+url.PathEscape(p.r.PathValue("form"))+
		"/reopen"), "formReopened", nil, nil)
}

// applyPreset applies a preset and shows what it brought.
func applyPreset(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	return p.changePreset("preset", f, call{method: http.MethodPost,
		path: p.candidatePath("/presets"), body: object{"presetId": f.Get("presetId")},
		key: f.Key}, false)
}

// takeBackPreset removes what a preset brought and nobody has filled, and shows what stays.
func takeBackPreset(p *page) error {
	return p.changePreset("more", newForm(url.Values{}), call{method: http.MethodDelete,
		path: p.candidatePath("/presets/" + url.PathEscape(p.r.PathValue("preset")))}, true)
}

func (p *page) changePreset(name string, f *form, in call, back bool) error {
	var change dossier.PresetChange
	if _, err := p.api.do(in, &change); err != nil {
		if err := f.refused(err, nil); err != nil {
			return err
		}
		return p.dossier(map[string]*form{name: f}, shownOnce{})
	}
	return p.dossier(nil, shownOnce{preset: &change, back: back})
}
