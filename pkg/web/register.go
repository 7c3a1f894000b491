package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// registerFields are the fields of the form of a registration page.
var registerFields = []string{"firstName", "lastName", "email", "phone", "birthDate",
	"nationality", "language"}

// registerView holds the values of a registration page.
type registerView struct {
	Page      *dossier.PublicPage // nil where the API takes no more requests at the moment
	Form      *form
	Questions []question // the custom fields that it asks for
	Languages []option
}

// publicPath returns the API's path of the registration page that the request names. Both parts are
// one segment each.
func (p *page) publicPath() (string, error) {
	company, name := p.r.PathValue("company"), p.r.PathValue("page")
	if strings.Contains(company+name, "/") {
		return "", errNoPage
	}
	return "/public/" + company + "/registration-pages/" + name, nil
}

// registerPage shows what a registration page asks for, and the form.
func registerPage(p *page) error {
	return p.registerForm(newForm(url.Values{"language": {p.speaks("")}}), 0)
}

// registerForm shows a registration page with a form; status is that of the answer, 200 where 0.
func (p *page) registerForm(f *form, status int) error {
	path, err := p.publicPath()
	if err != nil {
		return err
	}
	v := registerView{Form: f, Languages: languages}
	var public dossier.PublicPage
	_, err = p.api.get(path, &public)
	switch {
	case err == nil:
		v.Page, p.session.Company = &public, public.Company.Name
		for _, field := range public.CustomFields {
			v.Questions = append(v.Questions, question{field, answerField(field.Reference)})
		}
	// what was typed is kept, also where nothing more can be read
	case !f.Bad() || !isStatus(err, http.StatusTooManyRequests):
		return err
	}
	return p.showPortal(screen{name: "register", title: "register", status: status}, "", v)
}

// register creates a candidate from the form and goes on to the candidate's own page.
func register(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	path, err := p.publicPath()
	if err != nil {
		return err
	}
	body := object{"website": f.Get("website"), "idempotencyKey": f.Key}
	f.values.Set("nationality", strings.ToUpper(f.Get("nationality")))
	for _, name := range registerFields {
		if value := f.Get(name); value != "" {
			body[name] = value
		}
	}
	fields, err := p.registeredFields(path, f, body)
	if err != nil {
		return err
	}
	var made dossier.PublicRegistered
	send := call{method: http.MethodPost, path: path + "/register", body: body}
	_, err = p.api.do(send, &made)
	var e *apiError
	if errors.As(err, &e) && e.Code == dossier.CodeKeyReused { // changed since it was taken
		f.Key = formKey()
		body["idempotencyKey"] = f.Key
		_, err = p.api.do(send, &made)
	}
	switch {
	case isStatus(err, http.StatusTooManyRequests):
		f.Top = append(f.Top, say(p.speaks(""), "busy"))
		return p.registerForm(f, http.StatusTooManyRequests)
	case errors.As(err, &e) && e.Status == http.StatusUnprocessableEntity:
		f.tell(e.Errors, fields, p.speaks(""))
		return p.registerForm(f, e.Status)
	case err != nil:
		return err
	}
	p.keepLanguage(f.Get("language"))
	p.site.setCookie(p.w, portalCookie, made.Token, made.ExpiresAt.Time)
	return p.arrived("/c", f)
}

// registeredFields adds the values of the custom fields to a registration, and returns the fields.
// They are read only where the form has some.
func (p *page) registeredFields(path string, f *form,
	body object) (fields []dossier.FormField, err error) {
	if !f.values.Has("_asked") {
		return nil, nil
	}
	var public dossier.PublicPage
	if _, err := p.api.get(path, &public); err != nil {
		return nil, err
	}
	values := object{}
	for _, field := range public.CustomFields {
		if v := answer(field.Type, f.Get(answerField(field.Reference))); v != nil {
			values[field.Reference] = v
		}
	}
	body["customFields"] = values
	return public.CustomFields, nil
}

// tell takes over what the API said about a registration, in the words of a language.
func (f *form) tell(problems []dossier.FieldError, fields []dossier.FormField, lang string) {
	for _, problem := range problems {
		name := strings.TrimPrefix(problem.Pointer, "/")
		if rest, ok := strings.CutPrefix(problem.Pointer, "/customFields/"); ok {
			reference, _, _ := strings.Cut(rest, "/")
			f.tellAnswer(problem.Code, reference, fields, lang)
			continue
		}
		if !slices.Contains(registerFields, name) {
			f.Top = append(f.Top, say(lang, "sendAgain"))
			continue
		}
		key := "badValue"
		switch {
		case problem.Code == dossier.ProblemRequired && name == "firstName":
			key = "needName"
		case problem.Code == dossier.ProblemRequired && name == "email":
			key = "needEmail"
		case name == "birthDate":
			key = "badDate"
		case name == "nationality":
			key = "badNationality"
		case problem.Code == dossier.ProblemTooLong:
			key = "tooLong"
		case problem.Code == dossier.ProblemMalformed && name == "email":
			key = "badEmail"
		}
		f.add(name, say(lang, key))
	}
}
