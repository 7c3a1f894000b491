package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// manyResult is the outcome for one of several candidates.
type manyResult struct {
	ID, Name string
	Done     bool
	Why      string // where it was not done
}

type manyView struct {
	What    string // "ask" or "message"
	Form    *form
	Chosen  []option // candidates, by id
	Types   []option
	Results []manyResult // after it was sent
	Done    int
}

// manyCandidates asks what is sent to the candidates that were chosen in the list.
func manyCandidates(p *page) error {
	f := newForm(p.r.URL.Query())
	f.values.Set("required", "yes")
	return p.many(f, nil)
}

// many shows the form for several candidates, or what became of each.
func (p *page) many(f *form, results []manyResult) error {
	v := manyView{What: f.Get("what"), Form: f, Results: results}
	if v.What != "message" {
		v.What = "ask"
	}
	ids := chosen(f)
	if len(ids) == 0 {
		return p.show(screen{name: "many", title: "Nobody is chosen", section: "candidates"}, v)
	}
	names, err := p.names(ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		v.Chosen = append(v.Chosen, option{id, names[id]})
	}
	for i := range v.Results {
		v.Results[i].Name = names[v.Results[i].ID]
		if v.Results[i].Done {
			v.Done++
		}
	}
	if v.What == "ask" && results == nil {
		if v.Types, err = p.typeOptions(); err != nil {
			return err
		}
	}
	sc := screen{name: "many", title: map[string]string{"ask": "Ask for a document",
		"message": "Send a message"}[v.What], section: "candidates"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// chosen lists the candidates of a form, each once, as many as a page of the list has.
func chosen(f *form) []string {
	var ids []string
	for _, id := range f.All("id") {
		if !slices.Contains(ids, id) && !strings.ContainsAny(id, "/?#") && len(ids) < rowsOnPage {
			ids = append(ids, id)
		}
	}
	return ids
}

// sendToMany sends the form to each candidate with a key of its own: sent twice, it acts once for
// each. What the API refuses for one does not stop the others.
func sendToMany(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	message := f.Get("what") == "message"
	switch {
	case message && f.Get("text") == "":
		f.add("text", "Write something first.")
	case !message && f.Get("documentTypeId") == "":
		f.add("documentTypeId", "Choose a document type.")
	}
	if f.Bad() {
		return p.many(f, nil)
	}
	results := []manyResult{}
	for _, id := range chosen(f) {
		in := call{method: http.MethodPost, path: "/candidates/" + id + "/messages",
			key: f.Key + id, body: object{"text": f.Get("text")}}
		if !message {
			in.path, in.body = "/candidateDocumentTypes", requestBody(f, id)
		}
		result := manyResult{ID: id, Done: true}
		if _, err := p.api.do(in, nil); err != nil {
			var e *apiError
			if !errors.As(err, &e) || e.Status == http.StatusUnauthorized ||
				e.Status == http.StatusForbidden {
				return err
			}
			result.Done, result.Why = false, sentence(e)
		}
		results = append(results, result)
	}
	return p.many(f, results)
}

// requestBody asks a candidate for the document type of a form.
func requestBody(f *form, candidate string) object {
	body := object{"candidateId": candidate, "documentTypeId": f.Get("documentTypeId"),
		"required": f.Has("required", "yes")}
	if due := f.Get("dueAt"); due != "" {
		body["dueAt"] = due + "T23:59:59.000Z"
	}
	return body
}

// mostExported bounds the rows of an export: a page's function answers at most 6 MB.
const mostExported = 10_000

// exportCandidates downloads the candidates of the list, all pages of it, as CSV. By a date it has
// a row for each document that expires.
func exportCandidates(p *page) error {
	filter, f := candidateFilterOf(p.r.URL.Query()), newForm(url.Values{})
	if filter.refuse(f); f.Bad() {
		return p.redirect("/console/candidates?" + filter.params().Encode())
	}
	rows, more, err := p.exportRows(filter)
	if err != nil {
		return err
	}
	if more {
		return &apiError{Status: http.StatusUnprocessableEntity, Code: dossier.CodeTooLarge,
			Detail: "More than 10,000 candidates fit. Choose a status or search for some of them."}
	}
	h := p.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="candidates.csv"`)
	return writeRows(p.w, rows)
}

// exportRows reads the rows of an export, the names of the columns first; more reports whether
// there are too many.
func (p *page) exportRows(filter candidateFilter) (rows [][]string, more bool, err error) {
	path, query := filter.request()
	if filter.Expires != "" {
		all, more, err := list[dossier.CandidateDocumentType](p.api, path, query, mostExported)
		return expiryRows(all), more, err
	}
	all, more, err := list[dossier.Candidate](p.api, path, query, mostExported)
	return candidateRows(all), more, err
}
