package main

import (
	"archive/zip"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// layer is a layer that is being laid into a folder.
type layer struct {
	packages packages
	arch     architecture
	folder   string
	used     map[string]bool // names of the packages that files came from
}

// matching returns the paths in the packages that match a pattern.
func (l *layer) matching(pattern string) (paths []string) {
	for _, p := range l.packages {
		found, _ := fs.Glob(os.DirFS(p.folder), pattern) // the pattern is well formed
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	return paths
}

// copy copies a file of the packages, that which a link leads to, and returns the path of the copy.
func (l *layer) copy(from, to string, mode fs.FileMode) (string, error) {
	for range 8 {
		i := slices.IndexFunc(l.packages, func(p unpacked) bool {
			_, err := os.Lstat(filepath.Join(p.folder, from))
			return err == nil
		})
		if i < 0 {
			return "", fmt.Errorf("%s: %w", from, fs.ErrNotExist)
		}
		p := l.packages[i]
		link, err := os.Readlink(filepath.Join(p.folder, from))
		if err != nil {
			l.used[p.name] = true
			target := filepath.Join(l.folder, to)
			return target, copyFile(filepath.Join(p.folder, from), target, mode)
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join("/", filepath.Dir(from), link)
		}
		from = link[1:]
	}
	return "", fmt.Errorf("%s is a link that does not end", from)
}

// copyLibraries copies the loader and every library that a program needs, and those need. What
// lacks a library does not start, so that a missing one is an error.
func (l *layer) copyLibraries(program, loader string) error {
	have := map[string]bool{loader: true}
	at, err := l.copyLibrary(loader)
	if err != nil {
		return err
	}
	for look := []string{program, at}; len(look) > 0; look = look[1:] {
		needed, err := libraries(look[0])
		if err != nil {
			return err
		}
		for _, name := range needed {
			if have[name] {
				continue
			}
			have[name] = true
			at, err := l.copyLibrary(name)
			if err != nil {
				return fmt.Errorf("%s needs %w", look[0], err)
			}
			look = append(look, at)
		}
	}
	return nil
}

// copyLibrary copies a library from one of the folders in which Debian has them.
func (l *layer) copyLibrary(name string) (string, error) {
	for _, folder := range []string{"lib/", "usr/lib/"} {
		at, err := l.copy(folder+l.arch.triplet+"/"+name, "lib/"+name, 0o755)
		if !errors.Is(err, fs.ErrNotExist) {
			return at, err
		}
	}
	return "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// libraries returns the names of the libraries that a program or library is linked with.
func libraries(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	names, err := f.ImportedLibraries()
	return names, errors.Join(err, f.Close())
}

// write writes a file of the layer.
func (l *layer) write(to string, mode fs.FileMode, text string) error {
	target := filepath.Join(l.folder, to)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(target, []byte(text), mode), os.Chmod(target, mode))
}

func copyFile(from, to string, mode fs.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}

// writeZip packs a folder into an archive, the same bytes for the same files, and returns the bytes
// of the files.
func writeZip(folder, archive string) (bytes int64, err error) {
	out, err := os.Create(archive)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	z := zip.NewWriter(out)
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		bytes += info.Size()
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return zipFile(z, path, filepath.ToSlash(name), info.Mode())
	})
	return bytes, errors.Join(err, z.Close())
}

func zipFile(z *zip.Writer, path, name string, mode fs.FileMode) (err error) {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	header.SetMode(mode)
	w, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	_, err = io.Copy(w, in)
	return err
}
