package parse

import (
	"image"
	"strings"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// symbologies are the kinds of barcodes that are read, by the last part of the reference of their
// text.
var symbologies = []struct {
	name   string
	reader func() gozxing.Reader
	weak   bool // one check digit: it counts only if it is read at both sizes
}{
	{"qrCode", qrcode.NewQRCodeReader, false},
	{"dataMatrix", func() gozxing.Reader { return datamatrix.NewDataMatrixReader() }, false},
	{"code128", oned.NewCode128Reader, true},
}

// readBarcodes reads the barcodes of a picture. Of a kind of which the picture has several with
// different texts, none is taken: which one counts is not known.
func readBarcodes(g *image.Gray, a *childproto.Answer) error {
	a.Recognized = true
	values := map[string]any{}
	for _, s := range symbologies {
		texts := map[string]int{}
		for _, part := range readings {
			var found []string
			failed := recovered(func() { found = barcodes(scaled(g, part), s.reader) })
			if failed != nil {
				continue // a reader that panics found nothing
			}
			for _, text := range found {
				texts[text]++
			}
		}
		for text, times := range texts {
			if len(texts) > 1 || s.weak && times < len(readings) {
				continue
			}
			values[s.name] = text
			for name, value := range licence(text) {
				values[name] = value
			}
		}
	}
	if len(values) > 0 {
		a.Object, a.Text = map[string]any{"barcode": values}, true
	}
	return nil
}

// barcodes returns the different texts that a reader finds in a picture and in nine overlapping
// quarters of it, each of which may have a barcode of its own.
func barcodes(g *image.Gray, reader func() gozxing.Reader) (texts []string) {
	const steps = 4 // of the sides of a picture; a quarter is two of them wide and high
	w, h := g.Rect.Dx(), g.Rect.Dy()
	tiles := []image.Rectangle{g.Rect}
	for y := range steps - 1 {
		for x := range steps - 1 {
			tiles = append(tiles, image.Rect(x*w/steps, y*h/steps, (x+2)*w/steps, (y+2)*h/steps))
		}
	}
	seen := map[string]bool{}
	hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true}
	for _, tile := range tiles {
		bitmap, err := gozxing.NewBinaryBitmapFromImage(g.SubImage(tile))
		if err != nil {
			continue
		}
		found, err := reader().Decode(bitmap, hints)
		if err != nil || found.GetText() == "" || seen[found.GetText()] {
			continue
		}
		seen[found.GetText()] = true
		texts = append(texts, found.GetText())
	}
	return texts
}

// licenceElements are the elements of a driving licence by AAMVA's identifier, as the last part of
// their references.
var licenceElements = map[string]string{
	"DAQ": "documentNumber", "DCS": "surname", "DAC": "givenNames", "DBB": "birthDate",
	"DBA": "expiryDate", "DBD": "issueDate", "DBC": "sex", "DAJ": "state", "DCG": "country",
	"DCA": "vehicleClass",
}

// licence returns the values of a driving licence of AAMVA's DL/ID Card Design Standard (United
// States and Canada), none for any other text. A date is left out unless the country says in which
// order its parts are.
func licence(text string) map[string]any {
	head, rest, _ := strings.Cut(text, "ANSI ")
	if !strings.HasPrefix(head, "@") || len(rest) < 6 {
		return nil
	}
	elements := map[string]string{}
	for n, line := range strings.Split(strings.ReplaceAll(rest, "\r", "\n"), "\n") {
		if n == 0 { // the header, and the first element behind the last DL or ID in it
			line = line[max(strings.LastIndex(line, "DL"), strings.LastIndex(line, "ID"), -2)+2:]
		}
		if len(line) < 3 {
			continue
		}
		if name := licenceElements[line[:3]]; name != "" && elements[name] == "" {
			elements[name] = strings.TrimSpace(line[3:])
		}
	}
	values := map[string]any{}
	form := map[string]string{"USA": "01022006", "CAN": "20060102"}[elements["country"]]
	for name, value := range elements {
		switch {
		case strings.HasSuffix(name, "Date"):
			if t, err := time.Parse(form, value); form != "" && err == nil {
				values[name] = t.Format(time.DateOnly)
			}
		case name == "sex":
			if sex := map[string]string{"1": "M", "2": "F", "9": "X"}[value]; sex != "" {
				values[name] = sex
			}
		case value != "" && value != "NONE" && value != "unavl":
			values[name] = value
		}
	}
	return values
}
