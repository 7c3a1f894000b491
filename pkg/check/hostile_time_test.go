package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// wideFont is a page's font object with a W array and a ToUnicode map in object 6.
func wideFont(w string) string {
	return "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 6 0 R" +
		"/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/W[" + w + "]>>]>>"
}

const wideText = "BT /F 9 Tf <0041> Tj ET"

// manyScans is a progressive JPEG of that many passes over 8000 by 8000 pixels. Each pass is a few
// bytes: runs of empty blocks.
func manyScans(scans int) []byte {
	const side, blocks = 8000, 1_000_000
	b := []byte{0xff, 0xd8}
	segment := func(marker byte, data ...byte) {
		b = append(b, 0xff, marker)
		b = binary.BigEndian.AppendUint16(b, uint16(len(data)+2))
		b = append(b, data...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, side>>8, side&0xff, side>>8, side&0xff, 1, 1, 0x11, 0)
	// one code: a run of blocks
	segment(0xc4, append([]byte{0x10, 1}, append(make([]byte, 15), 0xe0)...)...)
	for range scans {
		segment(0xda, 1, 1, 0, 1, 63, 0)
		bits, n := 0, 0
		for left := blocks; left > 0; left -= 32767 {
			run := min(left, 32767) - 16384
			bits, n = bits<<15|max(run, 0), n+15
			for ; n >= 8; n -= 8 {
				c := byte(bits >> (n - 8))
				if b = append(b, c); c == 0xff {
					b = append(b, 0)
				}
			}
			bits &= 1<<n - 1
		}
		b = append(b, byte(bits<<(8-n)))
	}
	return append(b, 0xff, 0xd9)
}

// slowly makes the files that once took all the time that there was.
func slowly() map[string]struct {
	contentType string
	content     []byte
} {
	type made = struct {
		contentType string
		content     []byte
	}
	page := func(content, resources string, more ...string) []byte {
		thePage := "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<" +
			resources + ">>>>"
		return pdfOf(append([]string{catalog, onePage, thePage, stream([]byte(content), 1)},
			more...)...)
	}
	font := "/Font<</F 5 0 R>>"
	form := func(content, resources string) string {
		s := stream([]byte(content), 1)
		return "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<" + resources + ">>" +
			strings.TrimPrefix(s, "<<")
	}
	draws := strings.Repeat("/X Do ", 100)
	nested := make([]string, 0, 8)
	for i := range 8 {
		nested = append(nested, form(draws, fmt.Sprintf("/XObject<</X %d 0 R>>", min(i+6, 12))))
	}
	full := strings.Repeat("<0000> <ffff> <0041>\n", 2000)
	cmap := "/CIDInit /ProcSet findresource begin begincmap 2000 beginbfrange\n" + full +
		"endbfrange endcmap end"
	perForm := form(strings.Repeat(wideText+"\n", 3), font)
	return map[string]made{
		"hex string without an end": {sniff.PDF, page("BT /F 9 Tf <41", font, aFont)},
		"map with a string without an end": {sniff.PDF,
			page(wideText+" BT /F 9 Tf <0042> Tj ET", font, wideFont(""),
				stream([]byte("1 beginbfchar <0041> <00"), 1))},
		"forms in forms": {sniff.PDF,
			page(draws, "/XObject<</X 5 0 R>>", nested...)},
		"one big form many times": {sniff.PDF,
			page(strings.Repeat("/X Do ", 100_000), "/XObject<</X 5 0 R>>",
				form(strings.Repeat("% nothing\n", 400_000), ""))},
		"widths one by one": {sniff.PDF,
			page(wideText, font, wideFont(strings.Repeat("0 7 0 R ", 30_000)),
				stream([]byte("x"), 1), "["+strings.Repeat("1 ", 65_536)+"]")},
		"widths by ranges": {sniff.PDF,
			page(wideText, font, wideFont(strings.Repeat("0 65535 1 ", 30_000)),
				stream([]byte("x"), 1))},
		"two thousand ranges": {sniff.PDF,
			page(strings.Repeat("/X Do ", 50), font+"/XObject<</X 7 0 R>>", wideFont(""),
				stream([]byte(cmap), 1), perForm)},
		"jpeg of a thousand scans": {sniff.JPEG, manyScans(1000)},
	}
}

// TestHostileTime bounds the time that hostile files take: none uses up that of a small part.
func TestHostileTime(t *testing.T) {
	t.Parallel()
	// Of CPU: the clock also counts what else the machine does. Alone none takes a second.
	const enough = 3 * time.Second
	dir := t.TempDir()
	c := newChecker(Config{})
	for name, f := range slowly() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			if err := os.WriteFile(path, f.content, 0o600); err != nil {
				t.Fatal(err)
			}
			part, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer part.Close()
			r, err := c.spawn(context.Background(), 5*time.Minute, part, childproto.Job{
				ContentType: f.contentType, Parser: dossier.ParserPDF, Fields: permit.Fields,
				MaxSize: dossier.MaxPartSize, MaxPages: 200, MaxPixels: 64_000_000,
			})
			t.Logf("%8d bytes %6d ms  %s", len(f.content), r.cpu.Milliseconds(),
				r.report.Answer.Unreadable)
			if err != nil || r.cause != nil || r.cpu > enough {
				t.Errorf("after %v: %v, %v", r.cpu, r.cause, err)
			}
		})
	}
}
