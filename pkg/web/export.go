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

// writeCandidates writes candidates as CSV in UTF-8, which the mark at its beginning tells to
// spreadsheets.
func writeCandidates(w io.Writer, all []dossier.Candidate) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return nil // the browser went away
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(exportColumns)
	for _, c := range all {
		row := []string{c.ID, c.ExternalID, c.FirstName, c.LastName, c.Email, c.Phone,
			c.BirthDate, c.Nationality, c.Language, badgeOf(c.Status).Word,
			c.CreatedAt.UTC().Format(time.RFC3339), c.UpdatedAt.UTC().Format(time.RFC3339)}
		for i := range row {
			row[i] = harmless(row[i])
		}
		_ = out.Write(row)
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
