package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

var fieldKind = &kind{
	path: "/console/settings/fields", api: "/customFields", one: "field", many: "Fields",
	section: "settings",
	about:   "Values of your own on candidates and documents. Rules read them, and documents write them.",
	fields: func(catalog) []settingField {
		return []settingField{
			{Name: "label", Label: "Label", Hint: "For example: Permit number."},
			{Name: "entity", Label: "Of what?", Type: "select",
				Options: options(dossier.EntityCandidate, dossier.EntityDocument)},
			{Name: "type", Label: "Type", Type: "select",
				Options: options(dossier.FieldText, dossier.FieldNumber, dossier.FieldDate,
					dossier.FieldBoolean, dossier.FieldList)},
			{Name: "reference", Label: "Reference",
				Hint: "The name for programs and rules. It is made from the label if it is left empty.", Optional: true},
		}
	},
	values: func(o object) url.Values {
		return url.Values{"label": {text(o, "label")}, "entity": {text(o, "entity")},
			"type": {text(o, "type")}, "reference": {text(o, "reference")}}
	},
	body: func(f *form) object {
		ref := f.Get("reference")
		if ref == "" {
			ref = referenceOf(f.Get("label"))
		}
		return object{"label": f.Get("label"), "entity": f.Get("entity"), "type": f.Get("type"),
			"reference": ref}
	},
	note: func(o object) string { return word(text(o, "entity")) + " · " + word(text(o, "type")) },
}

var formKind = &kind{
	path: "/console/settings/forms", api: "/forms", one: "form", many: "Forms", section: "settings",
	about: "Questions that candidates answer on their page.",
	fields: func(catalog) []settingField {
		return []settingField{{Name: "name", Label: "Name",
			Hint: "Candidates read it: “Permit declaration”."},
			{Name: "questions", Label: "Questions", Type: "questions"}}
	},
	values: func(o object) url.Values {
		v := url.Values{"name": {text(o, "name")}}
		list, _ := o["fields"].([]any)
		for _, e := range list {
			q, _ := e.(object)
			v["questionLabel"], v["questionReference"] = append(v["questionLabel"],
				text(q, "label")), append(v["questionReference"], text(q, "reference"))
			v["questionType"], v["questionRequired"] = append(v["questionType"], text(q, "type")),
				append(v["questionRequired"], text(q, "required"))
		}
		return v
	},
	body: func(f *form) object {
		questions := []dossier.FormField{}
		for n := range f.values["questionLabel"] {
			q := dossier.FormField{Label: f.nth("questionLabel", n),
				Reference: f.nth("questionReference", n), Type: f.nth("questionType", n),
				Required: f.nth("questionRequired", n) == "yes"}
			if q.Label == "" && q.Reference == "" {
				continue
			}
			if q.Reference == "" {
				q.Reference = referenceOf(q.Label)
			}
			questions = append(questions, q)
		}
		return object{"name": f.Get("name"), "fields": questions}
	},
	note: func(o object) string {
		list, _ := o["fields"].([]any)
		return count(len(list), "question")
	},
	names: map[string]string{"/fields": "questions"},
}

var presetKind = &kind{
	path: "/console/settings/presets", api: "/presets", one: "preset", many: "Presets",
	section: "settings",
	about:   "Values, documents and forms that are given to a candidate in one go.",
	fields: func(c catalog) []settingField {
		types, forms, _, _ := c.choices()
		return []settingField{
			{Name: "name", Label: "Name"},
			{Name: "values", Label: "Values that it sets", Type: "values",
				Options: writeTargets(c)},
			{Name: "documentTypeIds", Label: "Documents that it asks for", Type: "checks",
				Options: types},
			{Name: "formIds", Label: "Forms that it gives", Type: "checks", Options: forms},
		}
	},
	values: func(o object) url.Values {
		v := url.Values{"name": {text(o, "name")}, "documentTypeIds": ids(o["documentTypes"]),
			"formIds": ids(o["formIds"])}
		set, _ := o["set"].(object)
		for _, k := range sortedKeys(set) {
			v["to"], v["value"] = append(v["to"], k), append(v["value"], plainText(set[k]))
		}
		return v
	},
	body: func(f *form) object {
		set := object{}
		for n := range f.values["value"] {
			if v := f.nth("value", n); v != "" {
				set[f.nth("to", n)] = v
			}
		}
		return object{"name": f.Get("name"), "set": set,
			"documentTypeIds": orEmpty(f.All("documentTypeIds")),
			"formIds":         orEmpty(f.All("formIds"))}
	},
	note: func(o object) string { return count(len(ids(o["documentTypes"])), "document type") },
	names: map[string]string{"/set": "values", "/documentTypeIds": "documentTypeIds",
		"/formIds": "formIds"},
}

var scenarioKind = &kind{
	path: "/console/settings/scenarios", api: "/scenarios", one: "scenario", many: "Scenarios",
	section: "settings",
	about:   "What follows an event: documents that are asked for and a notification. One that is not active is only the notification that rules name.",
	fields: func(c catalog) []settingField {
		types, _, _, _ := c.choices()
		return []settingField{
			{Name: "name", Label: "Name"},
			{Name: "active", Label: "It reacts to its event", Type: "check"},
			{Name: "eventName", Label: "Event", Type: "select", Options: options(event.Names...)},
			{Name: "documentTypeIds", Label: "Documents that it asks for", Type: "checks",
				Options: types},
			{Name: "subject", Label: "Subject of the notification", Optional: true},
			{Name: "text", Label: "Text of the notification", Type: "textarea",
				Hint: placeholderHint, Optional: true},
		}
	},
	values: func(o object) url.Values {
		note, _ := o["notification"].(object)
		return url.Values{"name": {text(o, "name")}, "active": flag(o["active"]),
			"eventName":       {text(o, "eventName")},
			"documentTypeIds": ids(o["documentTypes"]), "subject": {text(note, "subject")},
			"text": {text(note, "text")}}
	},
	body: func(f *form) object {
		o := object{"name": f.Get("name"), "active": f.Has("active", "yes"),
			"eventName": f.Get("eventName"), "documentTypeIds": orEmpty(f.All("documentTypeIds")),
			"notification": nil}
		if f.Get("subject") != "" || f.Get("text") != "" {
			o["notification"] = object{"subject": f.Get("subject"), "text": f.Get("text")}
		}
		return o
	},
	note: func(o object) string {
		if o["active"] == true {
			return "reacts to: " + word(text(o, "eventName"))
		}
		return "sent by rules"
	},
	names: map[string]string{"/notification/subject": "subject", "/notification/text": "text",
		"/notification": "text", "/documentTypeIds": "documentTypeIds"},
}

// placeholderHint says which placeholders a notification can have, and where.
var placeholderHint = "The candidate reads it on their page. Subject and text can have " +
	dossier.Marked(dossier.Placeholders) + ", in whose place the values are written. A rule has " +
	"values for " + strings.Join(strings.Split(dossier.Marked(dossier.RulePlaceholders), ", "),
	" and ") + " only; the reason is that of a document that was not accepted."

// candidateFields are the custom fields of candidates, by reference.
func (c catalog) candidateFields() (all []option) {
	for _, f := range c.fields {
		if f.Entity == dossier.EntityCandidate {
			all = append(all, option{f.Reference, f.Label})
		}
	}
	return all
}

var pageKind = &kind{
	path: "/console/settings/registration-pages", api: "/registration-pages",
	one: "registration page", many: "Registration pages", section: "settings",
	about: "Public links on which candidates register themselves.",
	fields: func(c catalog) []settingField {
		types, forms, presets, _ := c.choices()
		return []settingField{
			{Name: "name", Label: "Name", Hint: "Candidates read it as the title of the page."},
			{Name: "slug", Label: "Short name in the link",
				Hint: "Small letters and digits, such as drivers."},
			{Name: "active", Label: "Candidates can register", Type: "check"},
			{Name: "needed", Label: "Documents that are needed", Type: "checks", Options: types},
			{Name: "optional", Label: "Documents that may be sent", Type: "checks", Options: types},
			{Name: "formIds", Label: "Forms", Type: "checks", Options: forms},
			{Name: "neededFields", Label: "Fields that have to be filled in to register",
				Type: "checks", Options: c.candidateFields()},
			{Name: "askedFields", Label: "Fields that may be filled in", Type: "checks",
				Options: c.candidateFields()},
			{Name: "presetId", Label: "Preset", Type: "select", Blank: "None", Options: presets,
				Optional: true},
		}
	},
	values: func(o object) url.Values {
		v := url.Values{"name": {text(o, "name")}, "slug": {text(o, "slug")},
			"active": flag(o["active"]), "formIds": ids(o["formIds"]),
			"presetId": {text(o, "presetId")}}
		documents, _ := o["documents"].([]any)
		for _, e := range documents {
			d, _ := e.(object)
			list := "optional"
			if d["required"] == true {
				list = "needed"
			}
			t, _ := d["documentType"].(object)
			v[list] = append(v[list], text(t, "id"))
		}
		asked, _ := o["customFields"].([]any)
		for _, e := range asked {
			f, _ := e.(object)
			list := "askedFields"
			if f["required"] == true {
				list = "neededFields"
			}
			v[list] = append(v[list], text(f, "reference"))
		}
		return v
	},
	body: func(f *form) object {
		documents := []object{}
		for _, id := range f.All("needed") {
			documents = append(documents, object{"documentTypeId": id, "required": true})
		}
		for _, id := range f.All("optional") {
			if !slices.Contains(f.All("needed"), id) {
				documents = append(documents, object{"documentTypeId": id, "required": false})
			}
		}
		fields := []object{}
		for _, reference := range f.All("neededFields") {
			fields = append(fields, object{"reference": reference, "required": true})
		}
		for _, reference := range f.All("askedFields") {
			if !slices.Contains(f.All("neededFields"), reference) {
				fields = append(fields, object{"reference": reference})
			}
		}
		return object{"name": f.Get("name"), "slug": f.Get("slug"), "customFields": fields,
			"active": f.Has("active", "yes"), "documents": documents,
			"formIds": orEmpty(f.All("formIds")), "presetId": nullable(f.Get("presetId"))}
	},
	note: func(o object) string {
		if o["active"] != true {
			return "closed"
		}
		return "/" + text(o, "slug")
	},
	names: map[string]string{"/documents": "needed", "/formIds": "formIds",
		"/customFields": "neededFields"},
}

var keyKind = &kind{
	path: "/console/settings/keys", api: "/keys", one: "key", many: "Keys", section: "settings",
	about: "Who may sign in here and call the API, and what they may do.",
	fields: func(catalog) []settingField {
		return []settingField{
			{Name: "name", Label: "Name", Hint: "Whose key it is: “M. de Vries”, “HR system”."},
			{Name: "kind", Label: "Kind", Type: "select",
				Options: options(dossier.KindAdministrator, dossier.KindIntegration)},
			{Name: "scopes", Label: "What it may do", Type: "checks",
				Options: options(dossier.Scopes...)},
			{Name: "expiresAt", Label: "Ends on", Type: "date", Optional: true},
		}
	},
	values: func(o object) url.Values {
		ends, _, _ := strings.Cut(text(o, "expiresAt"), "T")
		return url.Values{"name": {text(o, "name")}, "kind": {text(o, "kind")},
			"scopes": ids(o["scopes"]), "expiresAt": {ends}}
	},
	body: func(f *form) object {
		o := object{"name": f.Get("name"), "kind": f.Get("kind"),
			"scopes": orEmpty(f.All("scopes")), "expiresAt": nil}
		if ends := f.Get("expiresAt"); ends != "" {
			o["expiresAt"] = ends + "T23:59:59.000Z"
		}
		return o
	},
	note: func(o object) string {
		used, _, _ := strings.Cut(text(o, "lastUsedAt"), "T")
		if used == "" {
			return word(text(o, "kind")) + " · never used"
		}
		return word(text(o, "kind")) + " · last used " + day(used)
	},
}

var integrationKind = &kind{
	path: "/console/integrations", api: "/integrations", one: "integration", many: "Integrations",
	section: "integrations",
	about:   "Systems of yours that are told of events, in order and signed.",
	fields: func(catalog) []settingField {
		return []settingField{
			{Name: "name", Label: "Name", Hint: "For example: HR system."},
			{Name: "triggerEvent", Label: "It is told of", Type: "select",
				Options: options(event.Names...)},
			{Name: "url", Label: "Address", Type: "url",
				Hint: "A public https address that takes Standard Webhooks."},
			{Name: "payload", Label: "What it gets", Type: "select",
				Options: options("thin", "full")},
			{Name: "ordered", Label: "In order for each candidate", Type: "check"},
		}
	},
	values: func(o object) url.Values {
		target, _ := o["target"].(object)
		return url.Values{"name": {text(o, "name")}, "triggerEvent": {text(o, "triggerEvent")},
			"url": {text(target, "url")}, "payload": {text(o, "payload")},
			"ordered": flag(o["ordered"])}
	},
	body: func(f *form) object {
		return object{"name": f.Get("name"), "triggerEvent": f.Get("triggerEvent"),
			"target":  object{"type": "webhook", "url": f.Get("url")},
			"payload": f.Get("payload"), "ordered": f.Has("ordered", "yes")}
	},
	names: map[string]string{"/target/url": "url", "/target": "url"},
}
