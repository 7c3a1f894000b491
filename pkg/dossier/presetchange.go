package dossier

// PresetChange lists the effects of applying a preset to a candidate, or of taking it back.
type PresetChange struct {
	Candidate Candidate    `json:"candidate"`
	Changed   []PresetPart `json:"changed"` // brought by the one, removed by the other
	Kept      []PresetPart `json:"kept"`    // left as it was
}

// PresetPart is one thing of a preset.
type PresetPart struct {
	Type   string `json:"type"`            // one of the Part constants
	Value  string `json:"value"`           // id; the candidate key or cf_<reference> of a field
	Reason string `json:"reason,omitzero"` // of a kept part, one of the Kept constants
}

// What a preset consists of.
const (
	PartDocumentType = "documentType"
	PartForm         = "form"
	PartField        = "field"
)

// PresetParts lists what a preset consists of.
var PresetParts = []string{PartDocumentType, PartForm, PartField}

// Why a part of a preset was left as it was.
const (
	KeptThere       = "alreadyThere"  // apply: the candidate has it
	KeptGone        = "targetDeleted" // apply: it does not exist any more
	KeptNotBrought  = "notBrought"    // take back: the candidate does not have it by the preset
	KeptFilled      = "filled"        // take back: it was uploaded or answered
	KeptChanged     = "changed"       // take back: the field has another value
	KeptOtherPreset = "otherPreset"   // take back: another preset of the candidate has it too
)

// PresetKeptReasons lists why a part of a preset is left as it was.
var PresetKeptReasons = []string{KeptThere, KeptGone, KeptNotBrought, KeptFilled, KeptChanged,
	KeptOtherPreset}

// CandidateFormInput is the body that asks a candidate for a form.
type CandidateFormInput struct {
	FormID string `json:"formId"`
}

// Validate records what is wrong with the input by itself.
func (in CandidateFormInput) Validate(p *Problems) { p.ID("/formId", in.FormID) }

// CandidatePresetInput is the body that applies a preset to a candidate.
type CandidatePresetInput struct {
	PresetID string `json:"presetId"`
}

// Validate records what is wrong with the input by itself.
func (in CandidatePresetInput) Validate(p *Problems) { p.ID("/presetId", in.PresetID) }
