package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const companiesPath = "/console/companies"

const aboutCompanies = "The companies of your group. Each has its own candidates, keys and " +
	"settings; document types can be shared between them."

type companiesView struct {
	About string
	Own   string // the id of the signed-in company
	All   []dossier.Company
	More  bool
}

func listCompanies(p *page) error {
	v := companiesView{About: aboutCompanies, Own: p.session.CompanyID}
	var err error
	v.All, v.More, err = list[dossier.Company](p.api, "/companies", nil, dossier.MaxListed)
	if err != nil {
		return err
	}
	return p.show(screen{name: "companies", title: "Companies", section: "settings"}, v)
}

type companyView struct {
	Company dossier.Company
	Own     bool
	Form    *form
	Types   []dossier.DocumentType // that are shared between it and the signed-in company
}

func newCompany(p *page) error { return p.companyForm(newForm(url.Values{})) }

func showCompany(p *page) error { return p.companyForm(newForm(url.Values{})) }

// companyForm shows a company, or the form of a new one.
func (p *page) companyForm(f *form) error {
	v := companyView{Form: f}
	sc := screen{name: "company", title: "New company", section: "settings"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	id := p.r.PathValue("id")
	if id == "" {
		return p.show(sc, v)
	}
	rep, err := p.api.get("/companies/"+url.PathEscape(id), &v.Company)
	if err != nil {
		return err
	}
	sc.title, v.Own = v.Company.Name, v.Company.ID == p.session.CompanyID
	if !f.Bad() {
		f.values = url.Values{"name": {v.Company.Name}, "_etag": {rep.etag}}
	}
	var types []dossier.DocumentType
	if err := allowed(p, &types, "/documentTypes", nil)(); err != nil {
		return err
	}
	for _, t := range types {
		owned := t.Owner.CompanyID == id
		if owned && !v.Own || slices.Contains(t.SharedWith, id) {
			v.Types = append(v.Types, t)
		}
	}
	return p.show(sc, v)
}

// saveCompany makes a company, whose first key is shown once, or renames the own one.
func saveCompany(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("id")
	in := call{method: http.MethodPost, path: "/companies", body: object{"name": f.Get("name")},
		key: f.Key}
	if id != "" {
		in.method, in.path = http.MethodPatch, "/companies/"+url.PathEscape(id)
		in.key, in.ifMatch = "", f.Get("_etag")
	}
	var saved dossier.Company
	if _, err := p.api.do(in, &saved); err != nil {
		if err := f.refused(err, nil); err != nil {
			return err
		}
		return p.companyForm(f)
	}
	if saved.Key == nil || saved.Key.Secret == "" {
		return p.done(companiesPath, "saved")
	}
	return p.show(screen{name: "secret", title: "The key of " + saved.Name, section: "settings"},
		secretView{Title: "The key of " + saved.Name,
			Text: "Its first administrator signs in with it, and makes the other keys. " +
				"It may do what you may. It is shown only now.",
			Secret: saved.Key.Secret, Href: companiesPath})
}

// sharing says who owns a document type and with whom it is shared.
type sharing struct {
	Owner string // another company; empty for the own one
	With  []string
}

// sharingOf names the companies that share a document type. A key that may not read companies sees
// their ids.
func (p *page) sharingOf(t dossier.DocumentType) (s sharing, err error) {
	other := t.Owner.CompanyID != p.session.CompanyID
	if !other && len(t.SharedWith) == 0 {
		return s, nil
	}
	var all []dossier.Company
	if err := allowed(p, &all, "/companies", nil)(); err != nil {
		return s, err
	}
	name := func(id string) string {
		for _, c := range all {
			if c.ID == id {
				return c.Name
			}
		}
		return shortID(id)
	}
	if other {
		s.Owner = name(t.Owner.CompanyID)
	}
	for _, id := range t.SharedWith {
		s.With = append(s.With, name(id))
	}
	return s, nil
}
