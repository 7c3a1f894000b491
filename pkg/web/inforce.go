package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// inForceView is the validated document beside a newer one, which can be rejected by itself.
type inForceView struct {
	*dossier.Document
	Values   []known
	Files    []partView
	Form     *form
	Language option
	Approved bool // the candidate is, and only while this document is in force
	Pending  bool // the newer one may take its place yet
	Of, Name string
}

// showInForce fills in the validated document beside the newer one that a review page is about.
func (p *page) showInForce(v *reviewView, c dossier.CandidateDocumentType) (err error) {
	shown := &inForceView{Document: c.Document, Form: newForm(url.Values{}), Language: v.Language,
		Approved: v.Approved, Of: c.ID, Name: v.Name,
		Pending: slices.Contains([]string{dossier.StateUploaded, dossier.StateProcessing,
			dossier.StateInReview, dossier.StateCheckFailed}, c.Replacement.State)}
	for _, f := range valueFields(c) {
		if f.Read != "" {
			shown.Values = append(shown.Values, known{Label: f.Label, Value: day(f.Read)})
		}
	}
	shown.Files, err = p.partsOf(c.ID, c.Document)
	v.InForce = shown
	return err
}

// rejectInForce rejects the validated document beside a newer one. Where it is in force no more,
// the page says so.
func rejectInForce(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("id")
	path := "/candidateDocumentTypes/" + id
	isInForce := func() (now dossier.CandidateDocumentType, is bool, err error) {
		_, err = p.api.get(path, &now)
		return now, now.Replacement != nil && now.Document != nil &&
			now.Document.ID == f.Get("_document"), err
	}
	const ended = "That version is not in force any more. Your decision was not taken."
	now, is, err := isInForce()
	if err != nil {
		return err
	}
	if !is {
		return p.review(nil, ended)
	}
	body := p.reasonBody(f, now, false)
	if f.Bad() {
		return p.review(map[string]*form{"inForce": f}, "")
	}
	body["documentId"] = now.Document.ID
	_, err = p.api.do(call{method: http.MethodPost, path: path + "/reject", body: body, key: f.Key},
		nil)
	if isStatus(err, http.StatusConflict) {
		if _, is, err := isInForce(); err != nil || !is {
			return p.orTold(err, ended)
		}
	}
	if err != nil {
		if err := f.refused(err, nil); err != nil {
			return err
		}
		return p.review(map[string]*form{"inForce": f}, "")
	}
	return p.done("/console/review/"+id, "inForceRejected")
}

// orTold returns an error, or shows the review page with what happened meanwhile.
func (p *page) orTold(err error, told string) error {
	if err != nil {
		return err
	}
	return p.review(nil, told)
}
