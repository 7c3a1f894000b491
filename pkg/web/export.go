package web

import (
	"encoding/csv"
	"io"
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
