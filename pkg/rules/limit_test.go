package rules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

func idsOf(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s_%d", prefix, i)
	}
	return list
}

// A run does not put more on a candidate than requests may.
func TestLimits(t *testing.T) {
	t.Parallel()
	const limit = dossier.ReasonLimitReached
	presets := map[string]rules.PresetContent{
		"types": {DocumentTypeIDs: []string{"new", "new", "new2", "dty_0", "gone"},
			Set: map[string]any{"language": "nl"}},
		"forms": {FormIDs: []string{"f", "f", "g", "frm_0", "gone"}},
	}
	for name, c := range map[string]struct {
		types, removed, forms int
		actions               []dossier.Action
		reasons               []string
	}{
		"OK last": {99, 0, 0, []dossier.Action{add("new")}, []string{""}},
		"ErrFull": {100, 0, 0, []dossier.Action{add("new"), add("dty_0")},
			[]string{limit, dossier.ReasonAlreadyRequested}},
		"ErrFullInThisRun": {98, 0, 0,
			[]dossier.Action{add("new"), add("new2"), add("new3")}, []string{"", "", limit}},
		"ErrFullOfRemoved": {60, 40, 0, []dossier.Action{add("new")}, []string{limit}},
		"OK removed asked for again": {60, 40, 0, []dossier.Action{add("old_1"), add("new")},
			[]string{"", limit}},
		"ErrRemovedInThisRun": {100, 0, 0,
			[]dossier.Action{remove("dty_1"), add("new"), add("dty_1")}, []string{"", limit, ""}},
		"OK taken back": {99, 0, 0,
			[]dossier.Action{add("new"), remove("new"), add("new2"), add("new3")},
			[]string{"", "", "", limit}},
		"ErrAgainAndTakenBack": {99, 1, 0,
			[]dossier.Action{add("old_0"), remove("old_0"), add("new")}, []string{"", "", limit}},
		"OK preset": {98, 0, 0, []dossier.Action{apply("types")}, []string{""}},
		"ErrPreset": {99, 0, 0, []dossier.Action{apply("types"), add("new")},
			[]string{limit, ""}},
		"OK forms of a preset": {1, 0, 48, []dossier.Action{apply("forms")}, []string{""}},
		"ErrFormsOfAPreset": {1, 0, 49,
			[]dossier.Action{apply("forms"), removeForm("frm_1"), apply("forms")},
			[]string{limit, "", ""}},
		"OK fewer than there are more": {120, 0, 0, []dossier.Action{remove("dty_1"), add("dty_1")},
			[]string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := rules.Evaluate([]dossier.Rule{always(c.actions...)},
				rules.Facts{DocumentTypes: idsOf("dty", c.types), Removed: idsOf("old", c.removed),
					Forms: idsOf("frm", c.forms), PresetContents: presets,
					Missing: map[string]bool{"gone": true}})
			var reasons []string
			for _, a := range d.Rules[0].Actions {
				reasons = append(reasons, a.Reason)
			}
			if diff := cmp.Diff(c.reasons, reasons); diff != "" {
				t.Error(diff)
			}
		})
	}
}
