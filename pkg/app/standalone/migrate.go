package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// checkFormat refuses the table of a newer program, and copies one of an older format before it is
// migrated. On a full disk, the number of the format of a new table is written by a later start.
func (p *Process) checkFormat() error {
	ctx := context.Background()
	from, err := p.formatOf(ctx)
	if err != nil {
		return err
	}
	if from > 0 && from < store.Format {
		kept, err := p.keepTable(ctx, from)
		if err != nil {
			return fmt.Errorf("its table has format %d, and could not be copied before it is "+
				"brought to format %d: %w", from, store.Format, err)
		}
		p.log.Info("the table of an older format is kept, and brought to the format of this version",
			"formatBefore", from, "format", store.Format, "file", kept)
	}
	err = p.store.CheckFormat(ctx)
	if (from == 0 || from == store.Format) && errors.Is(err, kv.ErrUnavailable) {
		p.log.Warn("the format of the table was not written", "error", err)
		return nil
	}
	return err
}

// formatOf returns the format of the table, 0 if it is empty.
func (p *Process) formatOf(ctx context.Context) (int, error) {
	format, err := p.store.StoredFormat(ctx)
	if err != nil || format > 0 {
		return format, err
	}
	// without a number, what is there has the first format
	notEmpty := errors.New("the table is not empty")
	err = p.engine.Each(ctx, func(kv.Item) error { return notEmpty })
	if errors.Is(err, notEmpty) {
		return 1, nil
	}
	return 0, err
}

// keepTable copies the table's file beside it, without what was erased, and returns the name of the
// copy. The folder has the copy whole or not at all.
func (p *Process) keepTable(ctx context.Context, format int) (name string, err error) {
	name = fmt.Sprintf("%s.format-%d", tableFile, format)
	if _, err := p.engine.Overwrite(ctx); err != nil {
		return "", fmt.Errorf("overwrite what was erased: %w", err)
	}
	root, err := os.OpenRoot(p.cfg.Data)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	part := name + ".part"
	file, err := root.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	err = p.engine.Snapshot(ctx, func(_ int64, write func(io.Writer) error) error {
		return write(file)
	})
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		return "", errors.Join(err, root.Remove(part))
	}
	folder, err := os.Open(filepath.Clean(p.cfg.Data))
	if err != nil {
		return "", err
	}
	return name, errors.Join(folder.Sync(), folder.Close())
}
