package check

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// pdfOf writes a PDF of numbered objects, the first of them the catalog, with a right table of
// contents.
func pdfOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	at := make([]int, len(objects))
	for i, o := range objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1,
		start)
	return b.Bytes()
}

// stream is a stream object, its data deflated as often as asked.
func stream(data []byte, times int) string {
	filter := strings.Repeat("/FlateDecode ", times)
	for range times {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		if _, err := w.Write(data); err != nil {
			panic(err)
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
		data = z.Bytes()
	}
	return fmt.Sprintf("<</Length %d/Filter[%s]>>stream\n%s\nendstream", len(data), filter, data)
}

const (
	catalog = "<</Type/Catalog/Pages 2 0 R>>"
	onePage = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
	aPage   = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 4 0 R>>>>>>"
	aFont   = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
)

// pngOf is a PNG with a header of that size and the given deflated rows.
func pngOf(width, height uint32, rows []byte) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		body := append([]byte(kind), data...)
		b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
		b.Write(body)
		b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
	}
	header := binary.BigEndian.AppendUint32(nil, width)
	header = binary.BigEndian.AppendUint32(header, height)
	chunk("IHDR", append(header, 8, 6, 0, 0, 0))
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write(rows); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return b.Bytes()
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// hostile makes every hostile file of the tests.
func hostile(t *testing.T) map[string]struct {
	contentType string
	content     []byte
} {
	type made = struct {
		contentType string
		content     []byte
	}
	permit, photo, png := testdata(t, "chromium-plain.pdf"), testdata(t, "photo.jpg"),
		testdata(t, "photo.png")
	nested := strings.Repeat("[", 3_000_000)
	text := "BT /F 12 Tf (x) Tj ET\n"
	return map[string]made{
		"zero bytes":    {sniff.PDF, nil},
		"truncated":     {sniff.PDF, permit[:len(permit)/2]},
		"only a header": {sniff.PDF, []byte("%PDF-1.7\n")},
		"noise": {sniff.PDF,
			append([]byte("%PDF-1.4\n"), bytes.Repeat([]byte{0x00, 0xff, 0x3c, 0x5b}, 50_000)...)},
		"zip as pdf":  {sniff.PDF, []byte("PK\x03\x04 no document")},
		"jpeg as pdf": {sniff.PDF, photo},
		"pdf as png":  {sniff.PNG, permit},
		"html": {sniff.PDF,
			[]byte("<html><body>Permit number: NL-204</body></html>")},
		"needs a password": {sniff.PDF, testdata(t, "locked.pdf")},
		"xref loop": {sniff.PDF,
			[]byte(
				"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n" + strings.Repeat(" ", 100) + "\nstartxref\n9\n%%EOF")},
		"page tree loop": {sniff.PDF,
			pdfOf(catalog, "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>")},
		"parent loop": {sniff.PDF,
			pdfOf(catalog, "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 3 0 R>>",
				"<</Type/Pages/Kids[2 0 R]/Parent 2 0 R/Count 1>>")},
		"a million pages": {sniff.PDF,
			pdfOf(catalog, "<</Type/Pages/Count 1000000/Kids["+strings.Repeat("3 0 R ", 1_000_000)+
				"]>>", "<</Type/Page/Parent 2 0 R>>")},
		"no pages": {sniff.PDF, pdfOf(catalog, "<</Type/Pages/Count 1000000/Kids[]>>")},
		"length loop": {sniff.PDF,
			pdfOf(catalog, onePage, aPage, "<</Length 4 0 R>>stream\nx\nendstream", aFont)},
		"no catalog": {sniff.PDF,
			pdfOf("<</Type/ObjStm/N 1/First 4/Length 8>>stream\n1 0 1 0 R\nendstream")},
		"deep arrays": {sniff.PDF,
			pdfOf(catalog, onePage, "<</Type/Page/Contents "+nested+">>")},
		"deep content": {sniff.PDF,
			pdfOf(catalog, onePage, aPage, stream([]byte(nested), 1), aFont)},
		"operand bomb": {sniff.PDF,
			pdfOf(catalog, onePage, aPage, stream(bytes.Repeat([]byte("0 "), 32<<20), 2), aFont)},
		"text bomb": {sniff.PDF,
			pdfOf(catalog, onePage, aPage, stream(bytes.Repeat([]byte(text), 550_000), 2), aFont)},
		"one long string": {sniff.PDF,
			pdfOf(catalog, onePage, aPage,
				stream([]byte("BT /F 12 Tf ("+strings.Repeat("a", 60<<20)+") Tj"), 1), aFont)},
		"png of 4 gigapixels":  {sniff.PNG, pngOf(65535, 65535, nil)},
		"png of 2^31 squared":  {sniff.PNG, pngOf(1<<31-1, 1<<31-1, nil)},
		"png without rows":     {sniff.PNG, pngOf(8000, 8000, nil)},
		"png truncated":        {sniff.PNG, png[:len(png)-20]},
		"jpeg truncated":       {sniff.JPEG, photo[:len(photo)/2]},
		"jpeg of only a start": {sniff.JPEG, []byte("\xff\xd8\xff\xe0")},
	}
}

// TestHostile reads every hostile file under the limits of production, and asserts how long the
// child lived and how much memory it had.
func TestHostile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes ten seconds: part of `make test`")
	}
	const memory = 512 << 20
	const timeout = 8 * time.Second
	// The content of these is dropped by the parser, and what is left is a blank page; or, on a
	// slow machine, the time is over.
	blank := map[string]bool{"deep content": true, "length loop": true}
	dir := t.TempDir()
	c := newChecker(Config{MaxMemory: memory, Timeout: timeout})
	for name, f := range hostile(t) {
		t.Run("Err "+name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			if err := os.WriteFile(path, f.content, 0o600); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			part, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer part.Close()
			r, err := c.spawn(context.Background(), timeout, part, childproto.Job{
				ContentType: f.contentType, Parser: dossier.ParserPDF, Fields: permit.Fields,
				MaxSize: dossier.MaxPartSize, MaxPages: 200, MaxPixels: 64_000_000,
			})
			a, resident := r.report.Answer, r.resident
			if err != nil {
				t.Fatalf("technical error %v", err)
			}
			elapsed := time.Since(start)
			t.Logf("%-22s %6d ms %4d MB  %s", name, elapsed.Milliseconds(), resident>>20,
				a.Unreadable)
			if a.Unreadable == "" && !blank[name] {
				t.Error("was read")
			}
			if elapsed > timeout+15*time.Second {
				t.Errorf("took %v", elapsed)
			}
			if resident > memory+memory/4 {
				t.Errorf("had %d MB resident", resident>>20)
			}
		})
	}
}

// TestMemory has a child end for its memory alone: the file is one that needs 500 MB, the limit a
// fraction of it.
func TestMemory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds: part of `make test`")
	}
	path := filepath.Join(t.TempDir(), "bomb")
	content := pdfOf(catalog, onePage, aPage, stream(bytes.Repeat([]byte("0 "), 32<<20), 2), aFont)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	const memory = 96 << 20
	out, err := newChecker(Config{MaxMemory: memory, Timeout: 5 * time.Minute,
		SmallTimeout: 5 * time.Minute}).Check(context.Background(),
		Request{
			Check: permit, Parts: []Part{partAt(t, path, sniff.PDF)}, Today: today,
		})
	if err != nil || len(out.Reasons) != 1 ||
		!strings.Contains(out.Reasons[0].Message, errMemory.Error()) {
		t.Errorf("%+v, %v", out, err)
	}
}
