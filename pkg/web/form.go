package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// form is a form with what was typed and what is wrong with it.
type form struct {
	values url.Values
	errors map[string][]string // by the name of a field
	Top    []string            // what is wrong with no field of the form
	Key    string              // Idempotency-Key
}

// newForm makes a form with first values.
func newForm(values url.Values) *form {
	return &form{values: values, errors: map[string][]string{}, Key: formKey()}
}

// posted returns the form that was sent.
func (p *page) posted() (*form, error) {
	if err := p.r.ParseForm(); err != nil {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return nil, &apiError{Status: http.StatusRequestEntityTooLarge,
				Code: dossier.CodeTooLarge, Detail: "The form is too large."}
		}
		return nil, &apiError{Status: http.StatusBadRequest, Code: dossier.CodeMalformed,
			Detail: "The form could not be read."}
	}
	f := newForm(p.r.PostForm)
	if key := p.r.PostForm.Get("_key"); len(key) >= len(f.Key) && len(key) <= 100 {
		f.Key = key
	}
	return f, nil
}

// Get returns the trimmed value of a field.
func (f *form) Get(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// Raw returns the value of a field as it was typed.
func (f *form) Raw(name string) string { return f.values.Get(name) }

// All returns every value of a field.
func (f *form) All(name string) []string { return f.values[name] }

// Has reports whether a field has a value, as a checked box does.
func (f *form) Has(name, value string) bool { return slices.Contains(f.values[name], value) }

// Errors returns the errors of a field.
func (f *form) Errors(name string) []string { return f.errors[name] }

// Bad reports whether anything is wrong.
func (f *form) Bad() bool { return len(f.errors) > 0 || len(f.Top) > 0 }

// add adds an error to a field.
func (f *form) add(name, message string) { f.errors[name] = append(f.errors[name], message) }

// refused copies the API's errors about the request that the form made to the form's fields. names
// leads from the beginning of a pointer to a field; a pointer `/name` is the field name. It returns
// an error that is none of the form's.
func (f *form) refused(err error, names map[string]string) error {
	var e *apiError
	if !errors.As(err, &e) || e.Status == http.StatusUnauthorized ||
		e.Status == http.StatusNotFound ||
		e.Status >= http.StatusInternalServerError {
		return err
	}
	if len(e.Errors) == 0 {
		f.Top = append(f.Top, e.Detail)
		return nil
	}
	for _, field := range e.Errors {
		if name := fieldOf(field.Pointer, names); name != "" {
			f.add(name, fieldSentence(field.Message))
			continue
		}
		f.Top = append(f.Top, fieldSentence(field.Message))
	}
	return nil
}

func fieldOf(pointer string, names map[string]string) string {
	best := ""
	for prefix := range names {
		if (pointer == prefix || strings.HasPrefix(pointer, prefix+"/")) &&
			len(prefix) > len(best) {
			best = prefix
		}
	}
	if best != "" {
		return names[best]
	}
	if name := strings.TrimPrefix(pointer, "/"); name != "" && !strings.Contains(name, "/") {
		return name
	}
	return ""
}

// option is one choice of a field.
type option struct {
	Value, Label string
}

// options makes choices of the API's words.
func options(values ...string) []option {
	list := make([]option, len(values))
	for i, v := range values {
		list[i] = option{v, word(v)}
	}
	return list
}
