// Command ocrlayer builds the Lambda layer with which the function check reads pictures:
// Tesseract with its language data, its shared libraries and its own dynamic loader. It takes them
// from the Debian packages of this machine's sources, for processors that this machine need not
// have.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// architecture is a processor under the names that Lambda, Debian and glibc have for it.
type architecture struct {
	name, debian, triplet, loader string
}

var architectures = []architecture{
	{"arm64", "arm64", "aarch64-linux-gnu", "ld-linux-aarch64.so.1"},
	{"x86_64", "amd64", "x86_64-linux-gnu", "ld-linux-x86-64.so.2"},
}

// maxBytes is Lambda's limit of a function's code with all its layers, unzipped. The code of the
// function check has less than codeBytes.
const (
	maxBytes  = 250 << 20
	codeBytes = 50 << 20
)

func main() {
	out := flag.String("out", "build/layer-ocr", "the folder of the layers")
	only := flag.String("only", "", "arm64 or x86_64 [both]")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := buildAll(ctx, *out, *only, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ocrlayer:", err)
		os.Exit(1)
	}
}

// buildAll builds the layers, each as a folder and as an archive, and prints their sizes.
func buildAll(ctx context.Context, out, only string, say io.Writer) error {
	built := 0
	for _, a := range architectures {
		if only != "" && only != a.name {
			continue
		}
		if err := build(ctx, a, out, say); err != nil {
			return fmt.Errorf("layer for %s: %w", a.name, err)
		}
		built++
	}
	if built == 0 {
		return fmt.Errorf("there is no architecture %q", only)
	}
	return nil
}

// build builds the layer of an architecture. What was there before is replaced at the end.
func build(ctx context.Context, a architecture, out string, say io.Writer) (err error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(out, ".work-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	all, err := fetch(ctx, a, work)
	if err != nil {
		return err
	}
	made := filepath.Join(work, "layer")
	if err := assemble(a, all, made); err != nil {
		return err
	}
	archive := filepath.Join(work, "layer.zip")
	unzipped, err := writeZip(made, archive)
	if err != nil {
		return err
	}
	zipped, err := os.Stat(archive)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(say, "%s/%s.zip: %.1f MB, %.1f MB unzipped of the %d MB that Lambda "+
		"allows a function with its layers\n", out, a.name, megabytes(zipped.Size()),
		megabytes(unzipped), maxBytes>>20); err != nil {
		return err
	}
	if unzipped > maxBytes-codeBytes {
		return errors.New("it is too big beside the code of the function")
	}
	folder := filepath.Join(out, a.name)
	return errors.Join(os.RemoveAll(folder), os.Rename(made, folder),
		os.Rename(archive, folder+".zip"))
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// launcher starts Tesseract with the loader, the libraries and the data that lie beside it, also
// where the layer is unpacked elsewhere than in /opt.
const launcher = `#!/bin/sh
here=${0%%/bin/*}
export TESSDATA_PREFIX="$here/share/tessdata"
exec "$here/lib/%s" --inhibit-cache --library-path "$here/lib" "$here/libexec/tesseract" "$@"
`

// assemble lays the layer into a folder. Lambda unpacks it into /opt.
func assemble(a architecture, all packages, folder string) error {
	l := layer{packages: all, arch: a, folder: filepath.Join(folder, "tesseract"),
		used: map[string]bool{}}
	program, err := l.copy("usr/bin/tesseract", "libexec/tesseract", 0o755)
	if err != nil {
		return err
	}
	if err := l.copyLibraries(program, a.loader); err != nil {
		return err
	}
	data := l.matching("usr/share/tesseract-ocr/*/tessdata/*.traineddata")
	if len(data) == 0 {
		return errors.New("the packages have no language data")
	}
	for _, name := range data {
		if _, err := l.copy(name, "share/tessdata/"+filepath.Base(name), 0o644); err != nil {
			return err
		}
	}
	if err := l.write("bin/tesseract", 0o755, fmt.Sprintf(launcher, a.loader)); err != nil {
		return err
	}
	return l.copyLicences()
}

// copyLicences copies the licences of the packages that files came from, and lists these packages.
func (l *layer) copyLicences() error {
	var list strings.Builder
	for _, p := range l.packages {
		if !l.used[p.name] {
			continue
		}
		fmt.Fprintln(&list, p.name, p.version)
		doc := "usr/share/doc/" + p.name
		if link, err := os.Readlink(filepath.Join(p.folder, doc)); err == nil {
			doc = "usr/share/doc/" + link
		}
		if _, err := l.copy(doc+"/copyright", "share/doc/"+p.name+"/copyright", 0o644); err != nil {
			return err
		}
	}
	return l.write("packages.txt", 0o644, list.String())
}
