package parse

import (
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	corefont "github.com/pdfcpu/pdfcpu/pkg/font"
)

// typeface is a font of the file as the reading of text needs it.
type typeface struct {
	font     pdf.Font
	wide     bool              // its codes have two bytes
	unicode  map[string]string // by code, from ToUnicode; nil without
	unclosed bool              // ToUnicode has no end: the library must not read it
	widths   map[int]float64   // of a wide font
	standard float64           // width of a code without one
	// name of one of the 14 standard fonts, whose widths are not in the file
	core  string
	scale float64 // from glyph space to text space
}

// maxCodes bounds what a font's tables may hold.
const maxCodes = 1 << 16

func newTypeface(v pdf.Value, b *budget) *typeface {
	t := &typeface{font: pdf.Font{V: v}, scale: 1.0 / 1000, standard: 500}
	if m := v.Key("ToUnicode"); m.Kind() == pdf.Stream {
		t.unicode, t.unclosed = readToUnicode(v, m, b)
	}
	switch v.Key("Subtype").Name() {
	case "Type0":
		t.wide = true
		descendant := v.Key("DescendantFonts").Index(0)
		t.standard = 1000
		if dw := descendant.Key("DW"); !dw.IsNull() {
			t.standard = dw.Float64()
		}
		t.widths = readWidths(descendant.Key("W"), b)
	case "Type3":
		if m := v.Key("FontMatrix").Index(0).Float64(); m != 0 {
			t.scale = m
		}
	}
	if w := v.Key("FontDescriptor").Key("MissingWidth").Float64(); w > 0 {
		t.standard = w
	}
	if name := v.Key("BaseFont").Name(); v.Key("Widths").IsNull() && corefont.IsCoreFont(name) {
		t.core = name
	}
	return t
}

// glyphs parts a shown string into its codes, each with its text and its width in text space.
func (t *typeface) glyphs(raw string, show func(code, text string, width float64)) {
	step := 1
	if t.wide {
		step = 2
	}
	for ; len(raw) >= step; raw = raw[step:] {
		code := raw[:step]
		text := t.text(code)
		show(code, text, t.width(code, text)*t.scale)
	}
}

func (t *typeface) text(code string) string {
	if t.unicode != nil {
		if s, ok := t.unicode[code]; ok {
			return s
		}
		if t.wide {
			return ""
		}
	}
	if t.unclosed {
		return code
	}
	enc := t.font.Encoder()
	if enc == nil {
		return code
	}
	return enc.Decode(code)
}

func (t *typeface) width(code, text string) float64 {
	if t.wide {
		if w, ok := t.widths[int(code[0])<<8|int(code[1])]; ok {
			return w
		}
		return t.standard
	}
	if t.core != "" {
		for _, r := range text {
			if w, err := corefont.CharWidth(t.core, r); err == nil && w > 0 {
				return float64(w)
			}
		}
		return t.standard
	}
	if w := t.font.Width(int(code[0])); w != 0 {
		return w
	}
	return t.standard
}

// readWidths reads the W array of a wide font: c [w1 w2 …] and first last w.
func readWidths(w pdf.Value, b *budget) map[int]float64 {
	widths := make(map[int]float64)
	for i := 0; i+1 < w.Len(); {
		spend(&b.codes, 1)
		first := int(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for j := range min(list.Len(), maxCodes) {
				spend(&b.codes, 1)
				widths[first+j] = list.Index(j).Float64()
			}
			i += 2
			continue
		}
		for c := first; c <= min(int(w.Index(i+1).Int64()), maxCodes); c++ {
			spend(&b.codes, 1)
			widths[c] = w.Index(i + 2).Float64()
		}
		i += 3
	}
	return widths
}

// readToUnicode reads the map from codes to text that a font carries. unclosed reports that its
// last string has no end.
func readToUnicode(font, m pdf.Value, b *budget) (codes map[string]string, unclosed bool) {
	codes = make(map[string]string)
	m, unclosed = b.closed(m)
	pdf.Interpret(m, func(stk *pdf.Stack, op string) {
		spend(&b.operations, 1)
		switch op {
		case "findresource":
			// The program opens the resource it asked for, to define the map in it. Any dictionary
			// does; only one of the file can be had.
			stk.Pop()
			stk.Pop()
			stk.Push(font)
		case "endbfchar":
			for stk.Len() >= 2 {
				spend(&b.codes, 1)
				text, code := stk.Pop(), stk.Pop()
				put(codes, code.RawString(), utf16Text(text.RawString()))
			}
		case "endbfrange":
			for stk.Len() >= 3 {
				to, last, first := stk.Pop(), stk.Pop(), stk.Pop()
				putRange(codes, first.RawString(), last.RawString(), to, b)
			}
		case "begincodespacerange", "beginbfchar", "beginbfrange", "endcodespacerange":
			for stk.Len() > 0 {
				stk.Pop()
			}
		}
	})
	return codes, unclosed
}

func put(codes map[string]string, code, text string) {
	if code != "" && len(codes) < maxCodes {
		codes[code] = text
	}
}

// putRange maps the codes from first to last to consecutive texts, or to those of a list.
func putRange(codes map[string]string, first, last string, to pdf.Value, b *budget) {
	n := len(first)
	if n == 0 || n > 4 || n != len(last) {
		return
	}
	from, until := codeNumber(first), codeNumber(last)
	text := []rune(utf16Text(to.RawString()))
	for c := from; c <= until && c-from < maxCodes; c++ {
		spend(&b.codes, 1)
		code := codeString(c, n)
		if to.Kind() == pdf.Array {
			put(codes, code, utf16Text(to.Index(c-from).RawString()))
			continue
		}
		if len(text) == 0 {
			return
		}
		shifted := append([]rune(nil), text...)
		shifted[len(shifted)-1] += rune(c - from)
		put(codes, code, string(shifted))
	}
}

func codeNumber(code string) int {
	n := 0
	for i := range min(len(code), 4) {
		n = n<<8 | int(code[i])
	}
	return n
}

func codeString(n, size int) string {
	b := make([]byte, size)
	for i := size - 1; i >= 0; i-- {
		b[i] = byte(n)
		n >>= 8
	}
	return string(b)
}

// utf16Text reads big-endian UTF-16, as ToUnicode maps hold it.
func utf16Text(raw string) string {
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	if len(raw) == 1 {
		units = append(units, uint16(raw[0]))
	}
	return strings.Trim(string(utf16.Decode(units)), "\x00")
}
