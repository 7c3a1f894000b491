package candidatefile

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// RowError is a mistake in one row, or in one cell of it.
type RowError struct {
	Line   int    // of the file, from 1
	Column string // the header; empty for the row as a whole
	Cause  string
	// UnknownID: nobody in the installation has the candidateId.
	UnknownID bool
}

// Error names the place and the cause.
func (e RowError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Cause)
	}
	return fmt.Sprintf("line %d, column %q: %s", e.Line, e.Column, e.Cause)
}

// row is a candidate of the file.
type row struct {
	line      int
	candidate client.CandidateImportRequest
	columns   map[string]string // headers by JSON pointer into the request
}

// Ignored is the meaning of a column that is not imported.
const Ignored = "-"

// Options say how a file is read.
type Options struct {
	Columns map[string]string // renames headers of the file
	// Moved: the file comes from another installation. The id there becomes the external id of a
	// candidate who has none.
	Moved bool
}

// File is a file that was read. Its errors are found before anything is sent.
type File struct {
	rows   []row
	errors []RowError
}

// Len returns the number of candidates.
func (f *File) Len() int { return len(f.rows) }

// Read reads a CSV file as spreadsheets write it: in UTF-8, with or without a byte order mark,
// separated by commas, semicolons or tabs.
func Read(ctx context.Context, c *client.Client, content []byte, o Options) (*File, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		return nil, errors.New("the file is not UTF-8; save it as \"CSV UTF-8\"")
	}
	s, err := readSettings(ctx, c)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(content))
	r.Comma, r.TrimLeadingSpace = separator(content), true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the file has no header: %w", err)
	}
	f := &File{}
	columns := f.columns(s, header, o.Columns)
	seen := map[string]int{}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		broken := (*csv.ParseError)(nil)
		if errors.As(err, &broken) {
			f.fail(broken.Line, "", broken.Err.Error())
			if !errors.Is(err, csv.ErrFieldCount) {
				return f, nil // the rest can't be told apart
			}
			continue
		}
		line, _ := r.FieldPos(0)
		if strings.TrimSpace(strings.Join(cells, "")) != "" {
			f.add(line, columns, cells, seen, o.Moved)
		}
	}
}

// separator returns the character that most often stands in the first line.
func separator(content []byte) rune {
	line, _, _ := bytes.Cut(content, []byte("\n"))
	most := ','
	for _, c := range []rune{';', '\t'} {
		if bytes.Count(line, []byte(string(c))) > bytes.Count(line, []byte(string(most))) {
			most = c
		}
	}
	return most
}

func (f *File) fail(line int, column, cause string) {
	f.errors = append(f.errors, RowError{Line: line, Column: column, Cause: cause})
}

// columns returns the meaning of each header; the zero column is ignored.
func (f *File) columns(s settings, header []string, meaning map[string]string) []column {
	columns := make([]column, len(header))
	used := map[column]bool{}
	for n, name := range header {
		name = strings.TrimSpace(name)
		means, renamed := meaning[name]
		if !renamed {
			means = name
		}
		if means == Ignored || means == "" {
			continue
		}
		c, ok, err := s.column(means)
		c.header = ""
		switch {
		case err != nil:
			f.fail(1, name, err.Error())
		case !ok:
			f.fail(1, name, "This names nothing. "+dossier.Possible(means, s.possible()))
		case used[c]:
			f.fail(1, name, "Another column means the same.")
		}
		used[c] = true
		c.header = name
		columns[n] = c
	}
	if !used[column{key: "externalId"}] && !used[column{key: idColumn}] {
		f.fail(1, "", "No column is the externalId, by which candidates are told apart, or the "+
			"candidateId of an export.")
	}
	return columns
}

// add reads a row. A row with an error is not imported. seen has the lines of ids.
func (f *File) add(line int, columns []column, cells []string, seen map[string]int, moved bool) {
	before := len(f.errors)
	d := newDraft(line)
	for n, c := range columns {
		cell := strings.TrimSpace(unescaped(strings.TrimSpace(cells[n])))
		if c.header == "" || cell == "" {
			continue
		}
		v, err := value(c.valueType, cell)
		if err != nil {
			f.fail(line, c.header, fmt.Sprintf("%q %v.", dossier.Clip(cell), err))
			continue
		}
		d.set(c, v)
	}
	if moved {
		d.move()
	}
	f.tellApart(d, seen)
	made, err := d.row()
	if err != nil {
		f.fail(line, "", err.Error())
	}
	if len(f.errors) == before {
		f.rows = append(f.rows, made)
	}
}

// tellApart refuses a row without an id, and one with the id of an earlier row.
func (f *File) tellApart(d *draft, seen map[string]int) {
	none := true
	for _, key := range []string{idColumn, "externalId"} {
		id, _ := d.values[key].(string)
		if id == "" {
			continue
		}
		none = false
		if line := seen[key+" "+id]; line > 0 {
			f.fail(d.line, key, fmt.Sprintf("Line %d has the same %s.", line, key))
		}
		seen[key+" "+id] = d.line
	}
	if none {
		f.fail(d.line, "externalId", "The externalId is missing.")
	}
}

// move makes the id in another installation the external id, unless there is one.
func (d *draft) move() {
	if d.values["externalId"] == nil && d.values[idColumn] != nil {
		d.values["externalId"] = d.values[idColumn]
		d.columns["/externalId"] = d.columns["/"+idColumn]
	}
	delete(d.values, idColumn)
}

// draft is a row as far as it was read.
type draft struct {
	line      int
	values    map[string]any
	fields    map[string]any
	documents []map[string]any
	columns   map[string]string
	positions map[string]int // of documents, by type
}

func newDraft(line int) *draft {
	return &draft{line: line, values: map[string]any{}, fields: map[string]any{},
		columns: map[string]string{}, positions: map[string]int{}}
}

// set puts the value of a cell into the draft. "No" for a document leaves it out.
func (d *draft) set(c column, v any) {
	switch {
	case c.key != "":
		d.values[c.key], d.columns["/"+c.key] = v, c.header
		return
	case c.field != "":
		d.fields[c.field], d.columns["/customFields/"+c.field] = v, c.header
		return
	case c.reference == "" && v == false:
		return
	}
	n, there := d.positions[c.typeID]
	if !there {
		n = len(d.documents)
		d.positions[c.typeID] = n
		d.documents = append(d.documents, map[string]any{"documentTypeId": c.typeID,
			"parsed": map[string]any{}})
	}
	at := dossier.Element("/documents", n)
	d.columns[at+"/documentTypeId"] = c.header
	if c.reference == "" {
		return
	}
	inner := d.documents[n]["parsed"].(map[string]any)
	names := strings.Split(c.reference, ".")
	for _, name := range names[:len(names)-1] {
		next, ok := inner[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			inner[name] = next
		}
		inner = next
	}
	inner[names[len(names)-1]] = v
	d.columns[at+"/parsed/"+strings.ReplaceAll(c.reference, ".", "/")] = c.header
}

// row returns the draft as a request.
func (d *draft) row() (row, error) {
	if len(d.fields) > 0 {
		d.values["customFields"] = d.fields
	}
	if len(d.documents) > 0 {
		d.values["documents"] = d.documents
	}
	r := row{line: d.line, columns: d.columns}
	text, err := json.Marshal(d.values)
	if err == nil {
		err = json.Unmarshal(text, &r.candidate)
	}
	return r, err
}
