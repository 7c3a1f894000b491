package dossier_test

import (
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	list := []string{"other", "candidateRejected", "email"}
	for word, want := range map[string]string{
		"CANDIDATEREJECTED": "candidateRejected", "candidateRejcted": "candidateRejected",
		"emial": "email",
		"xyzzy": "", "": "", "telephone": "", strings.Repeat("candidateRejected", 1000): "",
	} {
		if got := dossier.Nearest(word, list); got != want {
			t.Errorf("%.20q: %q, not %q", word, got, want)
		}
	}
}

func TestProblemsSayCompleteSentences(t *testing.T) {
	t.Parallel()
	many := strings.Split("a b c d e f g h i j candidateCreated", " ")
	for _, c := range []struct {
		say  func(*dossier.Problems)
		code dossier.ProblemCode
		want string
	}{
		{func(p *dossier.Problems) { p.Line("/name", " ", 5) }, "required", "The name is missing."},
		{func(p *dossier.Problems) {
			p.Line("/name", "aaaaaa", 5)
		}, "tooLong", "The name has more than 5 characters."},
		{func(p *dossier.Problems) {
			p.Line("/name", "a\nb", 5)
		}, "malformed", "The name contains a control character."},
		{func(p *dossier.Problems) { p.Text("/text", "a\n\tb", 5) }, "", ""},
		{func(p *dossier.Problems) {
			p.Text("/text", "a\x1b[2J", 9)
		}, "malformed", "The text contains a control character."},
		{func(p *dossier.Problems) {
			p.Word("/kind", "x", []string{"a", "b"})
		}, "unknown", `The kind cannot be "x". The possible values are: a, b.`},
		{func(p *dossier.Problems) {
			p.Word("/kind", "", []string{"a", "b"})
		}, "required", "The kind is missing. The possible values are: a, b."},
		{func(p *dossier.Problems) { p.Word("/eventName", "candidateCreatd", many) }, "unknown",
			`The eventName cannot be "candidateCreatd". Did you mean "candidateCreated"?`},
		{func(p *dossier.Problems) {
			p.Distinct("/formIds", []string{"a", "a"}, 5)
		}, "duplicate", "Element 1 of formIds repeats an earlier one."},
		{func(p *dossier.Problems) {
			p.Value("/customFields/a~1b", dossier.FieldNumber, "x")
		}, "wrongType",
			"The a/b must be of type number, not text."},
		{func(p *dossier.Problems) {
			p.Value("/answers/0", dossier.FieldDate, "2026-02-30")
		}, "malformed",
			"Element 0 of answers is not a date of the form YYYY-MM-DD."},
		{func(p *dossier.Problems) {
			p.Say("?page[size]", "outOfRange", "has to be %d", 1)
		}, "outOfRange", "The parameter page[size] has to be 1."},
		{func(p *dossier.Problems) {
			p.Say("", "wrongType", "must be an object")
		}, "wrongType", "The body must be an object."},
	} {
		var p dossier.Problems
		c.say(&p)
		if c.want == "" {
			if p.Len() > 0 {
				t.Errorf("not expected: %+v", p.List())
			}
			continue
		}
		if p.Len() != 1 || p.List()[0].Message != c.want || p.List()[0].Code != c.code {
			t.Errorf("%+v, not %s %s", p.List(), c.code, c.want)
		}
	}
}
