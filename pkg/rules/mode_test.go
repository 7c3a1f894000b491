package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// inMode returns a rule in a mode.
func inMode(mode string, r dossier.Rule) dossier.Rule {
	r.Mode = mode
	return r
}

// TestShadowChangesNothing holds for rules with every action: in shadow mode nothing is changed, no
// other rule sees a difference, and each action says what it would have done.
func TestShadowChangesNothing(t *testing.T) {
	t.Parallel()
	actions := []dossier.Action{add("dty_new"), add("dty_a"), remove("dty_b"), remove("dty_frozen"),
		remove("dty_new"), removeForm("frm_1"), apply("pst_1"), notify("scn_1"), notify("scn_1")}
	rest := []dossier.Rule{always(add("dty_other"), remove("dty_a")), always(actions...)}
	without, after := rules.EvaluateFacts(rest, facts())
	for _, mode := range []string{dossier.ModeShadow, dossier.ModeOff} {
		tried := always(actions...)
		for at := range 3 {
			list := append(append(append([]dossier.Rule{}, rest[:min(at, 2)]...),
				inMode(mode, tried)), rest[min(at, 2):]...)
			with, afterToo := rules.EvaluateFacts(list, facts())
			if diff := cmp.Diff(without.Changes, with.Changes); diff != "" {
				t.Errorf("%s at %d changes something: %s", mode, at, diff)
			}
			if diff := cmp.Diff(after, afterToo); diff != "" {
				t.Errorf("%s at %d is seen: %s", mode, at, diff)
			}
			result := with.Rules[at]
			if result.Mode != mode || result.Matched != (mode == dossier.ModeShadow) {
				t.Errorf("%+v", result)
			}
		}
	}
}

// TestShadowSaysWhatItWouldDo compares the actions of a rule in shadow mode with those of a live
// one.
func TestShadowSaysWhatItWouldDo(t *testing.T) {
	t.Parallel()
	rule := always(add("dty_new"), add("dty_a"), remove("dty_new"), notify("scn_1"))
	live := rules.Evaluate([]dossier.Rule{rule}, facts()).Rules[0]
	shadow := rules.Evaluate([]dossier.Rule{inMode(dossier.ModeShadow, rule)}, facts()).Rules[0]
	for i, a := range shadow.Actions {
		want := live.Actions[i].Reason
		if live.Actions[i].Changed {
			want = dossier.ReasonShadow
		}
		if a.Changed || a.Reason != want {
			t.Errorf("%+v, a live one %+v", a, live.Actions[i])
		}
	}
	off := rules.Evaluate([]dossier.Rule{inMode(dossier.ModeOff, rule)}, facts()).Rules
	rules.WhyNot(off)
	if off[0].WhyNotMessage != "The rule is switched off, so it was not evaluated." ||
		len(off[0].Actions) != 0 {
		t.Errorf("%+v", off[0])
	}
}

// TestModesInReview holds that a mode is one of the list, and that only live rules undo and set
// off.
func TestModesInReview(t *testing.T) {
	t.Parallel()
	problems, _ := rules.Review(dossier.Submission{Rules: []dossier.Rule{
		inMode("dark", always())}}, known())
	if len(problems) != 1 || problems[0].Pointer != "/submission/rules/0/mode" {
		t.Errorf("%+v", problems)
	}
	for mode, want := range map[string]int{"": 1, dossier.ModeLive: 1, dossier.ModeShadow: 0,
		dossier.ModeOff: 0} {
		problems, warnings := rules.Review(dossier.Submission{Rules: []dossier.Rule{
			always(add("dty_b")), inMode(mode, always(remove("dty_b")))}}, known())
		if len(problems) != 0 || len(warnings) != want {
			t.Errorf("%q: %+v, %+v", mode, problems, warnings)
		}
	}
}
