package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// versionRow is one version of the rules of a document type.
type versionRow struct {
	dossier.SubmissionVersion
	Who     string
	Before  int64 // the version before it that is kept, 0 where there is none
	Current bool
}

type versionsView struct {
	Type    dossier.DocumentType
	Rows    []versionRow
	Current int64
	Choices []option
	Form    *form
}

// listVersions lists the versions of the rules of a document type, the newest first.
func listVersions(p *page) error {
	var t dossier.DocumentType
	if _, err := p.api.get(p.typePath(""), &t); err != nil {
		return err
	}
	rows, err := p.versions()
	if err != nil {
		return err
	}
	v := versionsView{Type: t, Rows: rows, Form: newForm(url.Values{})}
	if len(rows) > 0 {
		v.Current = rows[0].Version
	}
	for _, r := range rows {
		n := strconv.FormatInt(r.Version, 10)
		v.Choices = append(v.Choices, option{n, "Version " + n})
	}
	if len(rows) > 1 {
		v.Form.values.Set("from", v.Choices[1].Value)
		v.Form.values.Set("to", v.Choices[0].Value)
	}
	return p.show(screen{name: "versions", title: "Versions of the rules of " + t.Name,
		section: "types"}, v)
}

// typePath is the API's path of the document type of the page.
func (p *page) typePath(rest string) string {
	return "/documentTypes/" + url.PathEscape(p.r.PathValue("id")) + rest
}

// versions reads the versions of the rules, the newest first.
func (p *page) versions() ([]versionRow, error) {
	all, _, err := list[dossier.SubmissionVersion](p.api, p.typePath("/submission/versions"), nil,
		dossier.MaxListed)
	rows := make([]versionRow, len(all))
	newest := int64(0)
	for _, v := range all {
		newest = max(newest, v.Version)
	}
	for _, v := range all {
		at := newest - v.Version // they are counted without gaps
		if at < 0 || at >= int64(len(rows)) {
			continue
		}
		rows[at] = versionRow{SubmissionVersion: v, Who: "unknown", Current: v.Version == newest}
		if v.CreatedBy != nil {
			rows[at].Who = v.CreatedBy.Label()
		}
	}
	for i := range rows[:max(0, len(rows)-1)] {
		rows[i].Before = rows[i+1].Version
	}
	return rows, err
}

// changeView is a rule that two versions don't have alike.
type changeView struct {
	dossier.RuleChange
	BeforeRule, AfterRule []sentenceView // one or none
}

type compareView struct {
	Type     dossier.DocumentType
	Form     *form
	From, To int64
	Changes  []changeView
	Restore  bool // the page asks whether To is restored
	ETag     string
}

// compareVersions shows what changed from one version of the rules to another, or, where the
// address says so, what restoring one would change.
func compareVersions(p *page) error { return p.compare(newForm(p.r.URL.Query())) }

func (p *page) compare(f *form) error {
	var t dossier.DocumentType
	rep, err := p.api.get(p.typePath(""), &t)
	if err != nil {
		return err
	}
	from, to := f.Get("from"), f.Get("to")
	restore := f.Has("restore", "yes")
	if restore { // the newest version is the present one
		rows, err := p.versions()
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			from = strconv.FormatInt(rows[0].Version, 10)
		}
	}
	var diff dossier.SubmissionDiff
	if _, err := p.api.get(p.typePath("/submission/versions/"+url.PathEscape(from)+"/diff/"+
		url.PathEscape(to)), &diff); err != nil {
		return err
	}
	c, err := p.readCatalog()
	if err != nil {
		return err
	}
	v := compareView{Type: t, Form: f, From: diff.From, To: diff.To, Restore: restore,
		ETag: rep.etag}
	for _, change := range diff.Changes {
		v.Changes = append(v.Changes, changeView{change,
			c.oneRule(t, change.Before, change.BeforePosition),
			c.oneRule(t, change.After, change.AfterPosition)})
	}
	sc := screen{name: "compare", title: "Rules of " + t.Name, section: "types"}
	if f.Bad() {
		sc.status = http.StatusUnprocessableEntity
	}
	return p.show(sc, v)
}

// oneRule describes a rule of a version in sentences.
func (c catalog) oneRule(t dossier.DocumentType, r *dossier.Rule, position int) []sentenceView {
	if r == nil {
		return nil
	}
	t.Submission, t.Warnings = dossier.Submission{Rules: []dossier.Rule{*r}}, nil
	all := c.sentences(t)
	all[0].Number = position
	return all
}

// restoreVersion makes the rules of a version those of the document type again.
func restoreVersion(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	_, err = p.api.do(call{method: http.MethodPost, key: f.Key, ifMatch: f.Get("_etag"),
		path: p.typePath("/submission/versions/" + url.PathEscape(f.Get("to")) + "/restore")}, nil)
	if err != nil {
		if err := f.refused(err, map[string]string{"": "to"}); err != nil {
			return err
		}
		f.values.Set("restore", "yes")
		return p.compare(f)
	}
	return p.done("/console/document-types/"+p.r.PathValue("id"), "restored")
}
