package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// nameOf returns the name of a candidate, else the e-mail, else the external id.
func nameOf(c dossier.Candidate) string {
	name := strings.TrimSpace(c.FirstName + " " + c.LastName)
	for _, other := range []string{c.Email, c.ExternalID} {
		if name == "" {
			name = other
		}
	}
	if name == "" {
		return "Candidate without a name"
	}
	return name
}

// names reads the names of candidates, by id. One that was erased meanwhile is named so.
func (p *page) names(ids []string) (map[string]string, error) {
	names, err := p.namesLeft(ids)
	for _, id := range ids {
		if names[id] == "" {
			names[id] = "An erased candidate"
		}
	}
	return names, err
}

// namesLeft reads the names of candidates, by id. One that was erased meanwhile is left out.
func (p *page) namesLeft(ids []string) (map[string]string, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	found := make([]string, len(ids))
	asks := make([]func() error, len(ids))
	for i, id := range ids {
		asks[i] = func() error {
			var c dossier.Candidate
			_, err := p.api.get("/candidates/"+url.PathEscape(id), &c)
			if isStatus(err, http.StatusNotFound) {
				return nil
			}
			found[i] = nameOf(c)
			return err
		}
	}
	err := gather(asks...)
	names := map[string]string{}
	for i, id := range ids {
		if found[i] != "" {
			names[id] = found[i]
		}
	}
	return names, err
}

// rowsOnPage is the number of candidates on a page of the list.
const rowsOnPage = 25

// candidateRow is one candidate of the list, and what is waited for.
type candidateRow struct {
	dossier.Candidate
	Name  string
	Waits string
}

type candidatesView struct {
	Form  *form
	Types []option
	Rows  []candidateRow
	Next  string // the address of the next page
	Clean bool   // nothing is filtered
	Pages bool   // there are others
	Own   url.Values
	// the address of the list as CSV
	Export string
}

func listCandidates(p *page) error {
	q := p.r.URL.Query()
	filter, f := candidateFilterOf(q), newForm(q)
	own := filter.params()
	v := candidatesView{Form: f, Clean: len(own) == 0, Export: "/console/candidates.csv"}
	var types []dossier.DocumentType
	if err := allowed(p, &types, "/documentTypes", nil)(); err != nil {
		return err
	}
	for _, t := range types {
		v.Types = append(v.Types, option{t.ID, t.Name})
	}
	sc := screen{name: "candidates", title: "Candidates", section: "candidates"}
	if filter.refuse(f); f.Bad() {
		sc.status = http.StatusUnprocessableEntity
		return p.show(sc, v)
	}
	_, query := filter.request()
	query.Set("page[size]", strconv.Itoa(rowsOnPage))
	if after := q.Get("after"); after != "" {
		query.Set("page[after]", after)
	}
	rows, next, err := p.candidatesThatFit(filter, query)
	if err != nil {
		if err := f.refused(err, filterNames); err != nil {
			return err
		}
		sc.status = http.StatusUnprocessableEntity
		return p.show(sc, v)
	}
	v.Rows, v.Own, v.Pages = rows, filter.params(), next != "" || q.Get("after") != ""
	if !v.Clean {
		v.Export += "?" + own.Encode()
	}
	if next != "" {
		own.Set("after", next)
		v.Next = "/console/candidates?" + own.Encode()
	}
	if err := p.fillRows(v.Rows); err != nil {
		return err
	}
	return p.show(sc, v)
}

// fillRows reads what rows say beside the names: who waits for what, else the candidate whole.
func (p *page) fillRows(rows []candidateRow) error {
	asks := make([]func() error, len(rows))
	for i := range rows {
		row := &rows[i]
		asks[i] = func() error {
			if row.Waits != "" {
				_, err := p.api.get("/candidates/"+url.PathEscape(row.ID), &row.Candidate)
				if isStatus(err, http.StatusNotFound) {
					row.Name, err = "An erased candidate", nil
				}
				return err
			}
			requests, _, err := list[dossier.CandidateDocumentType](p.api,
				"/candidateDocumentTypes",
				url.Values{"filter[candidateId]": {row.ID}}, pageSize)
			row.Waits = waits(row.Candidate, requests)
			return err
		}
	}
	return gather(asks...)
}

// waits describes the open steps of a dossier and who has to take them.
func waits(c dossier.Candidate, requests []dossier.CandidateDocumentType) string {
	var missing, review, failed []string
	reading := 0
	for _, r := range requests {
		name := r.DocumentType.Name
		switch r.State {
		case dossier.StateRequested, dossier.StateUploaded, dossier.StateNeedsResubmission,
			dossier.StateExpired, dossier.StateRejected:
			if r.Required {
				missing = append(missing, name)
			}
		case dossier.StateInReview:
			review = append(review, name)
		case dossier.StateCheckFailed:
			failed = append(failed, name)
		case dossier.StateProcessing:
			reading++
		}
	}
	forms := 0
	for _, f := range c.Forms {
		if f.State == dossier.FormOpen {
			forms++
		}
	}
	var parts []string
	if len(review) > 0 {
		parts = append(parts, "You: review "+strings.Join(review, ", "))
	}
	if len(failed) > 0 {
		parts = append(parts, "You: the check failed for "+strings.Join(failed, ", "))
	}
	if len(missing) > 0 {
		parts = append(parts, "Candidate: "+strings.Join(missing, ", "))
	}
	if forms > 0 {
		parts = append(parts, "Candidate: "+count(forms, "form"))
	}
	if reading > 0 {
		parts = append(parts, count(reading, "document")+" being read")
	}
	return strings.Join(parts, " · ")
}

// candidateFields are the fields of the form of a candidate, in its order.
var candidateFields = []string{"firstName", "lastName", "email", "phone", "birthDate",
	"nationality", "language", "externalId"}

type newCandidateView struct {
	Form           *form
	Types, Presets []option
}

func newCandidate(p *page) error { return p.candidateForm(newForm(url.Values{})) }

func (p *page) candidateForm(f *form) error {
	types, err := p.typeOptions()
	if err != nil {
		return err
	}
	presets, _, err := list[dossier.Preset](p.api, "/presets", nil, dossier.MaxListed)
	if err != nil {
		return err
	}
	v := newCandidateView{Form: f, Types: types}
	for _, preset := range presets {
		v.Presets = append(v.Presets, option{preset.ID, preset.Name})
	}
	sc := screen{name: "newcandidate", title: "New candidate", section: "candidates"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// typeOptions lists the document types as choices.
func (p *page) typeOptions() ([]option, error) {
	types, _, err := list[dossier.DocumentType](p.api, "/documentTypes", nil, dossier.MaxListed)
	if err != nil {
		return nil, err
	}
	all := make([]option, len(types))
	for i, t := range types {
		all[i] = option{t.ID, t.Name}
	}
	return all, nil
}

func createCandidate(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	body := map[string]any{}
	for _, name := range candidateFields {
		if v := f.Get(name); v != "" {
			body[name] = v
		}
	}
	if ids := f.All("documentTypeIds"); len(ids) > 0 {
		body["documentTypeIds"] = ids
	}
	if id := f.Get("presetId"); id != "" {
		body["presetId"] = id
	}
	var made dossier.Candidate
	_, err = p.api.do(call{method: http.MethodPost, path: "/candidates", body: body, key: f.Key},
		&made)
	if err != nil {
		if err := f.refused(err, map[string]string{"/documentTypeIds": "documentTypeIds"}); err !=
			nil {
			return err
		}
		return p.candidateForm(f)
	}
	return p.done("/console/candidates/"+made.ID, "saved")
}
