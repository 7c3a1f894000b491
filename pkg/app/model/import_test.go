package model

import (
	"maps"
	"reflect"
	"slices"

	"pgregory.net/rapid"
)

// imported is an import of a candidate, with the values of documents.
type imported struct {
	texts  map[string]string
	types  []*docType
	values []object
}

// importCandidate brings in what a company has on record elsewhere, or says what that would do.
func (s *session) importCandidate() {
	o := rapid.SampledFrom(s.companies).Draw(s.T, "of")
	in := s.imported()
	if r := s.withFile(); r != nil && s.flip("over a file") {
		o, in.texts["externalId"] = r.of.company, r.of.texts["externalId"]
		if !slices.Contains(in.types, r.docType) {
			in.types = append(in.types, r.docType)
			in.values = append(in.values, object{"name": "Ed"})
		}
	}
	by := s.someone(o)
	body := object{"documents": []any{}}
	for key, text := range in.texts {
		body[key] = text
	}
	documents := []any{}
	for n, t := range in.types {
		documents = append(documents, object{"documentTypeId": t.id, "parsed": in.values[n]})
	}
	body["documents"] = documents
	dry := s.flip("dry run")
	if dry {
		body["dryRun"] = true
	}
	s.ask(sending{call: call{by: by, scope: "candidates:write", key: s.key()}, method: "POST",
		path: "/candidates/import", body: body, kind: "import", do: func() result {
			known := s.model.types(by.company)
			for _, t := range in.types {
				if !slices.Contains(known, t) {
					return invalid
				}
			}
			return s.bringIn(by, in, dry)
		}})
}

// withFile returns a request of an imported candidate who has uploaded a document since, nil if
// there is none.
func (s *session) withFile() (found *request) {
	s.model.each(func(c *candidate) {
		for _, r := range c.requests {
			if r.document != nil && len(r.document.parts) > 0 && c.texts["externalId"] != "" {
				found = r
			}
		}
	})
	return found
}

// imported draws an import. There are few external ids and values, so that they come again.
func (s *session) imported() imported {
	in := imported{texts: map[string]string{
		"externalId": rapid.SampledFrom([]string{"x1", "x2"}).Draw(s.T, "external id")}}
	for _, key := range []string{"firstName", "lastName"} {
		if s.flip(key) {
			in.texts[key] = rapid.SampledFrom([]string{"Ada", "Bo"}).Draw(s.T, "value")
		}
	}
	for _, o := range s.companies {
		for _, t := range o.types {
			if s.flip("without the type") {
				continue
			}
			in.types = append(in.types, t)
			in.values = append(in.values, rapid.SampledFrom([]object{{}, {"name": "Cy",
				"grade": 4.0}, {"name": "Di", "deep": object{"code": "C9"}}, {"grade": "8",
				"born": "1999-09-09"}}).Draw(s.T, "values"))
		}
	}
	return in
}

// bringIn carries an import out, on a copy of the candidate: a dry run, and one that changes
// nothing, leave the candidate as it is.
func (s *session) bringIn(by *principal, in imported, dry bool) result {
	o := by.company
	at := slices.IndexFunc(o.candidates, func(c *candidate) bool {
		return c.texts["externalId"] == in.texts["externalId"]
	})
	c := &candidate{company: o, fields: object{}, reacted: map[int][]*scenario{},
		brought: map[*preset]*brought{}, texts: map[string]string{}}
	answer := "created"
	if at >= 0 {
		c, answer = o.candidates[at], "unchanged"
	}
	next := *c
	next.texts, next.fields = maps.Clone(c.texts), clone(c.fields)
	next.requests = slices.Clone(c.requests)
	maps.Copy(next.texts, in.texts)
	documents, recorded := []any{}, []*request{}
	for n, t := range in.types {
		done, r := c.bring(&next, t, in, in.values[n])
		documents = append(documents, object{"documentTypeId": t.id, "result": done})
		if r != nil {
			recorded = append(recorded, r)
		}
	}
	changed := next.differsFrom(c)
	if at >= 0 && len(changed)+len(recorded) > 0 {
		answer = "updated"
	}
	status := next.judge()
	r := ok(object{"result": answer, "status": status, "documents": documents})
	if at >= 0 {
		r.body["candidateId"] = c.id
	}
	if r.empty = dry || answer == "unchanged"; r.empty {
		return r
	}
	c.texts, c.fields, c.requests, c.pass = next.texts, next.fields, next.requests, next.pass
	why := cause{by: by}
	c.emit(why, "candidateImported", func() object {
		return object{"created": answer == "created", "changed": changed, "status": status,
			"candidateDocumentTypeIds": list(recorded, func(r *request) any { return r.id() })}
	})
	if at < 0 {
		c.status = status
		o.candidates = append(o.candidates, c)
	} else {
		c.settle(why)
	}
	r.learn = func(got object) {
		if c.id == "" {
			c.id, _ = got["candidateId"].(string)
		}
		r.body["candidateId"] = c.id
		s.learnDocuments(recorded)
	}
	return r
}

// learnDocuments learns the ids of documents that an import has recorded, which its response does
// not have.
func (s *session) learnDocuments(recorded []*request) {
	for _, r := range recorded {
		if d := r.document; d.id == "" {
			now := s.must(r.of.company.people[0], "GET", "/candidateDocumentTypes/"+r.id(), nil)
			d.id, _ = now["document"].(object)["id"].(string)
		}
	}
}

// bring makes a document with these values the newest of its type, and the one in force, in next, a
// copy of the candidate. It returns what became of it, and the candidate document type, of the
// candidate itself, if that changed.
func (c *candidate) bring(next *candidate, t *docType, in imported,
	values object) (string, *request) {
	before := next.request(t)
	recorded := func(d *document) bool {
		return d != nil && len(d.parts) == 0 && reflect.DeepEqual(d.parsed, values)
	}
	r := &request{of: c, docType: t, required: true, metadata: object{}, fields: object{},
		since: c.company.model.now}
	if before != nil {
		filed := before.document != nil && len(before.document.parts) > 0 &&
			slices.Contains([]string{"uploaded", "inReview", "validated"}, before.state)
		switch {
		case before.state == "processing" || filed,
			before.force != nil && len(before.force.parts) > 0:
			return "kept", nil
		case recorded(before.document), recorded(before.force):
			return "unchanged", nil
		case before.state == "removed":
			r.versions, r.runs = before.versions, before.runs
		default:
			*r = *before
			r.fields = clone(before.fields)
		}
	}
	r.versions++
	r.state, r.force = "validated", nil
	r.document = &document{state: "validated", version: r.versions, parsed: values}
	for _, w := range t.writeBack {
		value := lookup(values, w[0])
		if w[1] == "dcf_note" {
			if v, fits := coerce(c.company.fields["dcf_note"], value); fits {
				r.fields["note"] = v
			}
		} else if in.texts[w[1]] == "" {
			next.set(w[1], value)
		}
	}
	if t.pass {
		next.pass = object{"status": "verified"}
	}
	next.requests = append(slices.DeleteFunc(next.requests, func(o *request) bool {
		return o == before
	}), r)
	next.sortRequests()
	return "recorded", r
}

// differsFrom names the fields in which a candidate differs from another one.
func (c *candidate) differsFrom(other *candidate) []string {
	changed := []string{}
	for key, text := range c.texts {
		if text != other.texts[key] {
			changed = append(changed, key)
		}
	}
	for reference, v := range c.fields {
		if v != other.fields[reference] {
			changed = append(changed, "cf_"+reference)
		}
	}
	slices.Sort(changed)
	return changed
}
