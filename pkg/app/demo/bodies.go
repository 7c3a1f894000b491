package demo

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
)

const (
	cardType   = `{"name":"Tachograph card","check":{"parser":"none","decision":"manual"}}`
	permitType = `{"name":"Work permit","requiredParts":["front"],
 "check":{"parser":"pdf","decision":"automatic","required":["number"],"fields":[
  {"reference":"number","label":"Permit number","type":"text"},
  {"reference":"class","label":"Class","type":"text"}]},
 "submission":{"rules":[{"conditionsType":"and",
  "conditions":[{"type":"fields","reference":"class","operator":"isEqual","value":["C","CE"]}],
  "actions":[{"type":"addDocumentType","value":%q}]}]}}`
	integration = `{"name":"HR system","triggerEvent":"candidateDocumentValidated",
 "target":{"type":"webhook","url":"http://%s/hook"}}`
	ada = `{"firstName":"Ada","lastName":"Lovelace","documentTypeIds":[%q]}`
)

// permitLines is the text of the uploaded PDF.
var permitLines = []string{"Permit number: NL-204", "Class: CE"}

// upload returns the body of an upload of one PDF.
func upload(file []byte) string {
	return fmt.Sprintf(`{"parts":[{"name":"front","fileName":"permit.pdf",`+
		`"contentType":"application/pdf","content":"%s"}]}`,
		base64.StdEncoding.EncodeToString(file))
}

// pdf returns a PDF of one page with a line of text for each argument, which must be ASCII without
// parentheses and backslashes.
func pdf(lines ...string) []byte {
	page := "BT /F1 12 Tf 72 760 Td 18 TL (" + strings.Join(lines, ") Tj T* (") + ") Tj ET"
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n")
	var offsets []int
	for n, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
			"/Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(page), page),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	} {
		offsets = append(offsets, file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	start := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&file, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&file, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(offsets)+1, start)
	return file.Bytes()
}
