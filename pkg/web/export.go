package web

import (
	"encoding/csv"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// exportColumns are the columns of the exported candidates.
var exportColumns = []string{"Id", "External id", "First name", "Last name", "E-mail", "Phone",
	"Date of birth", "Nationality", "Language", "Status", "Created", "Changed"}

// expiryColumns are the columns of the exported documents that expire.
var expiryColumns = []string{"Id", "External id", "First name", "Last name", "Document",
	"Expires on"}

// candidateRows returns the rows of candidates.
func candidateRows(all []dossier.Candidate) [][]string {
	rows := [][]string{exportColumns}
	for _, c := range all {
		rows = append(rows, []string{c.ID, c.ExternalID, c.FirstName, c.LastName, c.Email, c.Phone,
			c.BirthDate, c.Nationality, c.Language, badgeOf(c.Status).Word,
			c.CreatedAt.UTC().Format(time.RFC3339), c.UpdatedAt.UTC().Format(time.RFC3339)})
	}
	return rows
}

// expiryRows returns the rows of documents that expire, each with its candidate.
func expiryRows(all []dossier.CandidateDocumentType) [][]string {
	rows := [][]string{expiryColumns}
	for _, r := range all {
		var of dossier.CandidateName // empty for one who was erased meanwhile
		if r.Candidate != nil {
			of = *r.Candidate
		}
		rows = append(rows, []string{r.CandidateID, of.ExternalID, of.FirstName, of.LastName,
			r.DocumentType.Name, r.ExpiresAt})
	}
	return rows
}

// writeRows writes CSV in UTF-8, which the mark at its beginning tells to spreadsheets.
func writeRows(w io.Writer, rows [][]string) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return nil // the browser went away
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = harmless(text)
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return nil // a browser that went away has no use for the error
}

// harmless returns a text that no spreadsheet takes for a formula: one that begins like a formula
// gets an apostrophe.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n|%", rune(text[0])) {
		return "'" + text
	}
	return text
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
