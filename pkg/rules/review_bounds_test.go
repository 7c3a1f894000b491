package rules_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// A submission may have as many bytes, tests and effects as the limits say, and no more.
func TestSubmissionAtTheBounds(t *testing.T) {
	t.Parallel()
	bytes := func(n int) dossier.Submission {
		var s dossier.Submission
		fill := func(last int) {
			s.Rules = nil
			for i := range 2 {
				list := repeat[any](strings.Repeat("x", 495), 100)
				if i == 1 {
					list[99] = strings.Repeat("x", last)
				}
				s.Rules = append(s.Rules, condition(fields, "permit.class", "isEqual", list))
			}
		}
		fill(1)
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		fill(1 + n - len(b))
		return s
	}
	k := known()
	types := func(n int) dossier.Submission { // each has two effects
		var s dossier.Submission
		for i, id := range idsOf("many", n) {
			k.DocumentTypes[id] = true
			if i%dossier.MaxActions == 0 {
				s.Rules = append(s.Rules, always())
			}
			last := &s.Rules[len(s.Rules)-1]
			last.Actions = append(last.Actions, add(id))
		}
		return s
	}
	for name, c := range map[string]struct {
		submission dossier.Submission
		fine       bool
	}{
		"OK bytes":   {bytes(dossier.MaxSubmissionLen), true},
		"ErrBytes":   {bytes(dossier.MaxSubmissionLen + 1), false},
		"OK effects": {types(dossier.MaxRuleEffects / 2), true},
		"ErrEffects": {types(dossier.MaxRuleEffects/2 + 1), false},
	} {
		problems, _ := rules.Review(c.submission, k)
		if (len(problems) == 0) != c.fine {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

// All problems of a list and of metadata are told, not the first alone.
func TestEveryProblemOfAList(t *testing.T) {
	t.Parallel()
	full := repeat[any]("x", 100)
	full[99] = map[string]any{}
	k := known()
	k.EventOnly = map[string][]string{"scn": {"documentType"}}
	for name, c := range map[string]struct {
		rule     dossier.Rule
		problems int
	}{
		"ErrLastOfTheLongest": {condition(fields, "permit.class", "isEqual", full), 1},
		"ErrTwoUnknownFields": {metadata(map[string]any{"customFields": map[string]any{
			"a": "x", "b": "x"}}), 2},
		"ErrEventOnly": {always(notify("scn")), 1},
		"OKOtherKind":  {always(add("dty_b")), 0},
	} {
		problems, _ := rules.Review(dossier.Submission{Rules: []dossier.Rule{c.rule}}, k)
		if len(problems) != c.problems {
			t.Errorf("%s: %v", name, problems)
		}
	}
	ids := rules.IDs(read("forms", "contains", []any{"frm_a", "frm_b"}))
	if len(ids) != 2 || rules.IDs(of("forms", "contains", "frm_a")) != nil {
		t.Errorf("ids: %v", ids)
	}
}
