package web

import (
	"net/http"
	"net/url"
	"strings"

	"rsc.io/qr"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// object is a resource of the API as JSON.
type object = map[string]any

// settingField is one field of a kind's form.
type settingField struct {
	// Type is an input's, or "textarea", "select", "checks", "check", "questions", "values"
	Name, Label, Hint, Type string
	Options                 []option
	Blank                   string
	Optional                bool
}

// kind is one kind of settings: how it is listed, shown as a form, and sent to the API.
type kind struct {
	path, api, one, many, about string
	section                     string
	fields                      func(c catalog) []settingField
	values                      func(o object) url.Values
	body                        func(f *form) object
	note                        func(o object) string // beside the name in the list
	names                       map[string]string     // from pointers to fields
}

// kinds are the kinds of settings, by the last part of their path.
var kinds = map[string]*kind{
	"fields": fieldKind, "forms": formKind, "presets": presetKind, "scenarios": scenarioKind,
	"registration-pages": pageKind, "keys": keyKind,
	"integrations": integrationKind,
}

// settingsOrder is the order in which the settings page lists the kinds.
var settingsOrder = []*kind{pageKind, formKind, fieldKind, presetKind, scenarioKind, keyKind}

func text(o object, name string) string { return plainText(o[name]) }

// ids lists the ids in a list of ids or of objects.
func ids(v any) []string {
	list, _ := v.([]any)
	var all []string
	for _, e := range list {
		switch x := e.(type) {
		case string:
			all = append(all, x)
		case object:
			all = append(all, text(x, "id"))
		}
	}
	return all
}

// flag returns the value of a checked box.
func flag(v any) []string {
	if v == true {
		return []string{"yes"}
	}
	return nil
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// nullable returns nil for an empty text, which clears a field.
func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// kindOf returns the kind of settings that a page's path names.
func (p *page) kindOf() (*kind, error) {
	if strings.HasPrefix(p.r.URL.Path, integrationKind.path) {
		return integrationKind, nil
	}
	if k := kinds[p.r.PathValue("kind")]; k != nil && k != integrationKind {
		return k, nil
	}
	return nil, errNoPage
}

type settingsView struct{ Kinds []kindCard }

type kindCard struct{ Href, Name, About string }

func settingsPage(p *page) error {
	var v settingsView
	for _, k := range settingsOrder {
		v.Kinds = append(v.Kinds, kindCard{k.path, k.many, k.about})
	}
	v.Kinds = append(v.Kinds, kindCard{companiesPath, "Companies", aboutCompanies})
	return p.show(screen{name: "settings", title: "Settings", section: "settings"}, v)
}

type settingRow struct{ Href, Name, Note string }

type settingListView struct {
	Title, About, New, One string
	Rows                   []settingRow
}

func listSettings(p *page) error {
	k, err := p.kindOf()
	if err != nil {
		return err
	}
	all, _, err := list[object](p.api, k.api, nil, dossier.MaxListed)
	if err != nil {
		return err
	}
	v := settingListView{Title: k.many, About: k.about, New: k.path + "/new", One: "New " + k.one}
	for _, o := range all {
		name := text(o, "name")
		if name == "" {
			name = text(o, "label")
		}
		v.Rows = append(v.Rows, settingRow{k.path + "/" + text(o, "id"), name, k.note(o)})
	}
	return p.show(screen{name: "settinglist", title: k.many, section: k.section}, v)
}

type settingFormView struct {
	Form      *form
	Title     string
	Action    string
	ID        string
	Back      string
	BackName  string
	Fields    []settingField
	Questions []typeRow
	Values    []backRow
	Public    string
	QR        bool
}

func newSetting(p *page) error {
	k, err := p.kindOf()
	if err != nil {
		return err
	}
	first := url.Values{"active": {"yes"}, "ordered": {"yes"}, "payload": {"thin"},
		"triggerEvent": {event.CandidateDocumentValidated}, "scopes": {}}
	return p.settingForm(k, newForm(first), "")
}

func editSetting(p *page) error {
	k, err := p.kindOf()
	if err != nil {
		return err
	}
	var o object
	rep, err := p.api.get(k.api+"/"+p.r.PathValue("id"), &o)
	if err != nil {
		return err
	}
	v := k.values(o)
	v.Set("_etag", rep.etag)
	v.Set("_name", text(o, "name")+text(o, "label"))
	v.Set("_slug", text(o, "slug"))
	return p.settingForm(k, newForm(v), text(o, "id"))
}

func (p *page) settingForm(k *kind, f *form, id string) error {
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	v := settingFormView{Form: f, Title: "New " + k.one, Action: k.path + "/new", ID: id,
		Back: k.path, BackName: k.many, Fields: k.fields(c)}
	if id != "" {
		v.Title, v.Action = f.Get("_name"), k.path+"/"+id
		if k == integrationKind {
			v.Action += "/edit"
		}
	}
	for n := range f.values["questionLabel"] {
		if f.nth("questionLabel", n) != "" {
			v.Questions = append(v.Questions,
				typeRow{f.nth("questionLabel", n), f.nth("questionReference", n),
					f.nth("questionType", n), f.nth("questionRequired", n), ""})
		}
	}
	v.Questions = append(v.Questions, typeRow{Type: "text"}, typeRow{Type: "text"})
	for n := range f.values["value"] {
		if f.nth("value", n) != "" {
			v.Values = append(v.Values, backRow{f.nth("value", n), f.nth("to", n)})
		}
	}
	v.Values = append(v.Values, backRow{}, backRow{})
	if k == pageKind && id != "" {
		v.Public, v.QR = p.publicLink(f.Get("_slug")), true
	}
	sc := screen{name: "settingform", title: v.Title, section: k.section}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// publicLink returns the address at which candidates register, by the short name of the page.
func (p *page) publicLink(slug string) string {
	return p.site.base(p.r) + "/p/" + p.session.CompanyID + "/" + slug
}

// pageQR answers the QR code of a registration page's public link.
func pageQR(p *page) error {
	var saved dossier.RegistrationPage
	if _, err := p.api.get("/registration-pages/"+p.r.PathValue("id"), &saved); err != nil {
		return err
	}
	code, err := qr.Encode(p.publicLink(saved.Slug), qr.M)
	if err != nil {
		return err
	}
	p.w.Header().Set("Content-Type", "image/png")
	_, _ = p.w.Write(code.PNG()) // a browser that went away has no use for the error
	return nil
}

func saveSetting(p *page) error {
	k, err := p.kindOf()
	if err != nil {
		return err
	}
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("id")
	body := k.body(f)
	in := call{method: http.MethodPatch, path: k.api + "/" + id, body: body,
		ifMatch: f.Get("_etag")}
	if id == "" {
		dropNulls(body)
		in = call{method: http.MethodPost, path: k.api, body: body, key: f.Key}
	}
	if k == keyKind && id != "" {
		delete(body, "kind")
	}
	var saved object
	if _, err := p.api.do(in, &saved); err != nil {
		if err := f.refused(err, k.names); err != nil {
			return err
		}
		return p.settingForm(k, f, id)
	}
	if secret := text(saved, "secret"); secret != "" {
		return p.showSecret(k, text(saved, "id"), secret)
	}
	return p.done(k.path+"/"+text(saved, "id"), "saved")
}

type secretView struct{ Title, Text, Secret, Href string }

// showSecret shows a secret that the API returns only once.
func (p *page) showSecret(k *kind, id, secret string) error {
	v := secretView{Title: "The signing secret",
		Text: "The receiver verifies signatures with it. It is shown only now.", Secret: secret,
		Href: k.path + "/" + id}
	if k == keyKind {
		v.Title, v.Text, v.Href = "The new key",
			"Whoever has it may do what it may. It is shown only now.", k.path
	}
	return p.show(screen{name: "secret", title: v.Title, section: k.section}, v)
}

func deleteSetting(p *page) error {
	k, err := p.kindOf()
	if err != nil {
		return err
	}
	return p.remove(k.api+"/"+p.r.PathValue("id"), k.path, "deleted")
}
