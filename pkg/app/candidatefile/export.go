package candidatefile

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// exported are the states of the documents that an export has.
var exported = []client.DocumentState{dossier.StateValidated, dossier.StateExpired}

// Export writes all candidates with their validated and expired documents, as Read reads them. A
// cell that a spreadsheet would take for a formula begins with an apostrophe. The ids tell
// candidates without an external id apart.
func Export(ctx context.Context, c *client.Client, to io.Writer) error {
	s, err := readSettings(ctx, c)
	if err != nil {
		return err
	}
	columns, err := exportColumns(ctx, c, s)
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	header := make([]string, len(columns))
	for n, c := range columns {
		header[n] = escaped(c.header)
	}
	if err := w.Write(header); err != nil {
		return err
	}
	next, stop := iter.Pull2(documents(ctx, c))
	defer stop()
	document, err, more := next()
	size := client.PageSize(100)
	for candidate, listErr := range c.ListCandidates(ctx,
		&client.ListCandidatesParams{PageSize: &size}) {
		if listErr != nil {
			return listErr
		}
		// Both lists are in the order of candidates' ids.
		held := map[string]client.Document{}
		for ; more && err == nil && document.CandidateId <=
			candidate.Id; document, err, more = next() {
			if document.CandidateId == candidate.Id && document.Document.IsSpecified() &&
				slices.Contains(exported, document.State) {
				held[document.DocumentType.Id] = document.Document.MustGet()
			}
		}
		if err != nil {
			return err
		}
		cells, err := cellsOf(candidate, held, columns)
		if err != nil {
			return err
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// documents lists the candidate document types of the company in the order of candidates' ids.
func documents(ctx context.Context,
	c *client.Client) iter.Seq2[client.CandidateDocumentType, error] {
	size := client.PageSize(100)
	return c.ListCandidateDocumentTypes(ctx,
		&client.ListCandidateDocumentTypesParams{PageSize: &size})
}

// exportColumns returns the fields of candidates, and for each document type that is in use the
// document and its values: those of its check, and those that documents have beside them.
func exportColumns(ctx context.Context, c *client.Client, s settings) ([]column, error) {
	columns := []column{{header: idColumn, key: "id"}}
	for _, key := range dossier.TextKeys {
		columns = append(columns, column{header: key, key: key})
	}
	for _, f := range s.fields {
		columns = append(columns, column{header: "cf_" + f.Reference, field: f.Reference})
	}
	var types []client.DocumentType
	values := map[string][]string{}
	for d, err := range documents(ctx, c) {
		if err != nil {
			return nil, err
		}
		if !d.Document.IsSpecified() || !slices.Contains(exported, d.State) {
			continue
		}
		if _, known := values[d.DocumentType.Id]; !known {
			types = append(types, d.DocumentType)
			values[d.DocumentType.Id] = []string{}
			for _, f := range d.DocumentType.Check.Fields {
				values[d.DocumentType.Id] = append(values[d.DocumentType.Id], f.Reference)
			}
		}
		for _, reference := range references(d.Document.MustGet().Parsed, "") {
			if !slices.Contains(values[d.DocumentType.Id], reference) {
				values[d.DocumentType.Id] = append(values[d.DocumentType.Id], reference)
			}
		}
	}
	for _, dt := range types {
		name := dt.Name
		if found, err := s.documentType(name); err != nil || found == nil || found.Id != dt.Id {
			name = dt.Id // the name is not the only one, or is taken for another
		}
		columns = append(columns, column{header: name, typeID: dt.Id})
		for _, reference := range values[dt.Id] {
			columns = append(columns, column{header: name + ": " + reference, typeID: dt.Id,
				reference: reference})
		}
	}
	return columns, nil
}

// references lists the dotted references of values, in their order.
func references(parsed map[string]any, prefix string) (all []string) {
	for name, v := range parsed {
		if inner, nested := v.(map[string]any); nested {
			all = append(all, references(inner, prefix+name+".")...)
		} else {
			all = append(all, prefix+name)
		}
	}
	slices.Sort(all)
	return all
}

// cellsOf returns the row of a candidate with its documents by type.
func cellsOf(c client.Candidate, held map[string]client.Document,
	columns []column) ([]string, error) {
	encoded, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, err
	}
	custom, _ := fields["customFields"].(map[string]any)
	cells := make([]string, len(columns))
	for n, c := range columns {
		document, there := held[c.typeID]
		switch {
		case c.key != "":
			cells[n] = text(fields[c.key])
		case c.field != "":
			cells[n] = text(custom[c.field])
		case !there:
		case c.reference == "":
			cells[n] = "yes"
		default:
			cells[n] = text(lookup(document.Parsed, c.reference))
		}
	}
	return cells, nil
}

func lookup(parsed map[string]any, reference string) any {
	name, rest, nested := strings.Cut(reference, ".")
	if !nested {
		return parsed[name]
	}
	inner, _ := parsed[name].(map[string]any)
	return lookup(inner, rest)
}
