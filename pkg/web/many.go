package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// mostAtOnce bounds the candidates that a form is sent to, and sentAtOnce those of one request: a
// page's function has to answer in time, and a key may send so many requests in a second.
const (
	mostAtOnce = 1000
	sentAtOnce = 50
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
	Left    []option // those to whom it is still to be sent
	Stuck   bool     // the last request sent to nobody
}

// Kept names the fields of the form that go on with it.
func (manyView) Kept() []string {
	return []string{"what", "text", "documentTypeId", "dueAt", "required"}
}

// manyCandidates asks what is sent to the candidates that were chosen in the list, or to all that
// fit its filter.
func manyCandidates(p *page) error {
	q := p.r.URL.Query()
	f := newForm(q)
	f.values.Set("required", "yes")
	if !f.Has("all", "yes") {
		ids := chosen(f, rowsOnPage)
		names, err := p.names(ids)
		if err != nil {
			return err
		}
		return p.many(f, named(ids, names), nil)
	}
	filter := candidateFilterOf(q)
	if filter.refuse(f); f.Bad() {
		return p.redirect("/console/candidates?" + filter.params().Encode())
	}
	all, err := p.allThatFit(filter)
	if err != nil {
		return err
	}
	delete(f.values, "id")
	for _, c := range all {
		f.values.Add("id", c.Value)
	}
	return p.many(f, all, nil)
}

// allThatFit lists the candidates that fit a filter, each once, with their names.
func (p *page) allThatFit(filter candidateFilter) (all []option, err error) {
	path, query := filter.request()
	var rows []candidateRow
	var more bool
	if filter.Expires != "" {
		var found []dossier.CandidateDocumentType
		found, more, err = list[dossier.CandidateDocumentType](p.api, path, query, mostAtOnce)
		rows = expiring(found)
	} else {
		var found []dossier.Candidate
		found, more, err = list[dossier.Candidate](p.api, path, query, mostAtOnce)
		for _, c := range found {
			rows = append(rows, candidateRow{Candidate: c, Name: nameOf(c)})
		}
	}
	if more && err == nil {
		err = &apiError{Status: http.StatusUnprocessableEntity, Code: dossier.CodeTooLarge,
			Detail: "More than 1,000 candidates fit. Choose a status or search for some of them."}
	}
	for _, row := range rows {
		all = append(all, option{row.ID, row.Name})
	}
	return all, err
}

func named(ids []string, names map[string]string) []option {
	all := make([]option, len(ids))
	for i, id := range ids {
		all[i] = option{id, names[id]}
	}
	return all
}

// many shows the form for several candidates, or what became of each.
func (p *page) many(f *form, to []option, results []manyResult) (err error) {
	v := manyView{What: f.Get("what"), Form: f, Chosen: to, Results: results}
	if v.What != "message" {
		v.What = "ask"
	}
	if len(to) == 0 {
		return p.show(screen{name: "many", title: "Nobody is chosen", section: "candidates"}, v)
	}
	for _, r := range results {
		if r.Done {
			v.Done++
		}
	}
	v.Stuck = len(results) == len(outcomes(f, to))
	for _, c := range to {
		if results != nil && !slices.ContainsFunc(results, func(r manyResult) bool {
			return r.ID == c.Value
		}) {
			v.Left = append(v.Left, c)
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

// chosen lists the candidates of a form, each once, at most so many.
func chosen(f *form, most int) []string {
	var ids []string
	for _, id := range f.All("id") {
		if !slices.Contains(ids, id) && !strings.ContainsAny(id, "/?# ") && len(ids) < most {
			ids = append(ids, id)
		}
	}
	return ids
}

// chosenNames returns the candidates of a form with their names, which it holds for those that the
// page has listed.
func (p *page) chosenNames(f *form) ([]option, error) {
	ids := chosen(f, mostAtOnce)
	all := make([]option, len(ids))
	var unknown []string
	for i, id := range ids {
		all[i] = option{id, f.Raw("name." + id)}
		if all[i].Label == "" {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return all, nil
	}
	names, err := p.names(unknown[:min(len(unknown), rowsOnPage)])
	for i := range all {
		if all[i].Label == "" {
			all[i].Label = names[all[i].Value]
		}
	}
	return all, err
}

// sendToMany sends the form to the next candidates of it with a key for each: sent twice, it acts
// once for each. What the API refuses for one does not stop the others. The page goes on with those
// that are left.
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
	to, err := p.chosenNames(f)
	if err != nil {
		return err
	}
	if f.Bad() {
		return p.many(f, to, nil)
	}
	results, sent := outcomes(f, to), 0
	for _, c := range to {
		if slices.ContainsFunc(results, func(r manyResult) bool { return r.ID == c.Value }) {
			continue
		}
		if sent++; sent > sentAtOnce {
			break
		}
		why, busy, err := p.sendToOne(f, c.Value)
		if err != nil {
			return err
		}
		if busy {
			break // the rest is sent after a moment
		}
		results = append(results, manyResult{ID: c.Value, Name: c.Label, Done: why == "",
			Why: why})
	}
	return p.many(f, to, results)
}

// outcomes returns what the form says became of candidates to whom it was sent before.
func outcomes(f *form, to []option) []manyResult {
	results := []manyResult{}
	for _, c := range to {
		if was, sent := f.values["was."+c.Value]; sent {
			results = append(results, manyResult{ID: c.Value, Name: c.Label, Done: was[0] == "",
				Why: was[0]})
		}
	}
	return results
}

// sendToOne sends the form to one candidate and returns why the API refused it, empty where it did
// not. busy reports that the API takes it later only; another failure of the API is of this
// candidate, and the others do not wait for it.
func (p *page) sendToOne(f *form, id string) (why string, busy bool, err error) {
	in := call{method: http.MethodPost, path: "/candidates/" + url.PathEscape(id) + "/messages",
		key: f.Key + id, body: object{"text": f.Get("text")}}
	if f.Get("what") != "message" {
		in.path, in.body = "/candidateDocumentTypes", requestBody(f, id)
	}
	_, err = p.api.do(in, nil)
	var e *apiError
	switch {
	case !errors.As(err, &e), e.Status == http.StatusUnauthorized,
		e.Status == http.StatusForbidden:
		return "", false, err
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusServiceUnavailable:
		return "", true, nil
	}
	return sentence(e), false, nil
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
