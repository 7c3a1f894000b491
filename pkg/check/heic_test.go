package check

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// heicOf encodes a JPEG anew as HEIC, as telephones keep photos.
func heicOf(t *testing.T, content []byte) []byte {
	t.Helper()
	folder := t.TempDir()
	from, to := filepath.Join(folder, "photo.jpg"), filepath.Join(folder, "photo.heic")
	if err := os.WriteFile(from, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "heif-enc", "-q", "95", "-o", to,
		from).CombinedOutput(); err != nil {
		t.Fatalf("heif-enc: %v %s: `make debian` installs it", err, out)
	}
	made, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// sideways adds a quarter of a turn to the boxes of a HEIC file: anticlockwise, by which a program
// that shows it turns the picture.
func sideways(t *testing.T, content []byte) []byte {
	t.Helper()
	content = bytes.Clone(content)
	grow := func(box string, by int) int {
		at := bytes.Index(content, []byte(box)) - 4
		if at < 0 {
			t.Fatalf("the file has no %s", box)
		}
		length := binary.BigEndian.Uint32(content[at:])
		binary.BigEndian.PutUint32(content[at:], length+uint32(by))
		return at
	}
	insert := func(at int, added string) {
		content = append(content[:at:at], append([]byte(added), content[at:]...)...)
	}
	const turn = "\x00\x00\x00\x09irot\x01"
	// ipco lists the properties, of which ipma gives the picture some by their numbers, from 1
	properties := bytes.Index(content, []byte("ipco")) - 4
	last := properties + int(binary.BigEndian.Uint32(content[properties:]))
	number := byte(1)
	for at := properties + 8; at < last; number++ {
		at += int(binary.BigEndian.Uint32(content[at:]))
	}
	property := string([]byte{number})
	at := grow("ipma", len(property))
	count := at + 4 + 4 + 4 + 4 + 2 // after the length, name, version and count of pictures, and id
	content[count]++
	insert(count+1+int(content[count])-1, property)
	end := grow("ipco", len(turn))
	insert(end+int(binary.BigEndian.Uint32(content[end:]))-len(turn), turn)
	for _, box := range []string{"iprp", "meta"} {
		grow(box, len(turn)+len(property))
	}
	// iloc says where the bytes of the picture are
	data := uint32(bytes.Index(content, []byte("mdat")) + 4)
	was := binary.BigEndian.AppendUint32(nil, data-uint32(len(turn)+len(property)))
	if bytes.Count(content[:data], was) != 1 {
		t.Fatal("the place of the data is not known")
	}
	binary.BigEndian.PutUint32(content[bytes.Index(content, was):], data)
	return content
}

// TestHEIC reads the photo of a telephone, as it is kept and turned, with Tesseract, and a barcode
// of one.
func TestHEIC(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract and heif-enc: part of `make test`")
	}
	c := patient()
	c.cfg.Tesseract = reader(t).cfg.Tesseract
	read := func(p func() ([]byte, error)) []byte {
		content, err := p()
		if err != nil {
			t.Fatal(err)
		}
		return heicOf(t, content)
	}
	turned := easy
	turned.Quarters = 1 // the box turns it back
	qr := code{writer: qrcode.NewQRCodeWriter(), format: gozxing.BarcodeFormat_QR_CODE,
		text: "NL-204", w: 250, h: 250}
	qr.at.X, qr.at.Y = 100, 100
	for name, test := range map[string]struct {
		content []byte
		check   dossier.Check
		parsed  map[string]any
	}{
		"OK":         {read(easy.JPEG), permit, easyParsed},
		"OK turned":  {read(turned.JPEG), permit, easyParsed},
		"OK rotated": {sideways(t, read(turned.JPEG)), permit, easyParsed},
		"OK barcode": {heicOf(t, picturedCodes(t, 0, qr)),
			dossier.Check{Parser: dossier.ParserBarcode},
			map[string]any{"barcode": map[string]any{"qrCode": "NL-204"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := checkContent(t, c, test.check, test.content)
			if d := cmp.Diff(test.parsed, out.Parsed); d != "" || out.Verdict != Passed {
				t.Errorf("%s %v %s", out.Verdict, out.Reasons, d)
			}
			if name != "OK rotated" || len(out.Readings) == 0 {
				return
			}
			// The picture is shown upright: its first value stands in the upper half.
			if box := out.Readings[0].Box; box == nil || box.Y > 0.5 || box.Width < box.Height {
				t.Errorf("the value stands at %+v", box)
			}
		})
	}
}

// TestHostileHEIC sends damaged and lying HEIC files back with a reason. None is a failure of the
// machine.
func TestHostileHEIC(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs heif-enc: part of `make test`")
	}
	content, err := easy.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	sound := heicOf(t, content)
	patched := func(after string, skip int, with string) []byte {
		b := bytes.Clone(sound)
		at := bytes.Index(b, []byte(after))
		if at < 0 {
			t.Fatalf("the file has no %s", after)
		}
		copy(b[at+len(after)+skip:], with)
		return b
	}
	head := sound[:bytes.Index(sound, []byte("meta"))-4]
	for name, test := range map[string]struct {
		content []byte
		says    string
	}{
		"64,000 squared": {patched("ispe", 4, "\x00\x00\xfa\x00\x00\x00\xfa\x00"), "pixels"},
		"larger than it is": {patched("ispe", 4, "\x00\x00\x1f\x40\x00\x00\x1f\x40"),
			""},
		"no pixels":       {patched("ispe", 4, "\x00\x00\x00\x00\x00\x00\x00\x00"), ""},
		"truncated":       {sound[:len(sound)/2], "damaged"},
		"only a head":     {head, "damaged"},
		"noise":           {append(bytes.Clone(head), noisy(100_000)...), "damaged"},
		"noise as data":   {patched("mdat", 0, string(noisy(len(sound)/2))), ""},
		"an endless box":  {patched("meta", -8, "\xff\xff\xff\xff"), "damaged"},
		"boxes in a loop": {append(bytes.Clone(head), nested(30_000)...), "damaged"},
	} {
		t.Run("Err "+name, func(t *testing.T) {
			t.Parallel()
			c := patient()
			out, err := c.Check(t.Context(), Request{Check: dossier.Check{
				Parser: dossier.ParserPDF}, Today: today,
				Parts: []Part{written(t, string(test.content), sniff.HEIC)}})
			if err != nil || out.Verdict == Passed || len(out.Reasons) != 1 ||
				!strings.Contains(out.Reasons[0].Message, test.says) {
				t.Errorf("%s %v %v, %v", out.Verdict, out.Parsed, out.Reasons, err)
			}
			t.Logf("%s %v", out.Verdict, out.Reasons)
		})
	}
}

// noisy returns bytes that follow no form, always the same.
func noisy(n int) []byte {
	b, state := make([]byte, n), uint32(1)
	for i := range b {
		state = state*1664525 + 1013904223
		b[i] = byte(state >> 24)
	}
	return b
}

// nested returns boxes each of which lies in the one before.
func nested(depth int) []byte {
	var b []byte
	for n := depth; n > 0; n-- {
		b = binary.BigEndian.AppendUint32(b, uint32(8*n))
		b = append(b, "iprp"...)
	}
	return b
}
