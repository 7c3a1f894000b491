package command

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/app/candidatefile"
)

type importCandidates struct {
	remote
	File    string            `arg:"" help:"The candidates, a CSV file with a header."`
	DryRun  bool              `help:"Only say what the import would do."`
	Partial bool              `help:"Import the rows that are right, although others are wrong."`
	Moved   bool              `help:"The file was exported from another installation: the id there becomes the external id of a candidate who has none."`
	Columns map[string]string `name:"column" help:"What a column means: HEADER=externalId, or HEADER=- to leave it out." placeholder:"HEADER=MEANING"`
}

// Run tries all rows, and imports them if nothing is wrong with any.
func (i importCandidates) Run(s *session) error {
	content, err := os.ReadFile(i.File)
	if err != nil {
		return misuse{err}
	}
	c, err := i.remote.client(s)
	if err != nil {
		return err
	}
	patient(c)
	file, err := candidatefile.Read(s.ctx, c, content,
		candidatefile.Options{Columns: i.Columns, Moved: i.Moved})
	if err != nil {
		return fmt.Errorf("%s: %w", i.File, err)
	}
	sum, wrong, err := file.Import(s.ctx, c, true, s.progress("Trying", file.Len()))
	if err != nil {
		return fmt.Errorf("nothing was imported: %w", err)
	}
	if len(wrong) > 0 && !i.Partial || i.DryRun {
		if err := s.summarize("would be ", sum); err != nil {
			return err
		}
		return i.wrong("nothing was imported", wrong)
	}
	sum, wrong, err = file.Import(s.ctx, c, false, s.progress("Importing", file.Len()))
	if err != nil {
		err = fmt.Errorf("the import ended early; start it again, what is there stays: %w", err)
	}
	return errors.Join(s.summarize("", sum), err, i.wrong("these rows were not imported", wrong))
}

// wrong returns the errors of rows as one, nil if there are none.
func (i importCandidates) wrong(result string, rows []candidatefile.RowError) error {
	if len(rows) == 0 {
		return nil
	}
	var lines strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&lines, "\n%s: %v", i.File, r)
	}
	mistakes := "1 mistake"
	if len(rows) > 1 {
		mistakes = fmt.Sprintf("%d mistakes", len(rows))
	}
	if !i.Moved && slices.ContainsFunc(rows,
		func(r candidatefile.RowError) bool { return r.UnknownID }) {
		lines.WriteString("\nHere, a candidate with an unknown id was erased or never existed. If " +
			"the file comes from another installation, import it with --moved.")
	}
	return misuse{fmt.Errorf("%s, %s:%s", mistakes, result, lines.String())}
}

// patient makes a client wait longer for an installation that limits its rate or starts again.
func patient(c *client.Client) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	c.HTTP, c.Attempts = &http.Client{Transport: transport}, 12
}

func (s *session) summarize(would string, n candidatefile.Summary) error {
	_, err := fmt.Fprintf(s.Out, "%d candidates %screated, %d %supdated, %d unchanged; "+
		"%d documents %srecorded, %d kept as they were uploaded.\n", n.Created, would, n.Updated,
		would, n.Unchanged, n.Recorded, would, n.Kept)
	return err
}

// progress returns what draws a bar at a terminal, and nothing elsewhere.
func (s *session) progress(what string, total int) func(int) {
	if !s.Terminal || total == 0 {
		return func(int) {}
	}
	const width = 40
	drawn := -1
	return func(done int) {
		if done*width/total == drawn && done < total && done%100 > 0 {
			return
		}
		drawn = done * width / total
		end := ""
		if done == total {
			end = "\n"
		}
		_, _ = fmt.Fprintf(s.Err, "\r%-9s [%-40s] %d of %d%s", what, strings.Repeat("#", drawn),
			done, total, end) // a bar that can't be drawn changes nothing
	}
}

type exportCandidates struct {
	remote
	File string `arg:"" optional:"" help:"A new CSV file. Without it, standard output."`
}

// Run writes all candidates with their validated documents.
func (e exportCandidates) Run(s *session) error {
	c, err := e.remote.client(s)
	if err != nil {
		return err
	}
	patient(c)
	if e.File == "" {
		return candidatefile.Export(s.ctx, c, s.Out)
	}
	f, err := os.OpenFile(e.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return misuse{err}
	}
	return errors.Join(candidatefile.Export(s.ctx, c, f), f.Sync(), f.Close())
}
