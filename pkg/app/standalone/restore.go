package standalone

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/kv/bolt"
)

// Restore copies a backup into a data folder, which must be empty or absent. Every file has to be
// there with its size and sum, and every item of the table has to be readable; otherwise the data
// folder stays as it was.
func Restore(backup, data string) (err error) {
	m, err := readManifest(backup)
	if err != nil {
		return err
	}
	if err := makeEmpty(data); err != nil {
		return err
	}
	staging := filepath.Clean(data) + ".restoring"
	if err := os.RemoveAll(staging); err != nil { // left by a restore that was killed
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	if err := copyFiles(backup, staging, m.Files); err != nil {
		return err
	}
	if err := bolt.Verify(filepath.Join(staging, tableFile)); err != nil {
		return fmt.Errorf("the backup's %s: %w", tableFile, err)
	}
	if err := restoreKey(staging, keyPath(data)); err != nil {
		return err
	}
	if err := os.Remove(data); err != nil {
		return err
	}
	return os.Rename(staging, data)
}

// restoreKey moves the key of a backup beside the data folder. A different key that lies there
// already is an error: it may be the only one that opens another folder's secrets.
func restoreKey(staging, to string) error {
	from := filepath.Join(staging, keyFile)
	key, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the backup of a folder without sealed secrets
	}
	if err != nil {
		return err
	}
	switch present, err := os.ReadFile(to); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.WriteFile(to, key, 0o600); err != nil {
			return err
		}
	case err != nil:
		return err
	case !bytes.Equal(present, key):
		return fmt.Errorf("%s holds the key of other data: move it away first", to)
	}
	return os.Remove(from)
}

func readManifest(backup string) (m manifest, err error) {
	text, err := os.ReadFile(filepath.Join(backup, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s is not a backup, or not a complete one: it has no %s", backup,
			manifestFile)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%w: its %s is torn", errNotComplete, manifestFile)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("the backup has format %d; this program reads format %d", m.Format,
			backupFormat)
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return m, fmt.Errorf("the backup names a file outside of it: %q", f.Path)
		}
	}
	if len(m.Files) == 0 || m.Files[0].Path != tableFile {
		return m, fmt.Errorf("%w: it lists no %s", errNotComplete, tableFile)
	}
	return m, nil
}

// copyFiles copies the files of a backup and compares their sizes and sums.
func copyFiles(backup, to string, files []backupFile) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err = copyFile(filepath.Join(backup, filepath.FromSlash(f.Path)), root, f); err != nil {
			break
		}
	}
	return errors.Join(err, root.Close())
}

func copyFile(from string, root *os.Root, f backupFile) error {
	file, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing", errNotComplete, f.Path)
	}
	if err != nil {
		return err
	}
	sum := sha256.New()
	content := io.TeeReader(io.LimitReader(file, f.Size+1), sum)
	if err := errors.Join(unpackFile(root, f.Path, content), file.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("the backup's %s is not as it was written: its sum differs", f.Path)
	}
	return nil
}
