package parse

import (
	"bytes"
	"errors"
	"image"
	"io"
	"math"

	"github.com/ledongthuc/pdf"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// Bounds of the pictures of a PDF.
const (
	maxScanned = 8   // pages that are read as pictures
	maxDrawn   = 200 // pictures on a page
	// the part of a page with text that pictures cover, under which they are no scan
	minCover = 0.25
	maxDots  = 300. / 72 // of a scan, for each point of its page
)

// drawing is a picture on a page: the names of resources that lead to it, and the matrix that puts
// it, a square of 1 by 1, on the page.
type drawing struct {
	path []string
	ctm  matrix
}

// incomplete reports whether a value that is needed was not found in the text of a part.
func incomplete(job childproto.Job, a *childproto.Answer) bool {
	if job.Parser == dossier.ParserMRZ {
		return a.MRZ == nil
	}
	needed := map[string]bool{}
	for _, reference := range job.Required {
		needed[reference] = true
	}
	for n, f := range a.Fields {
		if f.Text == "" && (len(needed) == 0 || needed[job.Fields[n].Reference]) {
			return true
		}
	}
	return false
}

// writeScans writes the pages that are pictures, whole or for a good part.
func writeScans(f io.ReaderAt, size int64, to io.Writer, job childproto.Job, t text,
	a *childproto.Answer) error {
	var doc *model.Context
	var failed error
	if err := recovered(func() {
		doc, failed = pdfcpu.Read(io.NewSectionReader(f, 0, size),
			configuration(model.EXTRACTIMAGES))
		if failed == nil {
			failed = doc.EnsurePageCount()
		}
	}); err != nil || failed != nil {
		return errors.New("its pictures cannot be read")
	}
	pages := 0
	for n, drawings := range t.drawings {
		shown := t.frames[n]
		if len(drawings) == 0 || len(t.pages[n]) > 0 && shown.cover(drawings) < minCover {
			continue
		}
		if pages++; pages > maxScanned {
			break
		}
		var page *image.Gray
		if err := recovered(func() { page = scanned(doc, n, shown, drawings, job) }); err != nil ||
			page == nil {
			continue
		}
		for range (shown.quarters + job.Quarters) % 4 {
			page = quarterTurn(page)
		}
		if err := writePictures(to, n, page, a); err != nil {
			return err
		}
	}
	return nil
}

// configuration returns how pdfcpu reads for a command.
func configuration(command model.CommandMode) *model.Configuration {
	model.ConfigPath = "disable" // no files of its own
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode, conf.Offline, conf.Cmd = model.ValidationRelaxed, true, command
	conf.WriteObjectStream, conf.WriteXRefStream = false, false
	return conf
}

// cover is the part of a page that pictures cover.
func (f frame) cover(drawings []drawing) (part float64) {
	for _, d := range drawings {
		part += math.Abs(d.ctm.a*d.ctm.d-d.ctm.b*d.ctm.c) / (f.w * f.h)
	}
	return part
}

// scanned draws the pictures of a page on white, as the page is before it is turned. It is nil if
// none of them can be read.
func scanned(doc *model.Context, n int, f frame, drawings []drawing,
	job childproto.Job) *image.Gray {
	if !(f.w > 0 && f.h > 0) {
		return nil
	}
	page, _, attributes, err := doc.PageDict(n+1, false)
	if err != nil || page == nil {
		return nil
	}
	pictures := make([]*image.Gray, len(drawings))
	dots := 0.0
	for i, d := range drawings {
		m := find(doc, attributes.Resources, d.path, job.MaxPixels)
		if across := math.Hypot(d.ctm.a, d.ctm.b); m != nil && across > 0 {
			pictures[i] = grey(m)
			dots = max(dots, float64(m.Bounds().Dx())/across)
		}
	}
	if dots = min(dots, maxDots, maxSide/max(f.w, f.h)); dots == 0 {
		return nil
	}
	to := image.NewRGBA(image.Rect(0, 0, max(1, int(f.w*dots)), max(1, int(f.h*dots))))
	draw.Draw(to, to.Rect, image.White, image.Point{}, draw.Src)
	for i, m := range pictures {
		if m != nil {
			f.draw(to, m, drawings[i].ctm, dots)
		}
	}
	return grey(to)
}

// draw puts a picture on a page of so many dots for each point.
func (f frame) draw(to draw.Image, m *image.Gray, ctm matrix, dots float64) {
	long := math.Hypot(ctm.a, ctm.b) * dots
	if whole := int(float64(m.Rect.Dx()) / max(long, 1)); whole > 1 {
		m = shrink(m, whole)
	}
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	place := f64.Aff3{
		ctm.a * dots / w, -ctm.c * dots / h, (ctm.c + ctm.e - f.x) * dots,
		-ctm.b * dots / w, ctm.d * dots / h, (f.y + f.h - ctm.d - ctm.f) * dots,
	}
	const flat = 1e-6
	if math.Abs(place[0]*place[4]-place[1]*place[3]) > flat {
		draw.ApproxBiLinear.Transform(to, place, m, m.Rect, draw.Src, nil)
	}
}

// find returns the picture to which names of resources lead, nil if there is none that can be read.
func find(doc *model.Context, resources types.Dict, path []string, maxPixels int64) image.Image {
	for i, name := range path {
		objects, err := doc.DereferenceDict(resources["XObject"])
		if err != nil || objects == nil {
			return nil
		}
		stream, _, err := doc.DereferenceStreamDict(objects[name])
		if err != nil || stream == nil {
			return nil
		}
		if i == len(path)-1 {
			return decoded(doc, stream, maxPixels)
		}
		if own, err := doc.DereferenceDict(stream.Dict["Resources"]); err == nil && own != nil {
			resources = own
		}
	}
	return nil
}

// decoded decodes a picture of a PDF: DCT, CCITT, Flate and what pdfcpu reads beside them.
func decoded(doc *model.Context, stream *types.StreamDict, maxPixels int64) image.Image {
	w, h := stream.IntEntry("Width"), stream.IntEntry("Height")
	if mask := stream.BooleanEntry("ImageMask"); w == nil || h == nil || *w <= 0 || *h <= 0 ||
		int64(*w) > maxPixels/int64(*h) || mask != nil && *mask {
		return nil
	}
	taken, err := pdfcpu.ExtractImage(doc, stream, false, "", 0, false)
	if err != nil || taken == nil || taken.Reader == nil {
		return nil
	}
	const most = 128 << 20 // bytes
	content, err := io.ReadAll(io.LimitReader(taken.Reader, most))
	if err != nil {
		return nil
	}
	switch sniff.ContentType(content[:min(len(content), sniff.HeadSize)]) {
	case sniff.JPEG, sniff.PNG:
	default:
		return nil
	}
	m, _, err := picture(bytes.NewReader(content), maxPixels)
	if err != nil {
		return nil
	}
	return m
}

// framesOf returns how the pages are shown.
func framesOf(pages []pdf.Value) []frame {
	frames := make([]frame, len(pages))
	for n, p := range pages {
		frames[n] = pageFrame(p)
	}
	return frames
}
