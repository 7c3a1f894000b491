package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Format is the number of the format in which this program stores data. It rises with a change that
// an older program would misread; a table of an older format is brought to it when it is opened.
// Format 1 has been written since before formats had numbers. Format 2 has search entries of
// candidates, which an older program would not erase; Backfill adds them to older candidates.
// Format 3 has the index Group, which an older program would not keep; Backfill adds older
// candidate document types to it. Format 4 has documents that stay in force beside a newer one, and
// entries of the newer ones in lists, which an older program would neither keep nor erase.
const Format = 4

// ErrNewer is the error of a table that a newer program has written.
var ErrNewer = errors.New("the table was written by a newer version of this program")

// storedFormat is the item that says which format a table has.
type storedFormat struct {
	Format int `json:"format"`
}

// StoredFormat returns the number of the table's format, 0 if it has none: it is empty, or was
// written before formats had numbers.
func (s *Store) StoredFormat(ctx context.Context) (int, error) {
	stored, _, err := get[storedFormat](ctx, s, formatKey())
	if errors.Is(err, dossier.ErrNotFound) {
		err = nil
	}
	return stored.Format, err
}

// CheckFormat refuses a table of a newer format with ErrNewer, and gives one of an older format, or
// without a number, its own. A condition that fails means that another process
// has done so meanwhile.
func (s *Store) CheckFormat(ctx context.Context) error {
	return s.retryOnConflict(ctx, func() error {
		stored, read, err := get[storedFormat](ctx, s, formatKey())
		switch {
		case errors.Is(err, dossier.ErrNotFound), err == nil && stored.Format < Format:
			i, err := item(formatKey(), read.Rev, storedFormat{Format})
			if err != nil {
				return err
			}
			// absent, or the revision as read: another process is as early
			return s.commit(ctx, nil, put(i))
		case err != nil:
			return err
		case stored.Format > Format:
			return fmt.Errorf("%w: it has format %d, and this version reads up to %d", ErrNewer,
				stored.Format, Format)
		}
		return nil
	})
}
