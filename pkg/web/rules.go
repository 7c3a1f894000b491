package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// group is choices under one heading.
type group struct {
	Label   string
	Options []option
}

// condRow is a condition in the builder. Reference is its kind and key, such as "fields
// permit.class".
type condRow struct{ Reference, Operator, Value string }

// actRow is an action in the builder. Target is its type and the id of its entity.
type actRow struct{ Target, Metadata string }

// ruleRow is a rule in the builder.
type ruleRow struct {
	ID, Kind, Mode string
	Conds          []condRow
	Acts           []actRow
	Errors         []string
}

type rulesView struct {
	Type       dossier.DocumentType
	Form       *form
	Rules      []ruleRow
	References []group
	Targets    []group
	Tried      triedRules
	Free       bool // the parser's references are its own
}

// contextKeys are the keys of a candidate beside its text fields.
var contextKeys = []string{"status", "passVerification", "documentTypes", "forms", "presets"}

// pickers lists the references and targets that exist.
func (c catalog) pickers(t dossier.DocumentType, used []condRow) (references, targets []group) {
	read := group{Label: "Read from the document"}
	for _, f := range t.Check.Fields {
		read.Options = append(read.Options, option{"fields " + f.Reference, f.Label})
	}
	if len(read.Options) == 0 {
		for _, ref := range t.Check.References() {
			read.Options = append(read.Options, option{"fields " + ref, valueLabel(ref)})
		}
	}
	for _, u := range used {
		ref, ok := strings.CutPrefix(u.Reference, "fields ")
		if ok && !slices.ContainsFunc(read.Options, func(o option) bool {
			return o.Value == u.Reference
		}) {
			read.Options = append(read.Options, option{u.Reference, ref})
		}
	}
	known := group{Label: "Known of the candidate"}
	for _, key := range slices.Concat(dossier.TextKeys, contextKeys) {
		known.Options = append(known.Options, option{"context " + key, word(key)})
	}
	for _, o := range writeTargets(c)[len(dossier.TextKeys):] {
		known.Options = append(known.Options, option{"context " + o.Value, o.Label})
	}
	add := func(action, label string, of []option) {
		g := group{Label: label}
		for _, o := range of {
			g.Options = append(g.Options,
				option{action + " " + o.Value,
					capital(present[action]) + " " + o.Label})
		}
		if len(of) > 0 {
			targets = append(targets, g)
		}
	}
	types, forms, presets, notes := c.choices()
	add(dossier.ActionAddDocumentType, "Ask for a document", types)
	add(dossier.ActionSendNotification, "Send a notification", notes)
	add(dossier.ActionRemoveForm, "Take back a form", forms)
	add(dossier.ActionApplyPreset, "Apply a preset", presets)
	add(dossier.ActionRemoveDocumentType, "Stop asking for a document", types)
	return []group{read, known}, targets
}

// choices lists what actions can be about.
func (c catalog) choices() (types, forms, presets, notes []option) {
	for _, t := range c.types {
		types = append(types, option{t.ID, t.Name})
	}
	for _, f := range c.forms {
		forms = append(forms, option{f.ID, f.Name})
	}
	for _, x := range c.presets {
		presets = append(presets, option{x.ID, x.Name})
	}
	for _, s := range c.scenarios {
		if s.Notification != nil {
			notes = append(notes, option{s.ID, s.Name})
		}
	}
	return types, forms, presets, notes
}

func editRules(p *page) error {
	var t dossier.DocumentType
	rep, err := p.api.get("/documentTypes/"+p.r.PathValue("id"), &t)
	if err != nil {
		return err
	}
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	rows := make([]ruleRow, len(t.Submission.Rules))
	for i, r := range t.Submission.Rules {
		rows[i] = c.row(r)
	}
	if len(rows) == 0 {
		rows = []ruleRow{{Kind: dossier.ConditionsAnd, Conds: []condRow{{}}, Acts: []actRow{{}}}}
	}
	return p.rulesPage(t, c, newForm(url.Values{"_etag": {rep.etag}}), rows, triedRules{})
}

// row makes a rule's row in the builder.
func (c catalog) row(r dossier.Rule) ruleRow {
	row := ruleRow{ID: r.ID, Kind: r.ConditionsType, Mode: r.Mode}
	for _, cond := range r.Conditions {
		row.Conds = append(row.Conds,
			condRow{cond.Type + " " + cond.Reference, cond.Operator, c.typedList(cond.Value)})
	}
	for _, a := range r.Actions {
		act := actRow{Target: a.Type + " " + a.Value}
		if len(a.Metadata) > 0 {
			text, _ := json.Marshal(a.Metadata, json.Deterministic(true)) // it came as JSON
			act.Metadata = string(text)
		}
		row.Acts = append(row.Acts, act)
	}
	return row
}

// typedList renders the value of a condition as it is typed: with commas, and names in place of
// ids.
func (c catalog) typedList(v any) string {
	if v == nil {
		return ""
	}
	values, ok := v.([]any)
	if !ok {
		values = []any{v}
	}
	var parts []string
	for _, e := range values {
		text := plainText(e)
		if name, href := c.name(text); href != "" {
			text = name
		}
		parts = append(parts, text)
	}
	for i, part := range parts {
		if strings.ContainsAny(part, `,"`) {
			parts[i] = `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
		}
	}
	return strings.Join(parts, ", ")
}

func (p *page) rulesPage(t dossier.DocumentType, c catalog, f *form, rows []ruleRow,
	tried triedRules) error {
	p.spanOf(f)
	var used []condRow
	for i := range rows {
		rows[i].Errors = f.Errors("r" + strconv.Itoa(i))
		used = append(used, rows[i].Conds...)
	}
	v := rulesView{Type: t, Form: f, Rules: rows, Tried: tried, Free: t.Check.References() == nil}
	v.References, v.Targets = c.pickers(t, used)
	sc := screen{name: "rules", title: "Rules of " + t.Name, section: "types"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// postedRows reads the builder's form.
func postedRows(f *form) []ruleRow {
	var rows []ruleRow
	for i := 0; f.values.Has(fmt.Sprintf("r%d.kind", i)) && i < dossier.MaxRules+1; i++ {
		at := func(name string, n int) string {
			return f.Get(fmt.Sprintf("r%d.%s", i, fmt.Sprintf(name, n)))
		}
		row := ruleRow{ID: f.Get(fmt.Sprintf("r%d.id", i)), Kind: f.Get(fmt.Sprintf("r%d.kind", i)),
			Mode: f.Get(fmt.Sprintf("r%d.mode", i))}
		for n := 0; f.values.Has(fmt.Sprintf("r%d.c%d.op", i, n)) &&
			n < dossier.MaxConditions+1; n++ {
			cond := condRow{at("c%d.ref", n), at("c%d.op", n), at("c%d.value", n)}
			if free := at("c%d.free", n); free != "" {
				cond.Reference = "fields " + free
			}
			row.Conds = append(row.Conds, cond)
		}
		for n := 0; f.values.Has(fmt.Sprintf("r%d.a%d.target", i, n)) &&
			n < dossier.MaxActions+1; n++ {
			row.Acts = append(row.Acts, actRow{at("a%d.target", n), at("a%d.metadata", n)})
		}
		rows = append(rows, row)
	}
	return rows
}

// change adds or removes a row of the builder: "+", "+c1", "+a1", "-1", "-c1.2", "-a1.2".
func change(rows []ruleRow, what string) []ruleRow {
	add, rest := strings.HasPrefix(what, "+"), what[1:]
	if add && rest == "" {
		return append(rows, ruleRow{Kind: dossier.ConditionsAnd, Conds: []condRow{{}},
			Acts: []actRow{{}}})
	}
	kind := strings.TrimRight(rest, "0123456789.")
	first, second, _ := strings.Cut(rest[len(kind):], ".")
	i, err := strconv.Atoi(first)
	if err != nil || i < 0 || i >= len(rows) {
		return rows
	}
	n, _ := strconv.Atoi(second)
	switch {
	case add && kind == "c":
		rows[i].Conds = append(rows[i].Conds, condRow{})
	case add && kind == "a":
		rows[i].Acts = append(rows[i].Acts, actRow{})
	case kind == "":
		rows = slices.Delete(rows, i, i+1)
	case kind == "c" && n < len(rows[i].Conds):
		rows[i].Conds = slices.Delete(rows[i].Conds, n, n+1)
	case kind == "a" && n < len(rows[i].Acts):
		rows[i].Acts = slices.Delete(rows[i].Acts, n, n+1)
	}
	return rows
}

func saveRules(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	var t dossier.DocumentType
	if _, err := p.api.get("/documentTypes/"+p.r.PathValue("id"), &t); err != nil {
		return err
	}
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	rows := postedRows(f)
	if what := f.Raw("_change"); what != "" {
		return p.rulesPage(t, c, f, change(rows, what), triedRules{})
	}
	if f.Get("_try") != "" {
		return p.tryBeforeSaving(t, c, f, rows)
	}
	return p.patchRules(t, c, f, rows)
}

// rule makes the API's rule of a row. Rows that nothing was chosen in are left out.
func (c catalog) rule(t dossier.DocumentType, row ruleRow) dossier.Rule {
	r := dossier.Rule{ID: row.ID, Mode: row.Mode, ConditionsType: row.Kind,
		Conditions: []dossier.Condition{},
		Actions:    []dossier.Action{}}
	for _, cond := range row.Conds {
		kind, ref, _ := strings.Cut(cond.Reference, " ")
		if ref == "" {
			continue
		}
		made := dossier.Condition{Type: kind, Reference: ref, Operator: cond.Operator}
		if dossier.OperatorNamed(cond.Operator).NeedsValue {
			made.Value = c.conditionValue(t, kind, ref, cond.Value)
		}
		r.Conditions = append(r.Conditions, made)
	}
	for _, a := range row.Acts {
		kind, id, _ := strings.Cut(a.Target, " ")
		if id == "" {
			continue
		}
		made := dossier.Action{Type: kind, Value: id}
		if kind == dossier.ActionAddDocumentType && a.Metadata != "" {
			_ = json.Unmarshal([]byte(a.Metadata), &made.Metadata) // what is no object is left out
		}
		r.Actions = append(r.Actions, made)
	}
	return r
}

// conditionValue makes the list of a condition's values, each of the type of the value that it is
// compared with.
func (c catalog) conditionValue(t dossier.DocumentType, kind, ref, typed string) any {
	reader := csv.NewReader(strings.NewReader(typed))
	reader.LazyQuotes, reader.TrimLeadingSpace = true, true
	parts, err := reader.Read()
	if err != nil {
		parts = []string{typed}
	}
	values := []any{}
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			values = append(values, c.valueOf(t, kind, ref, part))
		}
	}
	return values
}

// valueOf makes one value: an id of a name, a state of its word, a number or a boolean where the
// field is one.
func (c catalog) valueOf(t dossier.DocumentType, kind, ref, typed string) any {
	if kind == dossier.ConditionFields {
		for _, f := range t.Check.Fields {
			if f.Reference == ref {
				return typedValue(typed, f.Type)
			}
		}
		return typed
	}
	types, forms, presets, _ := c.choices()
	for _, o := range map[string][]option{"documentTypes": types, "forms": forms,
		"presets": presets, "status": wordOptions(dossier.Statuses),
		"passVerification": wordOptions(
			[]string{dossier.PassVerified, dossier.PassFailed, dossier.PassPending})}[ref] {
		if strings.EqualFold(o.Label, typed) {
			return o.Value
		}
	}
	for _, f := range c.fields {
		if ref == "cf_"+f.Reference && f.Entity == dossier.EntityCandidate ||
			ref == "dcf_"+f.Reference && f.Entity == dossier.EntityDocument {
			return typedValue(typed, f.Type)
		}
	}
	return typed
}
