package httpapi

import (
	"bytes"
	"cmp"
	"flag"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

var update = flag.Bool("update", false, "write openapi/openapi.json")

// TestOpenAPI holds the committed document to what the route table, the Go types, the descriptions
// beside them and the answers of the handlers make. With -update it writes the document.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	want, err := spec.Document(source(t))
	if err != nil {
		t.Fatalf("the document can't be made:\n%v", err)
	}
	if *update {
		if err := os.WriteFile("openapi/openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if line := firstDifference(openapi.Document, want); line != "" {
		t.Errorf("openapi.json is not what routes, types and descriptions make: %s\n"+
			"Run go test ./pkg/httpapi -run TestOpenAPI -update", line)
	}
}

// firstDifference returns the first line in which two texts differ, empty where they don't.
func firstDifference(got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	a, b := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for n := range min(len(a), len(b)) {
		if !bytes.Equal(a[n], b[n]) {
			return string(a[n]) + ", want " + string(b[n])
		}
	}
	return "one is longer"
}

// description has the document's texts and types for one resource, beside the route table, and the
// samples with which TestConformance tests its routes.
type description struct {
	tag, text string
	// the tag before it; its examples may name what was made by then
	after      string
	operations map[string]operation // by route
	types      []spec.Type
	named      map[string]*spec.Schema
	examples   func(*session)         // sends a request to every route
	seed       []seedRequest          // makes what the samples name
	samples    map[string]goodRequest // by route
}

// seedRequest creates a resource whose id gets a name.
type seedRequest struct{ name, path, body string }

// operation has the document's texts for one route.
type operation struct {
	id, summary, text string
	// names of schemas; `[]` before out for a list; empty out: nothing to tell
	in, out   string
	versioned bool // a success has an ETag
	filters   spec.Fields
	fails     []spec.OperationFailure // beside those of every route
}

// described has the descriptions of the resources; each file beside this one adds its own.
var described []func() description

// describe adds the description of a resource to the document, and its samples to the conformance
// test.
func describe(d func() description) bool {
	described = append(described, d)
	return true
}

// descriptions lists the resources in the order of the document, in which their seeds and examples
// are made.
func descriptions() []description {
	behind := map[string][]description{}
	for _, one := range described {
		d := one()
		behind[d.after] = append(behind[d.after], d)
	}
	var all []description
	var from func(tag string)
	from = func(tag string) {
		slices.SortFunc(behind[tag], func(a, b description) int {
			return cmp.Compare(a.tag, b.tag)
		})
		for _, d := range behind[tag] {
			all = append(all, d)
			from(d.tag)
		}
	}
	from("")
	return all
}

// source puts together what the document is made of.
func source(t *testing.T) spec.Source {
	t.Helper()
	all := descriptions()
	examples := exampleSession(t, all)
	s := spec.Source{Info: info(), Error: "Error", Failures: failures(t), Common: commonFields(),
		Named: commonSchemas(),
		Types: failureTypes(), Parameters: sharedParameters(), Headers: responseHeaders(),
		Security: security(),
		Webhooks: webhooks()}
	eventTypes(&s)
	routes := (&API{}).routes(Groups())
	for _, d := range all {
		s.Tags = append(s.Tags, spec.Tag{Name: d.tag, Description: d.text})
		s.Types = append(s.Types, d.types...)
		for name, schema := range d.named {
			s.Named[name] = schema
		}
		for name, o := range d.operations {
			n := slices.IndexFunc(routes, func(rt route) bool { return rt.String() == name })
			if n < 0 {
				t.Errorf("%s is described and no route", name)
				continue
			}
			s.Operations = append(s.Operations, routes[n].operation(d.tag, o, examples))
		}
	}
	for _, rt := range routes {
		if !slices.ContainsFunc(s.Operations, func(o spec.Operation) bool {
			return o.Method+" "+o.Path == rt.String()
		}) {
			t.Errorf("%v is not described", rt)
		}
	}
	return s
}

// operation joins what the route table says of a route and what is said beside it.
func (rt route) operation(tag string, o operation, ex *session) spec.Operation {
	out := spec.Operation{Method: rt.method, Path: rt.path, ID: o.id, Tag: tag, Summary: o.summary,
		Scope: rt.scope, Anyone: rt.anyone, Text: rt.notes(o.text),
		In: o.in, Patch: rt.method == http.MethodPatch, Optional: rt.body == bodyOptional,
		Out:  cmp.Or(o.out, "Deleted"),
		Done: rt.done(o), Headers: map[string]string{}, Examples: ex.of(rt.String()),
		Failures: rt.failures(o.fails)}
	for _, name := range params(rt.path) {
		out.Parameters = append(out.Parameters, rt.pathParameter(name, ex.path(rt.String(), name)))
	}
	for _, name := range rt.filters {
		f := o.filters[name]
		if text, isID := f.ExampleText(); isID {
			f = f.Example(ex.tidy(ex.expand(text)))
		}
		bare, list := strings.CutSuffix(name, "[]")
		full := "filter[" + bare + "]"
		if list {
			full += "[]"
		}
		out.Parameters = append(out.Parameters, spec.Filter(full, f))
	}
	if len(rt.includes) > 0 {
		out.Parameters = append(out.Parameters, spec.Filter("include", o.filters["include"]))
	}
	if len(rt.sorts) > 0 {
		out.Parameters = append(out.Parameters, spec.Filter("sort", o.filters["sort"]))
	}
	shared := map[bool]string{rt.paging == paged: "PageSize", rt.paging == uncut: "PageSizeUncut",
		rt.method == http.MethodPost && !rt.unkept: "IdempotencyKey",
		rt.method == http.MethodPatch:              "IfMatch"}[true]
	if shared != "" {
		out.Parameters = append(out.Parameters, spec.SharedParameter(shared))
	}
	if rt.conditional {
		out.Parameters = append(out.Parameters, spec.SharedParameter("IfMatch"))
	}
	if rt.paging != unpaged {
		out.Parameters = append(out.Parameters, spec.SharedParameter("PageAfter"))
		out.Headers["Link"] = "Link"
	}
	if o.versioned {
		out.Headers["ETag"] = "ETag"
	}
	return out
}
