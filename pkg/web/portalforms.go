package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// question is one question of a form as the candidate answers it. Name is that of its field.
type question struct {
	dossier.FormField
	Name string
}

type candidateFormView struct {
	Asked     dossier.CandidateFormDetail
	Questions []question
	Form      *form
}

// answerField is the name of the field that answers a question.
func answerField(reference string) string { return "a-" + reference }

// formPath is the API's path of the form that the request names.
func (p *page) formPath() string {
	return "/candidates/" + p.session.Candidate + "/forms/" + p.r.PathValue("form")
}

// askedForm reads the form that the request names, and the candidate.
func (p *page) askedForm() (asked dossier.CandidateFormDetail, c dossier.Candidate, err error) {
	err = gather(
		func() error { _, err := p.api.get("/candidates/"+p.session.Candidate, &c); return err },
		func() error { _, err := p.api.get(p.formPath(), &asked); return err },
	)
	return asked, c, err
}

// openForm shows the questions of a form that is open. One that was sent is on the candidate's own
// page.
func openForm(p *page) error {
	asked, c, err := p.askedForm()
	switch {
	case err != nil:
		return err
	case asked.State == dossier.FormSubmitted:
		return p.redirect("/c")
	}
	return p.showForm(newForm(url.Values{}), asked, c.Language)
}

// showForm shows the questions of a form with what was typed.
func (p *page) showForm(f *form, asked dossier.CandidateFormDetail, language string) error {
	v := candidateFormView{Asked: asked, Form: f}
	for _, field := range asked.Fields {
		v.Questions = append(v.Questions, question{field, answerField(field.Reference)})
	}
	sc := screen{name: "candidateform", title: "form"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.showPortal(sc, language, v)
}

// submitForm sends the answers of a form. What is wrong stands beside its question, and
// what was typed stays.
func submitForm(p *page) error {
	f, err := p.postedByCandidate()
	if err != nil {
		return err
	}
	asked, c, err := p.askedForm()
	if err != nil {
		return err
	}
	answers := object{}
	for _, field := range asked.Fields {
		if v := answer(field.Type, f.Get(answerField(field.Reference))); v != nil {
			answers[field.Reference] = v
		}
	}
	_, err = p.api.do(call{method: http.MethodPost, path: p.formPath(),
		body: object{"answers": answers}, key: f.Key}, nil)
	var e *apiError
	switch {
	case errors.As(err, &e) && e.Code == dossier.CodeTransition:
		return p.arrived("/c", f) // it was sent already: the page says so
	case e != nil && e.Status == http.StatusUnprocessableEntity:
		f.tellAnswers(e.Errors, asked.Fields, p.speaks(c.Language))
		return p.showForm(f, asked, c.Language)
	case err != nil:
		return err
	}
	return p.arrived("/c", f)
}

// answer returns what was typed as a value of a type; nil is no answer. What is no number is sent
// as it is: the API refuses it.
func answer(fieldType, typed string) any {
	if typed == "" {
		return nil
	}
	switch fieldType {
	case dossier.FieldNumber:
		if n, err := strconv.ParseFloat(strings.Replace(typed, ",", ".", 1), 64); err == nil {
			return n
		}
	case dossier.FieldBoolean:
		return typed == "yes"
	case dossier.FieldList:
		var lines []string
		for line := range strings.Lines(typed) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	return typed
}

// tellAnswers takes over what the API said about answers, in the words of a language.
func (f *form) tellAnswers(problems []dossier.FieldError, fields []dossier.FormField, lang string) {
	for _, problem := range problems {
		reference, _, _ := strings.Cut(strings.TrimPrefix(problem.Pointer, "/answers/"), "/")
		f.tellAnswer(problem.Code, reference, fields, lang)
	}
}

// tellAnswer says beside a question what is wrong with its answer. A question that the page does
// not have was changed meanwhile: the form has to be sent again.
func (f *form) tellAnswer(code dossier.ProblemCode, reference string, fields []dossier.FormField,
	lang string) {
	for _, field := range fields {
		if field.Reference == reference {
			f.add(answerField(reference), say(lang, answerProblem(code, field.Type)))
			return
		}
	}
	f.Top = append(f.Top, say(lang, "sendAgain"))
}

// answerProblem returns the key of the text about an answer of a type.
func answerProblem(code dossier.ProblemCode, fieldType string) string {
	switch {
	case code == dossier.ProblemRequired:
		return "needAnswer"
	case code == dossier.ProblemTooLong:
		return "tooLong"
	case fieldType == dossier.FieldNumber:
		return "badNumber"
	case fieldType == dossier.FieldDate:
		return "badDate"
	}
	return "badValue"
}
