package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// partView is one part of the document.
type partView struct {
	dossier.Part
	ID    string // of its element
	Label string
	Link  string
	Kind  string // "picture", "pdf" or "other"
	Boxes []box  // on a picture
}

// box is the place of a value on a picture, in fractions of it.
type box struct {
	dossier.Box
	Reference string
}

// boxes lists the places of the values that were read from a picture, with a margin around them.
func boxes(readings []dossier.Reading, part string) []box {
	const margin = 0.008
	var all []box
	for _, r := range readings {
		if r.Part == part && r.Box != nil {
			all = append(all, box{dossier.Box{X: r.Box.X - margin, Y: r.Box.Y - margin,
				Width: r.Box.Width + 2*margin, Height: r.Box.Height + 2*margin}, r.Reference})
		}
	}
	return all
}

// simulated is the result of simulating the rules.
type simulated struct {
	Rules        []dossier.RuleResult `json:"rules"`
	StatusBefore string               `json:"statusBefore"`
	StatusAfter  string               `json:"statusAfter"`

	Over  *dossier.RuleHistory     `json:"over"`
	Tests []dossier.RuleTestResult `json:"tests"`
}

type reviewView struct {
	Request   dossier.CandidateDocumentType
	Name      string
	Parts     []partView
	Problems  []string // for which a person has to look
	Fields    []valueField
	File      []known // values on file to compare with
	Blank     bool    // none of the fields was read
	Form      *form
	Ask       *form
	Reject    *form
	Can       decisions
	Decidable bool   // it waits for a decision
	Closed    string // why it does not
	Change    string // why the decision can't be changed to every other one
	Told      string // somebody else was first
	// the validated document beside a newer one, which the page is about
	InForce   *inForceView
	Position  int
	Waiting   int
	More      bool
	Prev      string
	Next      string
	Would     *simulated
	Matched   int
	WriteBack []string
	Then      string // what becomes of the candidate
	Approved  bool   // the candidate is, and only while this document is validated
	Language  option // in which the candidate reads ready-made reasons
}

// queue reads the documents that wait for a review, those that wait longest first.
func (p *page) queue() ([]dossier.CandidateDocumentType, bool, error) {
	all, more, err := list[dossier.CandidateDocumentType](p.api, "/candidateDocumentTypes",
		inState(dossier.StateInReview), pageSize)
	slices.SortStableFunc(all, func(a, b dossier.CandidateDocumentType) int {
		return a.UpdatedAt.Compare(b.UpdatedAt.Time)
	})
	return all, more, err
}

// nextReview leads to the document that waits longest, or says that there is none.
func nextReview(p *page) error {
	all, _, err := p.queue()
	if err != nil {
		return err
	}
	done := p.r.URL.Query().Get("done")
	if len(all) == 0 {
		var counts dossier.Overview
		if _, err := p.api.get("/overview", &counts); err != nil {
			return err
		}
		return p.show(screen{name: "reviewempty", title: "Review", section: "review"},
			tileOf(counts.UnreadMessages, "messages to read", "/console/messages", ""))
	}
	to := "/console/review/" + all[0].ID
	if doneWords[done] != "" {
		to += "?" + url.Values{"done": {done}, "of": {p.r.URL.Query().Get("of")}}.Encode()
	}
	return p.redirect(to)
}

func showReview(p *page) error { return p.review(nil, "") }

// review shows a document beside its values. failed is the form of it that could not be taken, by
// its name.
func (p *page) review(failed map[string]*form, told string) error {
	v := reviewView{Told: told, Form: newForm(url.Values{}),
		Ask: newForm(url.Values{}), Reject: newForm(url.Values{})}
	id := p.r.PathValue("id")
	var waiting []dossier.CandidateDocumentType
	var candidate dossier.Candidate
	var custom []dossier.CustomField
	var whole dossier.CandidateDocumentType
	err := gather(
		func() (err error) { waiting, v.More, err = p.queue(); return err },
		func() error {
			if _, err := p.api.get("/candidateDocumentTypes/"+id, &whole); err != nil {
				return err
			}
			v.Request = whole.Newest()
			_, err := p.api.get("/candidates/"+v.Request.CandidateID, &candidate)
			return err
		},
		allowed(p, &custom, "/customFields", nil),
	)
	if err != nil {
		return err
	}
	v.Name = nameOf(candidate)
	v.place(waiting, id)
	v.Language = languages[portalLanguage(candidate.Language)]
	v.Approved = candidate.Status == dossier.StatusApproved && v.Request.Required
	v.Decidable, v.Closed = decidable(v.Request)
	if err := p.decisions(&v); err != nil {
		return err
	}
	if whole.Replacement != nil {
		if err := p.showInForce(&v, whole); err != nil {
			return err
		}
	}
	v.File = onFile(v.Request.DocumentType, candidate, custom)
	if v.Request.Document != nil {
		if v.Parts, err = p.partsOf(id, v.Request.Document); err != nil {
			return err
		}
		v.readValues()
		v.Blank = len(v.Fields) > 0 && len(v.Request.Document.Parsed) == 0
		if v.Can.Validate && !v.Blank {
			p.simulate(&v)
		}
	}
	sc := screen{name: "review", title: v.Request.DocumentType.Name + " of " + v.Name,
		section: "review", poll: v.Request.State == dossier.StateProcessing}
	v.fail(&sc, failed)
	v.compare(candidate, p.today())
	if told != "" {
		sc.status = http.StatusConflict
	}
	return p.show(sc, v)
}

// fail shows the forms that could not be taken as they were sent.
func (v *reviewView) fail(sc *screen, failed map[string]*form) {
	for name, f := range failed {
		sc.status = http.StatusUnprocessableEntity
		if name != "inForce" {
			*map[string]**form{"validate": &v.Form, "ask": &v.Ask, "reject": &v.Reject}[name] = f
		} else if v.InForce != nil {
			v.InForce.Form = f
		}
	}
}

// place finds a document in the queue.
func (v *reviewView) place(waiting []dossier.CandidateDocumentType, id string) {
	v.Waiting = len(waiting)
	at := slices.IndexFunc(waiting, func(c dossier.CandidateDocumentType) bool {
		return c.ID == id
	})
	v.Position = at + 1
	if at > 0 {
		v.Prev = waiting[at-1].ID
	}
	if at+1 < len(waiting) {
		v.Next = waiting[at+1].ID
	}
}

// decidable reports whether a person can decide on a document now, or why not.
func decidable(c dossier.CandidateDocumentType) (bool, string) {
	switch c.State {
	case dossier.StateInReview, dossier.StateCheckFailed:
		return true, ""
	case dossier.StateProcessing:
		return false, "It is being read. This page shows the values as soon as they are there."
	case dossier.StateValidated:
		return false, "It is validated."
	case dossier.StateRequested:
		return false, "Nothing was uploaded yet."
	case dossier.StateUploaded:
		return false, "A part that is needed was not uploaded yet."
	case dossier.StateNeedsResubmission:
		return false, "The candidate is asked to upload it again."
	case dossier.StateRejected:
		return false, "It is rejected. The candidate can send another one."
	case dossier.StateExpired:
		return false, "It has expired. The candidate can send another one."
	case dossier.StateRemoved:
		return false, "It is not asked for any more."
	}
	return false, ""
}

// partsOf links all parts of a document: the page shows them below each other, and its script one
// at a time, so that looking at another loses nothing that was typed.
func (p *page) partsOf(request string, doc *dossier.Document) ([]partView, error) {
	parts := make([]partView, len(doc.Parts))
	asks := make([]func() error, len(doc.Parts))
	for i, part := range doc.Parts {
		parts[i] = partView{Part: part, ID: "part-" + strconv.Itoa(i), Kind: "other",
			Label: partLabel("en", part.Name)}
		switch {
		case part.ContentType == "image/heic": // which few browsers show
		case strings.HasPrefix(part.ContentType, "image/"):
			parts[i].Kind, parts[i].Boxes = "picture", boxes(doc.Readings, part.Name)
		case part.ContentType == "application/pdf":
			parts[i].Kind = "pdf"
		}
		asks[i] = func() error {
			var link struct {
				URL string `json:"url"`
			}
			_, err := p.api.get("/candidateDocumentTypes/"+request+"/documents/"+doc.ID+
				"/parts/"+part.Name, &link)
			parts[i].Link = link.URL
			return err
		}
	}
	return parts, gather(asks...)
}

// simulate asks what validating the document as it was read would do. Without an answer the page
// says nothing of it.
func (p *page) simulate(v *reviewView) {
	parsed := v.Request.Document.Parsed
	if parsed == nil {
		parsed = map[string]any{}
	}
	var would simulated
	_, err := p.api.do(call{method: http.MethodPost,
		path: "/documentTypes/" + v.Request.DocumentType.ID + "/submission/simulate",
		body: map[string]any{"candidateId": v.Request.CandidateID, "parsed": parsed}}, &would)
	if err != nil {
		return
	}
	v.Would = &would
	v.Then = p.after(v.Request, v.Name, would)
	for _, r := range would.Rules {
		if r.Matched {
			v.Matched++
		}
	}
	for _, w := range v.Request.DocumentType.WriteBack {
		if plainText(lookup(parsed, w.From)) == "" {
			continue
		}
		v.WriteBack = append(v.WriteBack,
			word(strings.TrimPrefix(strings.TrimPrefix(w.To, "cf_"), "dcf_")))
	}
}
