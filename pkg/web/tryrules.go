package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

type tryView struct {
	Type   dossier.DocumentType
	Form   *form
	Fields []valueField
	Past   []option
	Rules  []ruleView
	Before string
	After  string
	Tried  bool
}

// tryRules shows what the rules would do to values that are typed in, or that a past document had.
func tryRules(p *page) error {
	v := tryView{Form: newForm(p.r.URL.Query())}
	if _, err := p.api.get("/documentTypes/"+p.r.PathValue("id"), &v.Type); err != nil {
		return err
	}
	past, _, err := list[dossier.CandidateDocumentType](p.api, "/candidateDocumentTypes",
		inState(dossier.StateValidated, dossier.StateInReview), pageSize)
	if err != nil {
		return err
	}
	parsed := map[string]any{}
	body := map[string]any{}
	for _, c := range past {
		if c.DocumentType.ID != v.Type.ID || c.Document == nil {
			continue
		}
		v.Past = append(v.Past, option{c.ID,
			"of " + c.CreatedAt.Format("2 January, 15:04") + " (" + shortID(c.CandidateID) + ")"})
		if c.ID == v.Form.Get("past") {
			parsed = c.Document.Parsed
			body["candidateId"] = c.CandidateID
		}
	}
	v.Fields = valueFields(dossier.CandidateDocumentType{DocumentType: v.Type,
		Document: &dossier.Document{Parsed: parsed}})
	for _, f := range v.Fields {
		ref := strings.TrimPrefix(f.Name, "v.")
		if v.Form.Get("past") != "" {
			v.Form.values.Set(f.Name, plainText(lookup(parsed, ref)))
		}
		if typed := v.Form.Get(f.Name); typed != "" && v.Form.Get("past") == "" {
			nest(parsed, ref, typedValue(typed, f.Type))
		}
	}
	sc := screen{name: "try", title: "Try " + v.Type.Name, section: "types"}
	if v.Form.Get("try") == "" {
		return p.show(sc, v)
	}
	body["parsed"] = parsed
	var would simulated
	if _, err := p.api.do(call{method: http.MethodPost,
		path: "/documentTypes/" + v.Type.ID + "/submission/simulate", body: body},
		&would); err != nil {
		if err := v.Form.refused(err, nil); err != nil {
			return err
		}
		return p.show(sc, v)
	}
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	v.Rules, v.Before, v.After, v.Tried = c.explain(v.Type, would.Rules), would.StatusBefore,
		would.StatusAfter, true
	return p.show(sc, v)
}

// typedValue parses an entered text as a value of the type of a field.
func typedValue(s, t string) any {
	switch t {
	case dossier.FieldNumber:
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return n
		}
	case dossier.FieldBoolean:
		return s == "yes" || s == "true"
	}
	return s
}
