package web

import (
	"bytes"
	"net/url"
	"regexp"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestBuilderKeepsTheMode holds that a rule that is shown in the builder and saved again keeps its
// mode: a rule in shadow mode must not become live because somebody changed another one.
func TestBuilderKeepsTheMode(t *testing.T) {
	t.Parallel()
	pages, err := newTemplates(&Site{})
	if err != nil {
		t.Fatal(err)
	}
	screen, err := pages.screen("rules")
	if err != nil {
		t.Fatal(err)
	}
	selected := regexp.MustCompile(`name="r0\.mode"[^\n]*?value="(\w*)" selected`)
	for _, mode := range []string{"", dossier.ModeShadow, dossier.ModeOff} {
		c := catalog{}
		v := rulesView{Form: newForm(nil), Rules: []ruleRow{c.row(dossier.Rule{Mode: mode,
			ConditionsType: dossier.ConditionsAnd})}}
		var html bytes.Buffer
		err := screen.ExecuteTemplate(&html, "content", view{Data: v})
		if err != nil {
			t.Fatal(err)
		}
		shown := ""
		if found := selected.FindStringSubmatch(html.String()); found != nil {
			shown = found[1]
		}
		if shown != mode {
			t.Errorf("%q is shown as %q", mode, shown)
		}
		rows := postedRows(newForm(url.Values{"r0.kind": {"and"}, "r0.mode": {shown}}))
		if got := c.rule(dossier.DocumentType{}, rows[0]).Mode; got != mode {
			t.Errorf("%q is saved as %q", mode, got)
		}
	}
}
