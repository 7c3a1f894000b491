package parse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/ledongthuc/pdf"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/validate"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/layout"
)

// Bounds of the tree of pages.
const (
	maxTreeDepth = 64
	maxTreeNodes = 10_000
)

// readPDF opens a PDF, walks its pages and reads what the parser asks for. If that is not all
// there, the pages that are pictures are to be read, too.
func readPDF(f io.ReaderAt, size int64, pictures io.Writer, job childproto.Job,
	a *childproto.Answer) error {
	doc, err := open(f, size)
	if err != nil {
		return err
	}
	var pages []pdf.Value
	if err := recovered(func() { pages, err = pageList(doc, job.MaxPages) }); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	t, images, err := pageText(pages)
	if err != nil {
		return err
	}
	if read := textReaders[job.Parser]; read != nil {
		t.frames, t.filled = framesOf(pages), formFields(doc)
		read(t, job, a)
		a.Scanned = images && incomplete(job, a)
	}
	for _, page := range t.pages {
		a.Text = a.Text || len(page) > 0
	}
	a.Text = a.Text || !images
	if !job.Pictures || !a.Scanned {
		return nil
	}
	return writeScans(f, size, pictures, job, t, a)
}

// open reads the structure of a PDF. What the text library refuses (newer versions, newer
// encryption without a password, a damaged table of contents) is written anew by pdfcpu first.
func open(f io.ReaderAt, size int64) (*pdf.Reader, error) {
	doc, err := pdf.NewReader(f, size)
	src := io.NewSectionReader(f, 0, size)
	if err == nil {
		return doc, nil
	}
	var b bytes.Buffer
	var failed error
	err = recovered(func() { failed = rewrite(src, &b) })
	if err != nil || failed != nil {
		return nil, errors.New("the PDF is damaged or needs a password")
	}
	again := bytes.NewReader(b.Bytes())
	doc, err = pdf.NewReader(again, again.Size())
	if err != nil {
		return nil, errors.New("the PDF is damaged")
	}
	return doc, nil
}

// rewrite writes a PDF anew, without encryption and in the oldest of its layouts.
func rewrite(src io.ReadSeeker, to io.Writer) error {
	ctx, err := pdfcpu.Read(src, configuration(model.DECRYPT))
	if err != nil { // which refuses those that are not encrypted
		ctx, err = pdfcpu.Read(src, configuration(model.OPTIMIZE))
	}
	if err != nil {
		return err
	}
	if err := validate.XRefTable(ctx); err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	ctx.Write.Writer = w
	if err := pdfcpu.WriteContext(ctx); err != nil {
		return err
	}
	return w.Flush()
}

// pageList walks the tree of pages.
func pageList(doc *pdf.Reader, limit int) ([]pdf.Value, error) {
	var pages []pdf.Value
	nodes := 0
	var walk func(node pdf.Value, depth int) error
	walk = func(node pdf.Value, depth int) error {
		if nodes++; depth > maxTreeDepth || nodes > maxTreeNodes {
			return errors.New("the page tree of the PDF is damaged")
		}
		kids := node.Key("Kids")
		if node.Key("Type").Name() == "Page" || kids.IsNull() && node.Kind() == pdf.Dict {
			if pages = append(pages, node); len(pages) > limit {
				return fmt.Errorf("the PDF has more than %d pages", limit)
			}
			return nil
		}
		for i := range kids.Len() {
			if err := walk(kids.Index(i), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(doc.Trailer().Key("Root").Key("Pages"), 0); err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, errors.New("the PDF has no pages")
	}
	return pages, nil
}

// pageText reads the lines of every page, none where a page has no text. A damaged page loses its
// rest; when nothing at all can be read, that is an error.
func pageText(pages []pdf.Value) (t text, images bool, err error) {
	in := interpreter{budget: newBudget()}
	found := false
	t.pages = make([][]layout.Line, len(pages))
	t.drawings = make([][]drawing, len(pages))
	for n, p := range pages {
		var content, resources pdf.Value
		failed := recovered(func() {
			content, resources = p.Key("Contents"), inherited(p, "Resources")
		})
		if failed == nil && !content.IsNull() {
			var page []layout.Line
			if page, failed = in.page(content, resources); len(page) > 0 {
				t.pages[n], found = page, true
			}
			t.drawings[n] = in.drawings
		}
		if errors.Is(failed, errTooMuch) {
			return text{}, false, failed
		}
		if failed != nil {
			err = failed
		}
	}
	if found || in.images {
		err = nil
	}
	return t, in.images, err
}

// inherited looks for a key in a page and, upwards, in the nodes of the tree that hold it.
func inherited(page pdf.Value, key string) pdf.Value {
	for range maxTreeDepth {
		if v := page.Key(key); !v.IsNull() {
			return v
		}
		page = page.Key("Parent")
	}
	return pdf.Value{}
}
