package dossier

import "slices"

// Form is a set of questions to a candidate.
type Form struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Fields    []FormField `json:"fields"`
	CreatedAt Time        `json:"createdAt"`
	UpdatedAt Time        `json:"updatedAt"`
}

// FormField is one question of a form.
type FormField struct {
	Reference string `json:"reference"`
	Label     string `json:"label"`
	Type      string `json:"type"` // one of the Field constants
	Required  bool   `json:"required"`
}

// FormInput is the body that creates or changes a form.
type FormInput struct {
	Name   string      `json:"name"`
	Fields []FormField `json:"fields"`
}

// Validate records what is wrong with the input by itself.
func (in FormInput) Validate(p *Problems) {
	p.Line("/name", in.Name, MaxName)
	for n := range p.Count("/fields", len(in.Fields), MaxFormFields) {
		f, at := in.Fields[n], Element("/fields", n)
		p.Reference(at+"/reference", f.Reference)
		repeats := func(o FormField) bool { return o.Reference == f.Reference }
		if f.Reference != "" && slices.ContainsFunc(in.Fields[:n], repeats) {
			p.Say(at+"/reference", ProblemDuplicate, "repeats that of an earlier field")
		}
		p.Line(at+"/label", f.Label, MaxName)
		p.Word(at+"/type", f.Type, FieldTypes)
	}
}
