package candidatefile

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// senders is the number of requests that are under way at once.
const senders = 8

// Summary counts what an import did, or would do.
type Summary struct {
	Created, Updated, Unchanged int // candidates
	Recorded, Kept              int // documents
}

// Import sends each row, and returns what is wrong with rows, in their order. Rows that are refused
// do not keep others from being imported; any other failure ends the import, which can be started
// again: what is there stays. progress is told how many rows are done. A dry run stores nothing.
func (f *File) Import(ctx context.Context, c *client.Client, dryRun bool,
	progress func(done int)) (Summary, []RowError, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var sum Summary
	wrong := slices.Clone(f.errors)
	done := 0
	rows := make(chan row)
	var working sync.WaitGroup
	for range senders {
		working.Go(func() {
			for r := range rows {
				r.candidate.DryRun = &dryRun
				answer, err := c.ImportCandidate(ctx, nil, r.candidate)
				mu.Lock()
				if refused := r.refusals(err); refused != nil {
					wrong = append(wrong, refused...)
				} else if err != nil {
					cancel(err)
				} else {
					sum.add(answer.Value)
				}
				done++
				progress(done)
				mu.Unlock()
			}
		})
	}
	for _, r := range f.rows {
		if ctx.Err() != nil {
			break
		}
		rows <- r
	}
	close(rows)
	working.Wait()
	slices.SortStableFunc(wrong, func(a, b RowError) int { return cmp.Compare(a.Line, b.Line) })
	return sum, wrong, context.Cause(ctx)
}

func (s *Summary) add(done client.CandidateImport) {
	switch done.Result {
	case "created":
		s.Created++
	case "updated":
		s.Updated++
	default:
		s.Unchanged++
	}
	for _, d := range done.Documents {
		switch d.Result {
		case "recorded":
			s.Recorded++
		case "kept":
			s.Kept++
		}
	}
}

// refusals returns what a refused request says about the cells of the row; nil for another error.
func (r row) refusals(err error) []RowError {
	refused := (*client.Error)(nil)
	if !errors.As(err, &refused) || !slices.Contains([]int{http.StatusUnprocessableEntity,
		http.StatusConflict, http.StatusRequestEntityTooLarge}, refused.Status) {
		return nil
	}
	var all []RowError
	for _, e := range refused.Errors {
		all = append(all, RowError{Line: r.line, Column: r.column(e.Pointer),
			Cause: e.Message, UnknownID: e.Pointer == "/"+idColumn &&
				e.Code == string(dossier.ProblemUnknown)})
	}
	if all == nil {
		all = []RowError{{Line: r.line, Cause: refused.Detail}}
	}
	return all
}

// column returns the header of the cell at a pointer, or of the nearest around it. A value that is
// missing has none; its document has.
func (r row) column(pointer string) string {
	for at := pointer; at != ""; at = at[:strings.LastIndex(at, "/")] {
		if header, ok := r.columns[at]; ok {
			return header
		}
		if header, ok := r.columns[at+"/documentTypeId"]; ok {
			return header
		}
	}
	return strings.TrimPrefix(pointer, "/")
}
