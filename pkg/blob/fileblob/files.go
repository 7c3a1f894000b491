package fileblob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/dossierhq/dossier/pkg/blob"
)

var versionForm = regexp.MustCompile(`^[0-9]{10}\.[0-9a-f]{64}$`)

func isVersion(s string) bool { return versionForm.MatchString(s) }

// newest returns the highest version of a key, or ErrNotFound.
func (s *Store) newest(key string) (string, error) {
	entries, err := s.list(key)
	if err != nil {
		return "", err
	}
	highest := ""
	for _, e := range entries {
		if version, ok := strings.CutPrefix(e.Name(), "@"); ok && isVersion(version) &&
			version > highest {
			highest = version
		}
	}
	if highest == "" {
		return "", blob.ErrNotFound
	}
	return highest, nil
}

// list returns what is in a folder; a folder that does not exist is empty.
func (s *Store) list(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed("list", err)
	}
	return entries, nil
}

// makeDir makes the folder of a key.
func (s *Store) makeDir(key string) error {
	if err := s.root.MkdirAll(key, 0o700); err != nil {
		return failed("make folder", err)
	}
	return nil
}

// syncUp puts the names of the folders on the way to a key on the disk.
func (s *Store) syncUp(key string) error {
	for dir := key; dir != "."; {
		dir = path.Dir(dir)
		if err := s.sync(dir); err != nil {
			return err
		}
	}
	return nil
}

// sync puts the names in a folder on the disk.
func (s *Store) sync(dir string) error {
	file, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failed("sync", err)
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return failed("sync", err)
	}
	return nil
}

func (s *Store) discard(name string) error {
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("remove", err)
	}
	return nil
}

// failed names what could not be done. The path is left out: it holds ids of a company.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return blob.ErrNotFound
	}
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onLink):
		err = onLink.Err
	}
	return fmt.Errorf("%w: %s: %w", blob.ErrUnavailable, what, err)
}
