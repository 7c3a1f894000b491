package main

import (
	"archive/zip"
	"context"
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/check"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the test is its own child
	"github.com/dossierhq/dossier/pkg/check/picturetest"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

const built = "../../../build/layer-ocr"

// layerOf returns the folder of the layer of an architecture.
func layerOf(t *testing.T, a architecture) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the layers: part of `make test`")
	}
	folder, err := filepath.Abs(filepath.Join(built, a.name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "tesseract/bin/tesseract")); err != nil {
		t.Fatalf("%v: `make layer-ocr` builds it", err)
	}
	return folder
}

// TestComplete holds that every library that a file of a layer needs is in the layer, for the same
// processor, and that the archive has the files of the folder.
func TestComplete(t *testing.T) {
	t.Parallel()
	machines := map[string]elf.Machine{"arm64": elf.EM_AARCH64, "x86_64": elf.EM_X86_64}
	for _, a := range architectures {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			folder := layerOf(t, a)
			top := filepath.Join(folder, "tesseract")
			programs, err := filepath.Glob(filepath.Join(top, "lib*", "*"))
			if err != nil || len(programs) < 10 {
				t.Fatalf("only %d programs and libraries, %v", len(programs), err)
			}
			for _, path := range programs {
				f, err := elf.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				needed, err := f.ImportedLibraries()
				if err != nil || f.Machine != machines[a.name] {
					t.Errorf("%s: %v, %v", path, f.Machine, err)
				}
				_ = f.Close()
				for _, name := range needed {
					if _, err := os.Stat(filepath.Join(top, "lib", name)); err != nil {
						t.Errorf("%s needs %s: %v", path, name, err)
					}
				}
			}
			for _, name := range []string{"lib/" + a.loader, "share/tessdata/eng.traineddata",
				"share/doc/libtesseract5/copyright"} {
				if _, err := os.Stat(filepath.Join(top, name)); err != nil {
					t.Error(err)
				}
			}
			sameFiles(t, folder)
		})
	}
}

// sameFiles compares an archive with the folder of which it was made.
func sameFiles(t *testing.T, folder string) {
	t.Helper()
	z, err := zip.OpenReader(folder + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	packed := map[string]*zip.File{}
	unzipped := uint64(0)
	for _, f := range z.File {
		packed[f.Name] = f
		unzipped += f.UncompressedSize64
	}
	if unzipped > maxBytes-codeBytes {
		t.Errorf("%d bytes unzipped", unzipped)
	}
	files := 0
	if err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := packed[name]
		if f == nil || f.UncompressedSize64 != uint64(info.Size()) || f.Mode() != info.Mode() {
			t.Errorf("%s is not in the archive as it is", name)
		}
		return nil
	}); err != nil || files != len(packed) {
		t.Errorf("%d files, %d in the archive, %v", files, len(packed), err)
	}
}

// TestReads has the layer of this machine's processor read a picture in a check's sandbox, from a
// folder that is not /opt.
func TestReads(t *testing.T) {
	t.Parallel()
	for _, a := range architectures {
		if a.debian != runtime.GOARCH || runtime.GOOS != "linux" {
			continue
		}
		c := check.New(check.Config{Timeout: 3 * time.Minute, SmallTimeout: time.Minute,
			Tesseract: filepath.Join(layerOf(t, a), "tesseract/bin/tesseract")})
		version, err := c.Tesseract(t.Context())
		if err != nil || !strings.HasPrefix(version, "tesseract 5.") {
			t.Fatalf("%q, %v", version, err)
		}
		content, err := picturetest.Picture{Title: "WORK PERMIT", Font: 1, Quality: 95,
			Rows: [][2]string{{"Class", "CE"}, {"Valid until", "7 September 2034"}}}.JPEG()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.jpg")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := c.Check(context.Background(), check.Request{Today: "2030-01-01",
			Check: dossier.Check{Parser: dossier.ParserPDF, Required: []string{"class", "expires"},
				Fields: []dossier.CheckField{{Reference: "class", Label: "Class",
					Type: dossier.FieldText}, {Reference: "expires", Label: "Valid until",
					Type: dossier.FieldDate}}},
			Parts: []check.Part{{Name: "front", ContentType: sniff.JPEG, Path: path,
				Size: int64(len(content))}}})
		if err != nil || out.Verdict != check.Passed || out.Parsed["expires"] != "2034-09-07" {
			t.Errorf("%s %v %v, %v", out.Verdict, out.Parsed, out.Reasons, err)
		}
	}
}
