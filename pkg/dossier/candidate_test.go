package dossier_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestCandidateTexts reads and writes each text of a candidate under its name.
func TestCandidateTexts(t *testing.T) {
	t.Parallel()
	var c dossier.Candidate
	for _, key := range dossier.TextKeys {
		*c.Text(key) = key
	}
	for _, key := range dossier.TextKeys {
		if *c.Text(key) != key {
			t.Errorf("%s is %s", key, *c.Text(key))
		}
	}
	if c.Text("status") != nil {
		t.Error("the status is a text")
	}
	c.Forms = []dossier.CandidateForm{{FormID: "a"}, {FormID: "b"}}
	if c.Form("b") != &c.Forms[1] || c.Form("c") != nil {
		t.Error("a form is not found by its id")
	}
	in := dossier.CandidateInput{FirstName: pointer("Ada"),
		CustomFields: map[string]any{"new": 1.0}}
	in.SetOn(&c)
	if c.FirstName != "Ada" || c.LastName != "" || !cmp.Equal(c.CustomFields, in.CustomFields) {
		t.Errorf("%+v", c)
	}
}

// TestImportGives sets what an import has, and leaves the rest.
func TestImportGives(t *testing.T) {
	t.Parallel()
	in := dossier.CandidateImportInput{CandidateInput: dossier.CandidateInput{
		FirstName: pointer("Ada"), CustomFields: map[string]any{"b": "new"}}}
	c := dossier.Candidate{FirstName: "A", LastName: "L",
		CustomFields: map[string]any{"a": "old", "b": "old"}}
	in.SetGiven(&c)
	if diff := cmp.Diff(map[string]any{"a": "old", "b": "new"}, c.CustomFields); diff != "" ||
		c.FirstName != "Ada" || c.LastName != "L" {
		t.Errorf("%+v %s", c, diff)
	}
	for key, want := range map[string]bool{"firstName": true, "lastName": false, "cf_b": true,
		"cf_a": false, "b": false} {
		if in.Gives(key) != want {
			t.Errorf("%s: %v", key, !want)
		}
	}
}

// TestWhatLeavesTheCompany shows a partner the metadata that is the candidate's, and whether the
// host of a parser is confirmed.
func TestWhatLeavesTheCompany(t *testing.T) {
	t.Parallel()
	const theirs = dossier.MetadataCandidate
	for _, c := range []struct{ metadata, want map[string]any }{
		{map[string]any{theirs: "x", "ours": "y"}, map[string]any{theirs: "x"}},
		{map[string]any{"ours": "y"}, map[string]any{}}, {nil, map[string]any{}}} {
		got := dossier.CandidateDocumentType{Metadata: c.metadata}.WithoutInternals()
		if diff := cmp.Diff(c.want, got.Metadata); diff != "" {
			t.Error(diff)
		}
	}
	for confirmation, warnings := range map[*dossier.ParserConfirmation]int{nil: 0,
		{Host: "a.nl"}: 1, {Host: "a.nl", Confirmed: true}: 0} {
		got := dossier.DocumentType{ParserConfirmation: confirmation}.ForPartner()
		if len(got.Warnings) != warnings || got.ParserConfirmation != confirmation {
			t.Errorf("%+v: %+v", confirmation, got)
		}
	}
	for url, want := range map[string]string{"https://a.nl:8443/x": "a.nl:8443", "%": ""} {
		if got := (dossier.HTTPParser{URL: url}).Host(); got != want {
			t.Errorf("%s: %q", url, got)
		}
	}
	for code, internal := range map[string]bool{dossier.ReasonCheckCause: true,
		dossier.ReasonParserNotConfirmed: true, dossier.ReasonExpired: false} {
		if (dossier.Reason{Code: code}).Internal() != internal {
			t.Errorf("%s: %v", code, !internal)
		}
	}
}

// TestNewest shows the newer document in the place of the one that is in force.
func TestNewest(t *testing.T) {
	t.Parallel()
	newer := &dossier.Document{ID: "doc_2"}
	c := dossier.CandidateDocumentType{State: dossier.StateValidated, ExpiresAt: "2027-01-01",
		Document: &dossier.Document{ID: "doc_1"}}
	if got := c.Newest(); got.Document.ID != "doc_1" || got.ExpiresAt == "" {
		t.Errorf("%+v", got)
	}
	c.Replacement = &dossier.Replacement{State: dossier.StateInReview, Document: newer}
	if got := c.Newest(); got.Document != newer || got.State != dossier.StateInReview ||
		got.ExpiresAt != "" || got.Replacement != nil {
		t.Errorf("%+v", got)
	}
}

// TestAnswers checks the answers to a form: those that are missing, wrong or of no field.
func TestAnswers(t *testing.T) {
	t.Parallel()
	form := dossier.Form{Fields: []dossier.FormField{
		{Reference: "a", Type: dossier.FieldText, Required: true},
		{Reference: "b", Type: dossier.FieldNumber}}}
	for _, c := range []struct {
		answers map[string]any
		want    []string
	}{
		{map[string]any{"a": "x", "b": 1.0}, nil}, {map[string]any{"a": "x"}, nil},
		{map[string]any{}, []string{"/x/a required"}},
		{map[string]any{"a": ""}, []string{"/x/a required"}},
		{map[string]any{"a": "x", "b": "y"}, []string{"/x/b wrongType"}},
		{map[string]any{"a": "x", "c": "y"}, []string{"/x/c unknown"}},
	} {
		got := told(func(p *dossier.Problems) { p.Answers("/x", form, c.answers) })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %s", c.answers, diff)
		}
	}
}
