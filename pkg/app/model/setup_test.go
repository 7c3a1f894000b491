package model

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// must creates an entity in the settings of a company, and returns the response.
func (s *session) must(by *principal, method, path string, body object) object {
	status, got, err := s.service.send(method, path, by.secret, "", body)
	made, _ := got.(object)
	if err != nil || status != 200 {
		s.Fatalf("%s %s %v: %d %v %v", method, path, body, status, got, err)
	}
	return made
}

// The scopes of the keys of a company, beside those of its administrator.
var clerks = map[string][]string{
	"clerk":  {"candidates:write", "documents:write", "messages:write"},
	"writer": {"messages:write", "candidates:read"},
	"reader": {"documents:read", "messages:read", "candidates:read", "settings:read"},
}

// setUp makes two companies of a group, and a stranger, with their settings.
func (s *session) setUp() {
	group := ""
	for n := range 3 {
		if n == 2 {
			group = ""
		}
		made, err := s.service.store.CreateCompany(s.Context(), group, fmt.Sprint("Company ", n))
		if err != nil {
			s.Fatal(err)
		}
		group = made.GroupID
		c := &company{id: made.ID, group: group, fields: map[string]string{}, model: s.model,
			name: fmt.Sprint("Company ", n)}
		s.model.companies = append(s.model.companies, c)
		c.people = []*principal{{id: made.Key.ID, kind: "administrator", secret: made.Key.Secret,
			company: c, scopes: made.Key.Scopes}}
		if n < 2 {
			s.companies = append(s.companies, c)
			s.settings(c, n)
		}
	}
	s.must(s.companies[0].people[0], "PATCH", "/documentTypes/"+s.companies[0].types[0].id,
		object{"sharedWith": []string{s.companies[1].id}})
	s.companies[0].types[0].save(s.companies[1:])
}

func (s *session) settings(c *company, n int) {
	admin := c.people[0]
	for _, name := range []string{"clerk", "writer", "reader"} {
		kind := map[bool]string{true: "integration", false: "administrator"}[name == "reader"]
		made := s.must(admin, "POST", "/keys", object{"name": name, "kind": kind,
			"scopes": clerks[name]})
		c.people = append(c.people, &principal{id: made["id"].(string), kind: kind, company: c,
			secret: made["secret"].(string), scopes: clerks[name]})
	}
	for _, f := range []string{"candidate cf_ code text", "candidate cf_ grade number",
		"document dcf_ note text"}[:3-n] { // the second company has no document field
		w := strings.Fields(f)
		s.must(admin, "POST", "/customFields", object{"entity": w[0], "reference": w[2],
			"label": w[2], "type": w[3]})
		c.fields[w[1]+w[2]] = w[3]
	}
	f := &form{name: "Form"}
	f.id = s.must(admin, "POST", "/forms", object{"name": f.name, "fields": []object{
		{"reference": "a", "label": "A", "type": "text"}}})["id"].(string)
	c.forms = []*form{f}
	for n := range 3 {
		s.documentType(c, n)
	}
	for n, set := range []object{{"language": "nl", "cf_code": "preset"},
		{"language": "fr", "cf_code": "preset", "lastName": "Bo"}} {
		p := &preset{set: set, types: c.types[2-n:], forms: c.forms}
		p.id = s.must(admin, "POST", "/presets", object{"name": "P", "set": p.set,
			"documentTypeIds": list(p.types, func(t *docType) any { return t.id }),
			"formIds":         []string{f.id}})["id"].(string)
		c.presets = append(c.presets, p)
	}
	s.scenarios(c)
	for n, name := range []string{s.eventName("integration"), "candidateDocumentValidated",
		"candidateMessageSent"} {
		path := fmt.Sprintf("/%d/%s/%d", s.origin, c.id, n)
		i := &integration{event: name, status: 200}
		made := s.must(admin, "POST", "/integrations", object{"name": "I", "triggerEvent": name,
			"target": object{"type": "webhook", "url": s.endpoints.url + path}})
		i.id, i.secret = made["id"].(string), path
		s.endpoints.at(path).secret = made["secret"].(string)
		c.integrations = append(c.integrations, i)
	}
	for _, t := range c.types[:2] {
		s.changeRules(c, t)
	}
}

func (s *session) documentType(c *company, n int) {
	admin := c.people[0]
	t := &docType{owner: c, version: 1, pass: n == 1, required: []string{},
		copies: map[*company]int{}, confirmed: map[*company]bool{}, writeBack: s.writeBack(c)}
	t.automatic = n != 2 && rapid.IntRange(0, 2).Draw(s.T, "automatic") > 0
	t.replaceable = rapid.SampledFrom([]string{"candidate", "candidate", "administrator",
		"never"}).Draw(s.T, "replaceable")
	if n == 0 {
		t.required = []string{"front"}
	} else if n == 2 {
		t.required = []string{"front", "back"}
	}
	decision := map[bool]string{true: "automatic", false: "manual"}[t.automatic]
	check := object{"parser": "json", "decision": decision}
	if t.parser = n == 0; t.parser {
		check["parser"], check["http"] = "http", object{"url": s.endpoints.url + "/parser"}
	}
	writeBack := []object{}
	for _, w := range t.writeBack {
		writeBack = append(writeBack, object{"from": w[0], "to": w[1]})
	}
	t.id = s.must(admin, "POST", "/documentTypes", object{"name": fmt.Sprint("T", n),
		"pass": t.pass, "replaceable": t.replaceable, "requiredParts": t.required,
		"writeBack": writeBack,
		"check":     check})["id"].(string)
	c.types = append(c.types, t)
}

func (s *session) writeBack(c *company) (chosen [][2]string) {
	for _, w := range [][2]string{{"name", "lastName"}, {"deep.code", "cf_code"},
		{"grade", "cf_grade"}, {"name", "dcf_note"}, {"born", "birthDate"}} {
		_, known := c.fields[w[1]]
		if custom := strings.Contains(w[1], "cf_"); (known || !custom) && s.flip("write back") {
			chosen = append(chosen, w)
		}
	}
	return chosen
}

// eventNames are those that scenarios and integrations of a session react to.
var eventNames = []string{"candidateRejected", "candidatePassVerificationVerified",
	"candidatePassVerificationFailed", "candidateMessageSent", "candidateCreated",
	"candidateUpdated", "candidateStatusChanged", "candidateApproved",
	"candidateDocumentRequested", "candidateDocumentUploaded", "candidateDocumentValidated",
	"candidateDocumentRejected", "candidateFormRemoved", "candidatePresetApplied",
	"candidateDocumentRemoved", "candidateFormSubmitted", "candidateDocumentCheckFailed"}

func (s *session) eventName(label string) string {
	return rapid.SampledFrom(eventNames).Draw(s.T, label)
}

func (s *session) scenarios(c *company) {
	for n := range 3 {
		x := &scenario{event: s.eventName("scenario"), active: n > 0, types: c.types[n:n]}
		body := object{"name": "S", "eventName": x.event, "active": x.active}
		if n < 2 {
			x.text = fmt.Sprintf("{{firstName}}: notification %d", n)
			body["notification"] = object{"subject": "S", "text": x.text}
		}
		if n > 0 {
			x.types = c.types[1:2]
			body["documentTypeIds"] = []string{c.types[1].id}
		}
		x.id = s.must(c.people[0], "POST", "/scenarios", body)["id"].(string)
		c.scenarios = append(c.scenarios, x)
	}
}

// changeRules gives a document type other rules.
func (s *session) changeRules(c *company, t *docType) {
	rules := s.rules(c)
	got := s.must(c.people[0], "PATCH", "/documentTypes/"+t.id, object{"submission": object{
		"rules": list(rules, rule.body)}})
	ids := each(got["submission"].(object)["rules"], "id")
	for n := range rules {
		rules[n].id, _ = ids[n].(string)
	}
	id := func(r rule) any { return r.id }
	if !slices.Equal(list(t.rules, id), list(rules, id)) {
		t.version++
	}
	t.rules = rules
	t.save(t.shared)
}

// rules draws the rules of a document type.
func (s *session) rules(c *company) []rule {
	rules := make([]rule, rapid.IntRange(0, 3).Draw(s.T, "rules"))
	if rapid.IntRange(0, 2).Draw(s.T, "comes and goes") == 0 {
		rules = append(rules, s.comesAndGoes(c))
	}
	for n := range rules {
		r := &rules[n]
		if len(r.actions) > 0 {
			continue
		}
		r.and = s.flip("and")
		for range rapid.IntRange(0, 2).Draw(s.T, "conditions") {
			r.conditions = append(r.conditions, s.condition(c))
		}
		for range rapid.IntRange(0, 3).Draw(s.T, "actions") {
			r.actions = append(r.actions, s.action(c))
		}
	}
	return rules
}

// comesAndGoes is a rule that brings something and takes it away in the same run.
func (s *session) comesAndGoes(c *company) rule {
	if s.flip("form") {
		p := rapid.SampledFrom(c.presets).Draw(s.T, "brings")
		return rule{and: true, actions: []action{{kind: "applyPreset", preset: p},
			{kind: "removeForm", form: c.forms[0]}}}
	}
	t := rapid.SampledFrom(c.types).Draw(s.T, "asks for")
	return rule{and: true, actions: []action{{kind: "addDocumentType", docType: t},
		{kind: "removeDocumentType", docType: t}}}
}

// The references of conditions, and values of the same few kinds as those of documents.
var (
	references = []string{"fields name", "fields grade", "fields tags", "fields deep.code",
		"fields deep", "fields none", "context firstName", "context lastName", "context language",
		"context status", "context passVerification", "context cf_code", "context cf_grade",
		"context documentTypes", "context forms", "context presets"}
	operators = []string{"isEmpty", "isNotEmpty", "isEqual", "isNotEqual", "contains",
		"notContains"}
	values = []any{"Ada", "Bo", "B", 5.0, 7.5, "7.5", true, []any{"a"}, []any{"a", "b"},
		[]any{"Ada", 5.0}, "C1", "1", "collecting", "verified", "nl", "Cafe\u0301"}
)

func (s *session) condition(c *company) condition {
	kind, reference, _ := strings.Cut(rapid.SampledFrom(references).Draw(s.T, "reference"), " ")
	x := condition{kind: kind, reference: reference,
		operator: rapid.SampledFrom(operators).Draw(s.T, "operator")}
	if strings.HasSuffix(x.operator, "mpty") {
		return x
	}
	switch reference {
	case "documentTypes":
		x.value = rapid.SampledFrom(c.types).Draw(s.T, "type").id
	case "forms":
		x.value = c.forms[0].id
	case "presets":
		x.value = rapid.SampledFrom(c.presets).Draw(s.T, "of preset").id
	default:
		x.value = rapid.SampledFrom(values).Draw(s.T, "value")
	}
	return x
}

func (s *session) action(c *company) action {
	kind := rapid.SampledFrom([]string{"addDocumentType", "removeDocumentType", "removeForm",
		"applyPreset", "sendNotification"}).Draw(s.T, "action")
	a := action{kind: kind}
	switch kind {
	case "addDocumentType":
		a.docType = rapid.SampledFrom(c.types).Draw(s.T, "adds")
		a.metadata = rapid.SampledFrom([]object{nil, {"required": false, "note": "n"},
			{"candidate": "c"}}).Draw(s.T, "metadata")
	case "removeDocumentType":
		a.docType = rapid.SampledFrom(c.types).Draw(s.T, "removes")
	case "removeForm":
		a.form = c.forms[0]
	case "applyPreset":
		a.preset = rapid.SampledFrom(c.presets).Draw(s.T, "applies")
	default:
		a.scenario = rapid.SampledFrom(c.scenarios[:2]).Draw(s.T, "notification")
	}
	return a
}

// body is the rule as a request has it.
func (r rule) body() any {
	kind := map[bool]string{true: "and", false: "or"}[r.and]
	conditions := list(r.conditions, func(c condition) any {
		o := object{"type": c.kind, "reference": c.reference, "operator": c.operator}
		if c.value != nil {
			o["value"] = c.value
		}
		return o
	})
	actions := list(r.actions, func(a action) any {
		o := object{"type": a.kind, "value": a.target()}
		if a.metadata != nil {
			o["metadata"] = a.metadata
		}
		return o
	})
	return object{"conditionsType": kind, "conditions": conditions, "actions": actions}
}

func (a action) target() string {
	switch {
	case a.docType != nil:
		return a.docType.id
	case a.form != nil:
		return a.form.id
	case a.preset != nil:
		return a.preset.id
	}
	return a.scenario.id
}
