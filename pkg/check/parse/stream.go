package parse

import (
	"bytes"
	"fmt"
	"io"

	"github.com/ledongthuc/pdf"
)

// maxStreams bounds the decoded bytes of all streams that are interpreted for one file.
const maxStreams = 128 << 20

// budget bounds the work for one file. Every spend that exceeds it panics with errTooMuch.
type budget struct {
	operations, forms, codes, bytes int
}

func newBudget() *budget {
	return &budget{operations: maxOperations, forms: maxForms, codes: maxCodesRead,
		bytes: maxStreams}
}

func spend(left *int, n int) {
	if *left -= n; *left < 0 {
		panic(errTooMuch)
	}
}

// closed returns a stream in which every hexadecimal string ends, and whether it had to be changed.
// The library reads one without an end for ever.
func (b *budget) closed(stream pdf.Value) (_ pdf.Value, changed bool) {
	open, read := false, 0
	chunk := make([]byte, 32<<10)
	for r := reader(stream); ; {
		n, err := r.Read(chunk)
		read += n
		spend(&b.bytes, n)
		if i := bytes.LastIndexAny(chunk[:n], "<>"); i >= 0 {
			open = chunk[i] == '<'
		}
		if err != nil {
			break // whoever interprets it meets the same error
		}
	}
	if !open {
		return stream, false
	}
	spend(&b.bytes, read)
	content, _ := io.ReadAll(io.LimitReader(reader(stream), maxStreams))
	return alone(append(content, "\n>>\n"...)), true
}

// reader reads a stream, or an array of streams as one.
func reader(v pdf.Value) io.Reader {
	if v.Kind() != pdf.Array {
		return v.Reader()
	}
	readers := make([]io.Reader, v.Len())
	for i := range readers {
		readers[i] = v.Index(i).Reader()
	}
	return io.MultiReader(readers...)
}

// alone makes a stream of the content, as the only object of a PDF.
func alone(content []byte) pdf.Value {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	object := b.Len()
	fmt.Fprintf(&b, "1 0 obj\n<</Length %d>>\nstream\n", len(content))
	b.Write(content)
	b.WriteString("\nendstream\nendobj\n")
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 2\n0000000000 65535 f \n%010d 00000 n \n", object)
	fmt.Fprintf(&b, "trailer\n<</Size 2/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table)
	doc, err := pdf.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err)
	}
	return doc.Trailer().Key("Root")
}
