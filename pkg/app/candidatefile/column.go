package candidatefile

import (
	"context"
	"fmt"
	"strings"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// column says what the cells below a header mean.
type column struct {
	header    string
	key       string // a text field of the candidate, or idColumn
	field     string // the reference of a custom field
	typeID    string // of a document
	reference string // a value of the document; empty for the document itself
	valueType string // one of the Field types, or "" for text
}

// idColumn is the header of the ids of candidates, which an export has.
const idColumn = "candidateId"

// settings are the custom fields and document types of the company, which headers name.
type settings struct {
	fields []client.CustomField
	types  []client.DocumentType
}

// readSettings reads the settings of the company.
func readSettings(ctx context.Context, c *client.Client) (s settings, err error) {
	for field, err := range c.ListCustomFields(ctx, nil) {
		if err != nil {
			return s, err
		}
		if string(field.Entity) == dossier.EntityCandidate {
			s.fields = append(s.fields, field)
		}
	}
	for dt, err := range c.ListDocumentTypes(ctx, nil) {
		if err != nil {
			return s, err
		}
		s.types = append(s.types, dt)
	}
	return s, nil
}

// plain is a header without what people write differently: case, blanks, hyphens and underscores.
func plain(header string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(
		strings.ToLower(strings.TrimSpace(header)))
}

// column returns the meaning of a header; ok is false for one that names nothing.
func (s settings) column(header string) (c column, ok bool, err error) {
	c = column{header: header}
	for _, key := range append([]string{idColumn}, dossier.TextKeys...) {
		if plain(header) == plain(key) {
			if c.key = key; key == "birthDate" {
				c.valueType = dossier.FieldDate
			}
			return c, true, nil
		}
	}
	for _, f := range s.fields {
		if header == "cf_"+f.Reference || plain(header) == plain(f.Reference) ||
			plain(header) == plain(f.Label) {
			c.field, c.valueType = f.Reference, string(f.Type)
			return c, true, nil
		}
	}
	dt, err := s.documentType(header)
	if err != nil || dt != nil {
		if dt != nil {
			c.typeID, c.valueType = dt.Id, dossier.FieldBoolean
		}
		return c, dt != nil, err
	}
	at := strings.LastIndex(header, ":")
	if at < 0 {
		return c, false, nil
	}
	if dt, err = s.documentType(header[:at]); dt == nil {
		return c, false, err
	}
	c.typeID = dt.Id
	c.reference, c.valueType, ok = valueOf(*dt, strings.TrimSpace(header[at+1:]))
	return c, ok, nil
}

// documentType returns the document type with a name or id, nil where there is none.
func (s settings) documentType(name string) (found *client.DocumentType, err error) {
	for n, dt := range s.types {
		if dt.Id == strings.TrimSpace(name) {
			return &s.types[n], nil
		}
		if plain(dt.Name) != plain(name) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("two document types have the name %q; use the id of one", name)
		}
		found = &s.types[n]
	}
	return found, nil
}

// valueOf returns the reference and type of a value, which is named by its reference or label. A
// document type that does not say which values it has takes every reference.
func valueOf(dt client.DocumentType, name string) (reference, valueType string, ok bool) {
	check := dossier.Check{Parser: string(dt.Check.Parser)}
	if dt.Check.ExpiryReference != nil {
		check.ExpiryReference = *dt.Check.ExpiryReference
	}
	for _, f := range dt.Check.Fields {
		check.Fields = append(check.Fields, dossier.CheckField{Reference: f.Reference,
			Label: f.Label, Type: string(f.Type)})
		if plain(f.Label) == plain(name) {
			name = f.Reference
		}
	}
	known := check.References()
	for _, reference := range known {
		if plain(reference) == plain(name) {
			return reference, check.ValueType(reference), true
		}
	}
	return name, check.ValueType(name), known == nil && name != ""
}

// possible lists headers that name something, for an error.
func (s settings) possible() []string {
	all := append([]string{idColumn}, dossier.TextKeys...)
	for _, f := range s.fields {
		all = append(all, "cf_"+f.Reference)
	}
	for _, dt := range s.types {
		all = append(all, dt.Name)
		for _, f := range dt.Check.Fields {
			all = append(all, dt.Name+": "+f.Reference)
		}
	}
	return all
}
