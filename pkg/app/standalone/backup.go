package standalone

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// The files of a data folder that a backup holds. Locks, sockets and documents under check are not
// among them.
const (
	tableFile  = "dossier.db"
	secretFile = "link-secret"
	markerFile = "first-start"
	sealFile   = "seal-id" // the id of the key beside the folder that seals its secrets
	blobFolder = "blobs"
)

// keyFile is the key that opens sealed secrets. It lies beside the data folder, so that a copy of
// the folder alone gives no secret away; a backup holds it, so that it restores whole.
const keyFile = "seal.key"

// manifestFile is the last file of a backup: it lists the others.
const manifestFile = "manifest.json"

// backupFormat is the number of the layout below.
const backupFormat = 1

// manifest describes a backup. A backup without one is not complete.
type manifest struct {
	Format    int          `json:"format"`
	CreatedAt time.Time    `json:"createdAt"`
	Files     []backupFile `json:"files"`
}

// backupFile is one file of a backup; Path is relative, with slashes.
type backupFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// backupWriter writes a backup as a tar archive.
type backupWriter struct {
	tar      *tar.Writer
	manifest manifest
}

// Backup writes a consistent copy of the table and the parts as a tar archive, while the process
// serves. The table comes first, so that every part it names exists: parts never change, and
// erasures wait until the backup ends.
func (p *Process) Backup(ctx context.Context, w io.Writer) error {
	p.backups.Lock()
	defer p.backups.Unlock()
	b := &backupWriter{tar: tar.NewWriter(w),
		manifest: manifest{Format: backupFormat, CreatedAt: time.Now().UTC()}}
	if _, err := p.engine.Overwrite(ctx); err != nil {
		return fmt.Errorf("overwrite what was erased, before it is copied: %w", err)
	}
	err := p.engine.Snapshot(ctx, func(size int64, write func(io.Writer) error) error {
		return b.add(tableFile, size, write)
	})
	if err != nil {
		return fmt.Errorf("back up the table: %w", err)
	}
	if p.sealKey != "" {
		text := p.sealKey + "\n"
		err := b.add(keyFile, int64(len(text)), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return fmt.Errorf("back up the key: %w", err)
		}
	}
	root := os.DirFS(p.cfg.Data)
	for _, name := range []string{secretFile, markerFile, sealFile, blobFolder} {
		err := fs.WalkDir(root, name, func(name string, e fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil // a process that never served has no marker
			case err != nil || ctx.Err() != nil:
				return errors.Join(err, ctx.Err())
			case e.IsDir() && strings.HasPrefix(e.Name(), "."):
				return fs.SkipDir // parts that are not whole yet
			case e.IsDir():
				return nil
			}
			return b.copy(root, name)
		})
		if err != nil {
			return fmt.Errorf("back up %s: %w", name, err)
		}
	}
	return b.close()
}

// copy adds a file of the data folder. A part that nobody committed may be gone by now.
func (b *backupWriter) copy(root fs.FS, name string) error {
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		err = b.add(name, info.Size(), func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		})
	}
	return errors.Join(err, file.Close())
}

// add writes a file of this size and lists it in the manifest.
func (b *backupWriter) add(name string, size int64, write func(io.Writer) error) error {
	header := &tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: b.manifest.CreatedAt,
		Format: tar.FormatPAX}
	if err := b.tar.WriteHeader(header); err != nil {
		return err
	}
	sum := sha256.New()
	if err := write(io.MultiWriter(b.tar, sum)); err != nil {
		return err
	}
	b.manifest.Files = append(b.manifest.Files,
		backupFile{name, size, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (b *backupWriter) close() error {
	text, err := json.Marshal(b.manifest)
	if err != nil {
		return err
	}
	header := &tar.Header{Name: manifestFile, Mode: 0o600, Size: int64(len(text)),
		ModTime: b.manifest.CreatedAt, Format: tar.FormatPAX}
	if err := b.tar.WriteHeader(header); err != nil {
		return err
	}
	if _, err := b.tar.Write(text); err != nil {
		return err
	}
	return b.tar.Close()
}

// Unpack writes the files of a backup's archive into a folder, which it makes; the folder must be
// empty or absent. An archive that ends early is an error.
func Unpack(archive io.Reader, dir string) error {
	if err := makeEmpty(dir); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing is written through it any more
	complete := false
	for r := tar.NewReader(archive); ; {
		header, err := r.Next()
		switch {
		case err == io.EOF && complete:
			return nil
		case err == io.EOF:
			return errNotComplete
		case err != nil:
			return fmt.Errorf("%w: %w", errNotComplete, err)
		case header.Typeflag != tar.TypeReg:
			return fmt.Errorf("%s in the backup is not a file", header.Name)
		}
		complete = header.Name == manifestFile
		if err := unpackFile(root, header.Name, r); err != nil {
			return fmt.Errorf("write %s: %w", header.Name, err)
		}
	}
}

var errNotComplete = errors.New("the backup is not complete")

// unpackFile writes a file below the root, which a path cannot leave.
func unpackFile(root *os.Root, name string, from io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Sync(), to.Close())
}

// makeEmpty makes a folder, or fails if it exists and holds something.
func makeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("the folder %s is not empty", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.MkdirAll(filepath.Clean(dir), 0o700)
}
