package web

import (
	"net/url"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// about is the document that a sentence at the top of a page is about.
type about struct{ ID, Name, Href string }

// decidedWords continue the name of a document that was just decided on, by the keys of doneWords.
var decidedWords = map[string]string{
	"validated":        "validated.",
	"validatedExpired": "validated. Its date has passed: it counts as expired.",
	"again":            "asked again. The candidate can send a new one.",
	"rejected":         "rejected.",
}

// sayWhose names the document that was just decided on, and its candidate: the page below is about
// the next one. Where they can't be read, the sentence stays without them.
func (p *page) sayWhose(v *view) {
	query := p.r.URL.Query()
	words, of := decidedWords[query.Get("done")], query.Get("of")
	if words == "" || of == "" {
		return
	}
	var decided dossier.CandidateDocumentType
	var candidate dossier.Candidate
	path := "/candidateDocumentTypes/" + url.PathEscape(of)
	if _, err := p.api.get(path, &decided); err != nil {
		return
	}
	if _, err := p.api.get("/candidates/"+decided.CandidateID, &candidate); err != nil {
		return
	}
	v.Done = words
	v.About = &about{decided.ID, decided.DocumentType.Name + " of " + nameOf(candidate),
		"/console/review/" + decided.ID}
}
