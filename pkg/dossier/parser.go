package dossier

import "strings"

// The parsers of a check.
const (
	ParserPDF  = "pdf"
	ParserMRZ  = "mrz"
	ParserJSON = "json"
	ParserHTTP = "http"
	ParserNone = "none"
)

// ParserBarcode reads the barcodes of a picture.
const ParserBarcode = "barcode"

// ParserType describes a parser of a check. ParserTypes is the one list of them: validation, the
// OpenAPI document and the console read it. Package check/parse reads what a built-in parser reads.
type ParserType struct {
	Name    string // one of the Parser constants
	Meaning string // for clients
	Label   string // for people, who choose it
	Reads   bool   // it is built in and reads values; a part in which it can't needs a person
	Fields  bool   // the check declares fields, which it reads or a reviewer enters
	JSON    bool   // it takes parts that are JSON
	Service bool   // it is a service of the company's own, which needs an address

	references func(Check) []string // nil if any reference may hold a value
}

// ParserTypes lists every parser in the order that clients are shown.
var ParserTypes = []ParserType{
	{Name: ParserPDF, Meaning: "form fields and labelled text of a PDF",
		Label: "PDF: form fields and labelled text", Reads: true, Fields: true,
		references: declared},
	{Name: ParserMRZ, Meaning: "a machine readable zone (ICAO 9303)",
		Label: "Machine readable zone of a passport or identity card", Reads: true,
		references: fixed(MRZReferences...)},
	{Name: ParserBarcode, Meaning: "barcodes in a picture: QR, Data Matrix and Code 128",
		Label: "Barcode: QR, Data Matrix, Code 128", Reads: true,
		references: fixed(BarcodeReferences...)},
	{Name: ParserJSON, Meaning: "a JSON file", Label: "JSON", Reads: true, JSON: true},
	{Name: ParserHTTP, Meaning: "a parser service of your own",
		Label: "A parser service of your own", JSON: true, Service: true},
	{Name: ParserNone, Meaning: "nothing is read",
		Label: "Nothing is read; a person looks at it", Fields: true, references: declared},
}

// BarcodeReferences are the values that barcodes give: their texts by kind, and the elements of a
// driving licence (AAMVA).
var BarcodeReferences = []string{
	"barcode.qrCode", "barcode.dataMatrix", "barcode.code128", "barcode.documentNumber",
	"barcode.surname", "barcode.givenNames", "barcode.birthDate", "barcode.expiryDate",
	"barcode.issueDate", "barcode.sex", "barcode.state", "barcode.country", "barcode.vehicleClass",
}

// MRZReferences are the values that a machine readable zone gives.
var MRZReferences = []string{
	"mrz.documentType", "mrz.issuingState", "mrz.documentNumber", "mrz.surname", "mrz.givenNames",
	"mrz.nationality", "mrz.birthDate", "mrz.sex", "mrz.expiryDate", "mrz.optionalData",
}

// ParserNames lists the names of the parsers.
func ParserNames() []string {
	names := make([]string, len(ParserTypes))
	for i, t := range ParserTypes {
		names[i] = t.Name
	}
	return names
}

// ParserNamed returns the parser with a name, or a zero ParserType.
func ParserNamed(name string) ParserType {
	for _, t := range ParserTypes {
		if t.Name == name {
			return t
		}
	}
	return ParserType{}
}

// References lists the references at which the parser of the check may read a value; nil if it may
// read any.
func (c Check) References() []string {
	if references := ParserNamed(c.Parser).references; references != nil {
		return references(c)
	}
	return nil
}

// ValueType returns the type that the check gives to a value, "" where it gives none.
func (c Check) ValueType(reference string) string {
	for _, f := range c.Fields {
		if f.Reference == reference {
			return f.Type
		}
	}
	switch {
	case reference == c.ExpiryReference,
		c.Parser == ParserMRZ && strings.HasSuffix(reference, "Date"),
		c.Parser == ParserBarcode && strings.HasSuffix(reference, "Date"):
		return FieldDate
	case c.Parser == ParserMRZ, c.Parser == ParserBarcode:
		return FieldText
	}
	return ""
}

// declared lists the references of the check's own fields.
func declared(c Check) []string {
	references := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		references[i] = f.Reference
	}
	return references
}

// fixed lists the same references for every check.
func fixed(references ...string) func(Check) []string {
	return func(Check) []string { return references }
}
