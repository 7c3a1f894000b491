package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func listTypes(p *page) error {
	types, _, err := list[dossier.DocumentType](p.api, "/documentTypes", nil, dossier.MaxListed)
	if err != nil {
		return err
	}
	return p.show(screen{name: "types", title: "Types and rules", section: "types"}, types)
}

// sentenceView is one rule as a sentence.
type sentenceView struct {
	Number   int
	When     string
	Chips    []chip
	Steps    []step
	Warnings []string
}

// sentences describes the rules of a document type in sentences.
func (c catalog) sentences(t dossier.DocumentType) []sentenceView {
	all := make([]sentenceView, len(t.Submission.Rules))
	for i, r := range t.Submission.Rules {
		v := sentenceView{Number: i + 1,
			When: inMode(r.Mode, combine(r.ConditionsType, len(r.Conditions)))}
		for _, cond := range r.Conditions {
			v.Chips = append(v.Chips, c.chip(t,
				dossier.ConditionResult{Type: cond.Type, Reference: cond.Reference,
					Operator: cond.Operator, Value: cond.Value}))
		}
		for _, a := range r.Actions {
			s := step{Text: present[a.Type]}
			s.Name, s.Href = c.name(a.Value)
			v.Steps = append(v.Steps, s)
		}
		for _, w := range t.Warnings {
			if len(w.Rules) > 0 && w.Rules[0] == r.ID {
				v.Warnings = append(v.Warnings, fieldSentence(w.Message))
			}
		}
		all[i] = v
	}
	return all
}

// present are the actions as a rule says them.
var present = map[string]string{
	dossier.ActionAddDocumentType: "ask for", dossier.ActionRemoveDocumentType: "stop asking for",
	dossier.ActionRemoveForm:  "take back the form",
	dossier.ActionApplyPreset: "apply the preset", dossier.ActionSendNotification: "send",
}

type typeView struct {
	Type      dossier.DocumentType
	Sentences []sentenceView
	Warnings  []string // about no rule
	Sharing   sharing
	Secret    string
}

func showType(p *page) error {
	var t dossier.DocumentType
	if _, err := p.api.get("/documentTypes/"+p.r.PathValue("id"), &t); err != nil {
		return err
	}
	return p.typePage(t)
}

func (p *page) typePage(t dossier.DocumentType) error {
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	v := typeView{Type: t, Sentences: c.sentences(t)}
	if v.Sharing, err = p.sharingOf(t); err != nil {
		return err
	}
	for _, w := range t.Warnings {
		if len(w.Rules) == 0 {
			v.Warnings = append(v.Warnings, fieldSentence(w.Message))
		}
	}
	if t.Check.HTTP != nil {
		v.Secret = t.Check.HTTP.Secret
	}
	return p.show(screen{name: "type", title: t.Name, section: "types"}, v)
}

// confirmParser lets documents of a shared type go to the host that the page showed.
func confirmParser(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("id")
	if _, err := p.api.do(call{method: http.MethodPost,
		path: "/documentTypes/" + id + "/parser/confirm", key: f.Key,
		body: dossier.ParserConfirmationInput{Host: f.Get("host")}}, nil); err != nil {
		return err
	}
	return p.done("/console/document-types/"+id, "parserConfirmed")
}

// typeRow is a row of the form's table of values that are read.
type typeRow struct{ Label, Reference, Type, Required, Pattern string }

// backRow is a row of the write-back table.
type backRow struct{ From, To string }

type typeFormView struct {
	Form    *form
	ID      string
	Name    string
	Rows    []typeRow
	Back    []backRow
	Targets []option
}

func newType(p *page) error {
	return p.typeForm(newForm(url.Values{"parser": {"pdf"}, "decision": {"automatic"},
		"replaceable": {dossier.ReplaceableCandidate}, "parts": {"front"},
		"remind": {leadsText(dossier.DefaultRemindBefore)}}), "")
}

func editType(p *page) error {
	var t dossier.DocumentType
	rep, err := p.api.get("/documentTypes/"+p.r.PathValue("id"), &t)
	if err != nil {
		return err
	}
	v := url.Values{"name": {t.Name}, "description": {t.Description}, "parser": {t.Check.Parser},
		"decision": {t.Check.Decision},
		"parts":    {strings.Join(t.RequiredParts, ", ")}, "expiry": {t.Check.ExpiryReference},
		"_etag": {rep.etag}}
	if t.Pass {
		v.Set("pass", "yes")
	}
	if t.Check.HTTP != nil {
		v.Set("url", t.Check.HTTP.URL)
	}
	required := map[string]bool{}
	for _, ref := range t.Check.Required {
		required[ref] = true
	}
	for _, f := range t.Check.Fields {
		v["fieldLabel"], v["fieldReference"], v["fieldType"] = append(v["fieldLabel"], f.Label),
			append(v["fieldReference"], f.Reference), append(v["fieldType"], f.Type)
		v["fieldPattern"] = append(v["fieldPattern"], f.Pattern)
		needed := ""
		if required[f.Reference] {
			needed = "yes"
			delete(required, f.Reference)
		}
		v["fieldRequired"] = append(v["fieldRequired"], needed)
	}
	v.Set("remind", leadsText(t.RemindBefore))
	v.Set("replaceable", t.Replaceable)
	v.Set("otherRequired", strings.Join(sortedKeys(required), ", "))
	for _, w := range t.WriteBack {
		v["from"], v["to"] = append(v["from"], w.From), append(v["to"], w.To)
	}
	return p.typeForm(newForm(v), t.Name)
}

// nth returns the nth of the values of a field, trimmed.
func (f *form) nth(name string, n int) string {
	if all := f.values[name]; n < len(all) {
		return strings.TrimSpace(all[n])
	}
	return ""
}

func (p *page) typeForm(f *form, name string) error {
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	v := typeFormView{Form: f, ID: p.r.PathValue("id"), Name: name, Targets: writeTargets(c)}
	for n := range f.values["fieldLabel"] {
		if r := (typeRow{f.nth("fieldLabel", n), f.nth("fieldReference", n), f.nth("fieldType", n),
			f.nth("fieldRequired", n), f.nth("fieldPattern", n)}); r.Label != "" ||
			r.Reference != "" {
			v.Rows = append(v.Rows, r)
		}
	}
	v.Rows = append(v.Rows, typeRow{Type: "text"}, typeRow{Type: "text"})
	for n := range f.values["from"] {
		if f.nth("from", n) != "" {
			v.Back = append(v.Back, backRow{f.nth("from", n), f.nth("to", n)})
		}
	}
	v.Back = append(v.Back, backRow{})
	sc := screen{name: "typeform", title: "New document type", section: "types"}
	if name != "" {
		sc.title = "Edit " + name
	}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// writeTargets lists where values can be written.
func writeTargets(c catalog) []option {
	all := options(dossier.TextKeys...)
	for _, f := range c.fields {
		prefix, of := "cf_", "Candidate: "
		if f.Entity == dossier.EntityDocument {
			prefix, of = "dcf_", "Document: "
		}
		all = append(all, option{prefix + f.Reference, of + f.Label})
	}
	return all
}

// typeBody makes the API's request of the form.
func typeBody(f *form) map[string]any {
	parser := dossier.ParserNamed(f.Get("parser"))
	check := map[string]any{"parser": f.Get("parser"), "decision": f.Get("decision"),
		"expiryReference": nil, "http": nil}
	fields, required := []dossier.CheckField{}, splitList(f.Get("otherRequired"))
	for n := range f.values["fieldLabel"] {
		label, ref := f.nth("fieldLabel", n), f.nth("fieldReference", n)
		if label == "" && ref == "" {
			continue
		}
		if ref == "" {
			ref = referenceOf(label)
		}
		if f.nth("fieldRequired", n) == "yes" {
			required = append(required, ref)
		}
		fields = append(fields, dossier.CheckField{Label: label, Reference: ref,
			Type: f.nth("fieldType", n), Pattern: f.nth("fieldPattern", n)})
	}
	if !parser.Reads || !parser.Fields {
		fields = []dossier.CheckField{}
	}
	check["fields"], check["required"] = fields, required
	if !parser.Reads && !parser.Service {
		check["required"] = []string{}
	}
	if v := f.Get("expiry"); v != "" {
		check["expiryReference"] = v
	}
	if parser.Service {
		check["http"] = map[string]any{"url": f.Get("url")}
	}
	back := []dossier.WriteBack{}
	for n := range f.values["from"] {
		if from := f.nth("from", n); from != "" {
			back = append(back, dossier.WriteBack{From: from, To: f.nth("to", n)})
		}
	}
	body := map[string]any{"name": f.Get("name"), "requiredParts": splitList(f.Get("parts")),
		"pass":  f.Has("pass", "yes"),
		"check": check, "writeBack": back, "remindBefore": typedLeads(f.Get("remind"))}
	for _, name := range []string{"description", "replaceable"} {
		if typed := f.Get(name); typed != "" {
			body[name] = typed
		}
	}
	return body
}

// leadsText renders the days before the expiry on which reminders are due, as they are typed.
func leadsText(leads []int) string {
	parts := make([]string, len(leads))
	for n, days := range leads {
		parts[n] = strconv.Itoa(days)
	}
	return strings.Join(parts, ", ")
}

// typedLeads takes days apart that were typed. What is no number is 0, which the API refuses.
func typedLeads(s string) []int {
	leads := []int{}
	for _, part := range splitList(s) {
		days, _ := strconv.Atoi(part)
		leads = append(leads, days)
	}
	return leads
}

// splitList takes a list apart that was typed with commas.
func splitList(s string) []string {
	all := []string{}
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// referenceOf makes a reference of a label: "Valid until" becomes validUntil.
func referenceOf(label string) string {
	var b strings.Builder
	upper := false
	for _, c := range label {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c) || c > unicode.MaxASCII:
			upper = b.Len() > 0
			continue
		case upper:
			c = unicode.ToUpper(c)
		case b.Len() == 0:
			c = unicode.ToLower(c)
		}
		b.WriteRune(c)
		upper = false
	}
	return b.String()
}

func saveType(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	if f.Raw("_add") != "" {
		f.values["fieldLabel"] = append(f.values["fieldLabel"], "")
		return p.typeForm(f, f.Get("_name"))
	}
	in := call{method: http.MethodPost, path: "/documentTypes", body: typeBody(f), key: f.Key}
	if id := p.r.PathValue("id"); id != "" {
		in = call{method: http.MethodPatch, path: "/documentTypes/" + id,
			body: patchOf(typeBody(f), "description"), ifMatch: f.Get("_etag")}
	} else {
		dropNulls(in.body.(map[string]any))
	}
	var saved dossier.DocumentType
	if _, err := p.api.do(in, &saved); err != nil {
		names := map[string]string{"/requiredParts": "parts", "/check/parser": "parser",
			"/check/decision": "decision", "/check/fields": "fields",
			"/check/required": "fields", "/check/expiryReference": "expiry", "/check/http": "url",
			"/writeBack": "back", "/remindBefore": "remind"}
		if err := f.refused(err, names); err != nil {
			return err
		}
		if len(f.Errors("remind")) > 0 {
			f.errors["remind"] = []string{fmt.Sprintf(
				"Enter up to %d numbers of days from 1 to %d, each once.", dossier.MaxReminders,
				dossier.MaxRemindBefore)}
		}
		return p.typeForm(f, f.Get("_name"))
	}
	if saved.Check.HTTP != nil && saved.Check.HTTP.Secret != "" {
		return p.typePage(saved) // the secret is shown only now
	}
	return p.done("/console/document-types/"+saved.ID, "saved")
}

// patchOf makes a merge patch: a member that may be cleared and is not there becomes null.
func patchOf(body map[string]any, optional ...string) map[string]any {
	for _, name := range optional {
		if _, ok := body[name]; !ok {
			body[name] = nil
		}
	}
	return body
}

// dropNulls removes members that are null, also of objects within.
func dropNulls(body map[string]any) {
	for name, v := range body {
		switch x := v.(type) {
		case nil:
			delete(body, name)
		case map[string]any:
			dropNulls(x)
		}
	}
}

func deleteType(p *page) error {
	return p.remove("/documentTypes/"+p.r.PathValue("id"), "/console/document-types", "deleted")
}
