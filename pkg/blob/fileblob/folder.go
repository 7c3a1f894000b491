// Package fileblob keeps uploaded bytes as files in one folder: one file per version, which is
// never written again. It is the blob store of the standalone process; one process owns the folder.
//
// The versions of a key are the files "@<number>.<sha256>" in the folder that the key names.
package fileblob

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
)

// incoming is the folder of files that are not yet whole. No key begins with a dot.
const incoming = ".incoming"

// Store is a folder of blobs. Its methods may be called at the same time.
type Store struct {
	root    *os.Root
	baseURL string
	secret  []byte
	now     func() time.Time

	mu sync.Mutex // numbering and removing versions
}

// New opens the folder, creating it if it does not exist. baseURL is the address of Handler,
// without a slash at the end; secret signs forms and links, and must stay the same for as long as
// these are to work.
func New(dir, baseURL string, secret []byte) (*Store, error) {
	if len(secret) < 16 {
		return nil, errors.New("the secret of a blob folder has at least 16 bytes")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make blob folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open blob folder: %w", err)
	}
	s := &Store{root: root, baseURL: strings.TrimSuffix(baseURL, "/"), secret: bytes.Clone(secret),
		now: time.Now}
	// What a killed process left half written is of no use to anyone.
	if err := errors.Join(root.RemoveAll(incoming), root.Mkdir(incoming, 0o700)); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare blob folder: %w", err), root.Close())
	}
	return s, nil
}

// Close closes the folder. Readers that are open stay usable.
func (s *Store) Close() error { return s.root.Close() }

// Put stores the content as the newest version of the key. When it returns, the version outlives a
// crash of the machine.
func (s *Store) Put(ctx context.Context, key string, content []byte) (blob.Info, error) {
	return s.store(ctx, key, bytes.NewReader(content), nil)
}

// Keep copies a version to another key and describes the copy; ErrNotFound where there is no such
// version.
func (s *Store) Keep(ctx context.Context, from blob.Ref, to string) (blob.Info, error) {
	r, err := s.Open(ctx, from)
	if err != nil {
		return blob.Info{}, err
	}
	defer r.Close()
	return s.store(ctx, to, r, nil)
}

// Open reads a pinned version; ErrNotFound where there is none.
func (s *Store) Open(_ context.Context, ref blob.Ref) (io.ReadCloser, error) {
	file, err := s.open(ref)
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (s *Store) open(ref blob.Ref) (*os.File, error) {
	if blob.CheckKey(ref.Key) != nil || !isVersion(ref.Version) {
		return nil, blob.ErrNotFound
	}
	file, err := s.root.Open(path.Join(ref.Key, "@"+ref.Version))
	if err != nil {
		return nil, failed("open", err)
	}
	return file, nil
}

// Stat describes the newest version of a key; ErrNotFound where there is none.
func (s *Store) Stat(_ context.Context, key string) (blob.Info, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	version, err := s.newest(key)
	if err != nil {
		return blob.Info{}, err
	}
	stat, err := s.root.Stat(path.Join(key, "@"+version))
	if err != nil {
		return blob.Info{}, failed("stat", err)
	}
	_, sum, _ := strings.Cut(version, ".")
	return blob.Info{Ref: blob.Ref{Key: key, Version: version}, Size: stat.Size(), SHA256: sum}, nil
}

// DeleteAll removes every version of every key that begins with the prefix, for good.
func (s *Store) DeleteAll(_ context.Context, prefix string) error {
	if err := blob.CheckPrefix(prefix); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	parent, start := path.Split(prefix)
	entries, err := s.list(path.Clean(parent))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), start) || e.Name() == incoming {
			continue
		}
		if err := s.root.RemoveAll(path.Join(parent, e.Name())); err != nil {
			return failed("remove", err)
		}
	}
	return s.sync(path.Clean(parent))
}

// Expire removes what was stored under a prefix before a moment: uploads that nobody committed.
func (s *Store) Expire(_ context.Context, prefix string, before time.Time) error {
	dir := path.Clean(prefix)
	if err := blob.CheckKey(dir); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := fs.WalkDir(s.root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(before) {
			return err
		}
		return s.root.Remove(name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return failed("expire", err)
}

// store writes the content into a file of its own, and gives it the next number of the key once it
// is whole and on the disk. posted describes the file that a form takes, and is nil without a form.
func (s *Store) store(ctx context.Context, key string, content io.Reader,
	posted *announcement) (blob.Info, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, err
	}
	temporary := path.Join(incoming, rand.Text())
	size, sum, err := s.write(temporary, content)
	if err != nil {
		return blob.Info{}, errors.Join(err, s.discard(temporary))
	}
	info := blob.Info{Ref: blob.Ref{Key: key}, Size: size, SHA256: sum}
	if err := ctx.Err(); err != nil {
		return blob.Info{}, errors.Join(failed("write", err), s.discard(temporary))
	}
	if posted != nil && (size != posted.size || sum != posted.sum) {
		return blob.Info{}, errors.Join(errOtherContent, s.discard(temporary))
	}
	info.Version, err = s.number(temporary, key, sum, posted)
	if err != nil {
		return blob.Info{}, errors.Join(err, s.discard(temporary))
	}
	return info, nil
}

func (s *Store) write(name string, content io.Reader) (size int64, sum string, err error) {
	file, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, "", failed("write", err)
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(file, hash), content)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return 0, "", failed("write", err)
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

// number renames a whole file to the next version of the key. The lock makes that number its own.
// It also makes the erasure of a candidate final: DeleteAll either removes the file or ran before
// the upload was found closed. The same file posted again is the version that is there.
func (s *Store) number(temporary, key, sum string,
	posted *announcement) (version string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if posted != nil {
		if err := posted.open(); err != nil {
			return "", err
		}
	}
	if err := s.makeDir(key); err != nil {
		return "", err
	}
	next := 1
	if last, err := s.newest(key); err == nil {
		if posted != nil && strings.HasSuffix(last, "."+sum) {
			return last, s.discard(temporary)
		}
		if _, err := fmt.Sscanf(last, "%d.", &next); err != nil {
			return "", failed("number", err)
		}
		next++
	} else if !errors.Is(err, blob.ErrNotFound) {
		return "", err
	} else if err := s.syncUp(key); err != nil {
		return "", err
	}
	version = fmt.Sprintf("%010d.%s", next, sum)
	if err := s.root.Rename(temporary, path.Join(key, "@"+version)); err != nil {
		return "", failed("rename", err)
	}
	return version, s.sync(key)
}
