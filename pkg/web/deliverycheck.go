package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// curlOf returns the request of a delivery, freshly signed, as a command for a shell. It is empty
// where the key may not read the request, and where the integration was deleted.
func (p *page) curlOf(id string) (string, error) {
	var sent dossier.DeliveryReportRequest
	_, err := p.api.get("/integrations/logs/"+id+"/request", &sent)
	if isStatus(err, http.StatusForbidden, http.StatusNotFound) {
		return "", nil
	}
	return curl(sent), err
}

// curl returns a request as a command for a shell.
func curl(r dossier.DeliveryReportRequest) string {
	var b strings.Builder
	b.WriteString("curl -i " + quoted(r.URL))
	for _, name := range sortedKeys(r.Headers) {
		b.WriteString(" \\\n  -H " + quoted(name+": "+r.Headers[name]))
	}
	b.WriteString(" \\\n  --data-binary " + quoted(r.Body))
	return b.String()
}

// quoted returns a text as one word of a shell, whatever is in it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// checkFields are the fields of the form that checks a signature, by the API's pointers.
var checkFields = []string{"webhookId", "webhookTimestamp", "webhookSignature", "body", "secret"}

// checked is the API's report on a signature.
type checked struct {
	Valid   bool     `json:"valid"`
	Expired bool     `json:"expired"`
	Known   bool     `json:"known"`
	Wrong   []string `json:"wrong"`
}

type checkView struct {
	Form    *form
	Choices []option
	Result  *checked
	Wrong   []string // sentences
}

// wrongWords say what is wrong with a part of a signed request.
var wrongWords = map[string]string{
	"id":        "The id is another than the one that was sent. Sign over the header webhook-id as it came.",
	"time":      "The time is another than the one that was sent. Take the header webhook-timestamp as it came, in seconds.",
	"body":      "The body is not the bytes that were sent. Check the signature before the body is parsed: JSON that is written anew has other bytes.",
	"signature": "The signature is not whole. It begins with v1, and goes on with 44 characters; there may be several, separated by spaces.",
	"secret":    "The secret is another than this integration’s, or the signature was changed. Take the whole secret, with whsec_; after a rotation the old one works for 24 hours.",
}

func checkPage(p *page) error {
	return p.checkForm(newForm(url.Values{"integration": {p.r.URL.Query().Get("integration")}}),
		nil)
}

func (p *page) checkForm(f *form, result *checked) error {
	integrations, _, err := list[dossier.Integration](p.api, "/integrations", nil,
		dossier.MaxListed)
	if err != nil {
		return err
	}
	v := checkView{Form: f, Result: result}
	for _, i := range integrations {
		v.Choices = append(v.Choices, option{i.ID, i.Name})
	}
	if result != nil {
		for _, part := range result.Wrong {
			v.Wrong = append(v.Wrong, wrongWords[part])
		}
	}
	sc := screen{name: "deliverycheck", title: "Verify a signature", section: "integrations"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// checkSignature says which part of a signed request is wrong. What was typed stays on the page.
func checkSignature(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := f.Get("integration")
	if id == "" || strings.Contains(id, "/") {
		f.add("integration", "Choose the integration that the request was sent to.")
		return p.checkForm(f, nil)
	}
	body := object{}
	for _, name := range checkFields {
		if value := f.Get(name); value != "" {
			body[name] = value
		}
	}
	var result checked
	_, err = p.api.do(call{method: http.MethodPost,
		path: "/integrations/" + id + "/verify-signature", body: body}, &result)
	if err != nil {
		if err := f.refused(err, nil); err != nil {
			return err
		}
		return p.checkForm(f, nil)
	}
	return p.checkForm(f, &result)
}

type replayView struct {
	Integration dossier.Integration
	Form        *form
	Statuses    []option
	Counted     bool // how many there are was asked for
	Matching    int
	More        bool
}

// replayRange asks for a period, and shows how many deliveries it has before they are sent again.
func replayRange(p *page) error {
	q := p.r.URL.Query()
	counted := q.Has("since")
	if !counted {
		q = url.Values{"since": {p.now.UTC().AddDate(0, 0, -1).Format(time.DateOnly)},
			"until":  {p.now.UTC().Format(time.DateOnly)},
			"status": {dossier.LogFailed, dossier.LogHeld}}
	}
	return p.replayForm(newForm(q), counted)
}

// selection returns the body of a replay for the days and statuses of a form.
func (f *form) selection() object {
	body := object{"status": f.All("status")}
	for name, hour := range map[string]string{"since": "T00:00:00Z", "until": "T23:59:59.999Z"} {
		day, err := time.Parse(time.DateOnly, f.Get(name))
		if err != nil {
			f.add(name, "Enter a day, such as 2031-05-01.")
			continue
		}
		body[name] = day.Format(time.DateOnly) + hour
	}
	if len(f.All("status")) == 0 {
		f.add("status", "Choose at least one status.")
	}
	return body
}

func (p *page) replayForm(f *form, counted bool) error {
	path := "/integrations/" + p.r.PathValue("id")
	v := replayView{Form: f, Statuses: wordOptions([]string{dossier.LogFailed, dossier.LogHeld,
		dossier.LogDelivered, dossier.LogSkipped})}
	if _, err := p.api.get(path, &v.Integration); err != nil {
		return err
	}
	if body := f.selection(); counted && !f.Bad() {
		body["dryRun"] = true
		var answer struct {
			Matching int  `json:"matching"`
			More     bool `json:"more"`
		}
		_, err := p.api.do(call{method: http.MethodPost, path: path + "/replay", body: body},
			&answer)
		if err != nil {
			if err := f.refused(err, nil); err != nil {
				return err
			}
		}
		v.Counted, v.Matching, v.More = err == nil, answer.Matching, answer.More
	}
	sc := screen{name: "replay", title: "Send a period again", section: "integrations"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// replayNow sends the deliveries of a period again.
func replayNow(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	body := f.selection()
	if f.Bad() {
		return p.replayForm(f, false)
	}
	id := p.r.PathValue("id")
	_, err = p.api.do(call{method: http.MethodPost, path: "/integrations/" + id + "/replay",
		body: body, key: f.Key}, nil)
	if err != nil {
		if err := f.refused(err, nil); err != nil {
			return err
		}
		return p.replayForm(f, false)
	}
	return p.done("/console/deliveries?integration="+id, "replayedRange")
}
