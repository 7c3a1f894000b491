package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// catalog names what rules refer to, as people know it.
type catalog struct {
	types     []dossier.DocumentType
	forms     []dossier.Form
	presets   []dossier.Preset
	scenarios []dossier.Scenario
	fields    []dossier.CustomField
}

func (p *page) readCatalog() (c catalog, err error) {
	err = gather(allowed(p, &c.types, "/documentTypes", nil), allowed(p, &c.forms, "/forms", nil),
		allowed(p, &c.presets, "/presets", nil),
		allowed(p, &c.scenarios, "/scenarios", nil), allowed(p, &c.fields, "/customFields", nil))
	return c, err
}

// name returns the name of an entity and the path of its page.
func (c catalog) name(id string) (name, href string) {
	for _, t := range c.types {
		if t.ID == id {
			return t.Name, "/console/document-types/" + id
		}
	}
	for _, f := range c.forms {
		if f.ID == id {
			return f.Name, "/console/settings/forms/" + id
		}
	}
	for _, x := range c.presets {
		if x.ID == id {
			return x.Name, "/console/settings/presets/" + id
		}
	}
	for _, s := range c.scenarios {
		if s.ID == id {
			return s.Name, "/console/settings/scenarios/" + id
		}
	}
	return "something that was deleted", ""
}

// label returns the name of the reference of a condition.
func (c catalog) label(t dossier.DocumentType, kind, reference string) string {
	if kind == dossier.ConditionContext {
		return fieldLabel(c.fields, reference)
	}
	for _, f := range t.Check.Fields {
		if f.Reference == reference {
			return f.Label
		}
	}
	return valueLabel(reference)
}

// valueLabel returns the name of a value that has no label of its own.
func valueLabel(reference string) string { return word(strings.TrimPrefix(reference, "mrz.")) }

// chip is one condition as it is shown.
type chip struct {
	Label, Operator, Wanted, Read string
	Holds, Missing                bool
}

// step is one action as it is shown.
type step struct {
	Text, Name, Href, Note string
	Changed                bool
}

// ruleView is one rule of a run or of a simulation.
type ruleView struct {
	Number   int
	When     string
	Matched  bool
	Chips    []chip
	Steps    []step
	WhyNot   string
	Mismatch string // what would have been done
}

// explain returns the results of rules as they are shown. t has the rules as they are now.
func (c catalog) explain(t dossier.DocumentType, results []dossier.RuleResult) []ruleView {
	all := make([]ruleView, len(results))
	for i, r := range results {
		v := ruleView{Number: i + 1, Matched: r.Matched,
			When: inMode(r.Mode, combine(conditionsType(t, r), len(r.Conditions)))}
		for _, cond := range r.Conditions {
			v.Chips = append(v.Chips, c.chip(t, cond))
		}
		for _, a := range r.Actions {
			v.Steps = append(v.Steps, c.step(a))
		}
		if !r.Matched {
			v.WhyNot = c.whyNot(t, r)
		}
		all[i] = v
	}
	return all
}

// conditionsType returns how the conditions of a result combined. Where an older run does not tell,
// the rule as it is now does.
func conditionsType(t dossier.DocumentType, r dossier.RuleResult) string {
	for _, rule := range t.Submission.Rules {
		if r.ConditionsType == "" && rule.ID == r.ID {
			return rule.ConditionsType
		}
	}
	return r.ConditionsType
}

// inMode adds to a text the mode of a rule that changes nothing.
func inMode(mode, text string) string {
	switch mode {
	case dossier.ModeShadow:
		return "Only recorded: " + text
	case dossier.ModeOff:
		return "Switched off"
	}
	return text
}

// combine describes how conditions combine.
func combine(kind string, n int) string {
	switch {
	case n == 0 && kind == dossier.ConditionsOr:
		return "Never, for it has no conditions"
	case n == 0:
		return "Always"
	case n == 1:
		return "When this holds"
	case kind == dossier.ConditionsOr:
		return "When one of these holds"
	}
	return "When all of these hold"
}

func (c catalog) chip(t dossier.DocumentType, r dossier.ConditionResult) chip {
	read := plainText(r.Read)
	if r.Reference == "documentTypes" || r.Reference == "forms" || r.Reference == "presets" {
		read = c.listed(r.Read)
	}
	if read == "" {
		read = "nothing"
	}
	return chip{Label: c.label(t, r.Type, r.Reference), Operator: word(r.Operator),
		Wanted: c.wanted(r), Read: read, Holds: r.Result, Missing: r.Missing}
}

// wanted renders the value of a condition.
func (c catalog) wanted(r dossier.ConditionResult) string {
	if !dossier.OperatorNamed(r.Operator).NeedsValue {
		return ""
	}
	return strings.Join(c.values(r), " or ")
}

// values renders the values that a condition compares with.
func (c catalog) values(r dossier.ConditionResult) []string {
	values, ok := r.Value.([]any)
	if !ok {
		values = []any{r.Value}
	}
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = plainText(v)
		if name, href := c.name(parts[i]); href != "" {
			parts[i] = name
		}
	}
	return parts
}

// listed renders a list of ids by what they name.
func (c catalog) listed(v any) string {
	ids, _ := v.([]any)
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i], _ = c.name(plainText(id))
	}
	return strings.Join(parts, ", ")
}

// past and infinitive are the actions as they are told.
var past = map[string][2]string{
	dossier.ActionAddDocumentType:    {"asked for", "did not ask for"},
	dossier.ActionRemoveDocumentType: {"stopped asking for", "did not stop asking for"},
	dossier.ActionRemoveForm:         {"took back", "did not take back"},
	dossier.ActionApplyPreset:        {"applied the preset", "did not apply the preset"},
	dossier.ActionSendNotification:   {"sent", "did not send"},
}

func (c catalog) step(a dossier.ActionResult) step {
	s := step{Text: past[a.Type][0], Changed: a.Changed}
	if !a.Changed {
		s.Text = past[a.Type][1]
		if a.Reason != "" {
			s.Note = "because " + word(a.Reason)
		}
	}
	s.Name, s.Href = c.name(a.Value)
	return s
}

// whyNot tells what would have to be different for a rule to match, in the words of the page.
func (c catalog) whyNot(t dossier.DocumentType, r dossier.RuleResult) string {
	var needs []string
	for _, n := range r.WhyNot {
		was := "it was empty"
		if cond := r.Conditions[n.Conditions[0]]; cond.Reference == n.Reference {
			if read := c.chip(t, cond).Read; !cond.Missing && plainText(cond.Read) != "" {
				was = "it was " + read
			}
		}
		needs = append(needs, fmt.Sprintf("%s would have to %s (%s)",
			c.label(t, n.Type, n.Reference), n.Needs(r.Conditions, c.values), was))
	}
	if len(needs) == 0 {
		return r.WhyNotMessage
	}
	return "To match, " + strings.Join(needs, ", and ") + "."
}

type ruleRunView struct {
	Run      dossier.RuleRun
	Request  dossier.CandidateDocumentType
	Name     string
	Rules    []ruleView
	Others   []dossier.RuleRun
	Form     *form
	ETag     string // of the document type, to keep the run as a test
	Keep     bool   // the run can be kept as a test
	Because  string
	NotRules string
}

// showRuleRun shows why rules did what they did.
func showRuleRun(p *page) error { return p.ruleRun(newForm(url.Values{})) }

func (p *page) ruleRun(f *form) error {
	id := p.r.PathValue("request")
	v := ruleRunView{Form: f}
	var candidate dossier.Candidate
	var runs []dossier.RuleRun
	var c catalog
	err := gather(
		func() error {
			if _, err := p.api.get("/candidateDocumentTypes/"+id, &v.Request); err != nil {
				return err
			}
			_, err := p.api.get("/candidates/"+v.Request.CandidateID, &candidate)
			return err
		},
		func() (err error) {
			runs, _, err = list[dossier.RuleRun](p.api, "/candidateDocumentTypes/"+id+"/ruleRuns",
				nil, pageSize)
			return err
		},
		func() (err error) { c, err = p.readCatalog(); return err },
	)
	if err != nil {
		return err
	}
	found := false
	for _, run := range runs {
		if run.ID == p.r.PathValue("run") {
			v.Run, found = run, true
		} else {
			v.Others = append(v.Others, run)
		}
	}
	if !found {
		return errNoPage
	}
	v.Name, v.Rules = nameOf(candidate), c.explain(v.Request.DocumentType, v.Run.Rules)
	if v.Run.NotAppliedReason != "" {
		v.NotRules = word(v.Run.NotAppliedReason)
	} else if err := p.canKeep(&v); err != nil {
		return err
	}
	sc := screen{name: "rulerun", title: "Rules of " + v.Request.DocumentType.Name,
		section: "candidates"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// canKeep fills in what keeping a run as a test needs, where the key may read the document type.
func (p *page) canKeep(v *ruleRunView) error {
	rep, err := p.api.get("/documentTypes/"+v.Request.DocumentType.ID, nil)
	if isStatus(err, http.StatusForbidden) || isStatus(err, http.StatusNotFound) {
		return nil
	}
	v.ETag, v.Keep = rep.etag, true
	return err
}
