package web_test

import (
	"fmt"
	"testing"
)

// TestFormsAndPresetsAfterwards asks a candidate who exists for a form, opens it again after it was
// submitted, applies a preset and takes it back, without script. The page says what each did.
func TestFormsAndPresetsAfterwards(t *testing.T) {
	p := start(t)
	form := p.post("/forms", `{"name":"Night work","fields":[{"reference":"yes",
		"label":"Do you work at night?","type":"boolean","required":true}]}`)
	card := p.post("/documentTypes", `{"name":"Work permit","check":{"parser":"none"}}`)
	preset := p.post("/presets", fmt.Sprintf(`{"name":"Drivers","set":{"language":"nl"},
		"documentTypeIds":[%q],"formIds":[%q]}`, card, form))
	ada := p.post("/candidates", `{"firstName":"Ada"}`)
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/candidates/" + ada)
	b.press("Ask for a form")
	b.press("Ask for the form")
	b.sees("The candidate is asked for the form now.")
	b.sees("A form was asked for, or opened again")
	b.hides("Open it again")
	p.send("POST", "/candidates/"+ada+"/forms/"+form, `{"answers":{"yes":true}}`)
	b.open("/console/candidates/" + ada)
	b.press("Open it again")
	b.sees("The candidate can submit the form again.")
	b.press("Apply a preset")
	b.press("Apply it")
	b.sees("Changed: Language, Work permit.")
	b.sees("Left as it was: Night work was there already.")
	p.request(ada, card)
	b.press("Drivers")
	b.sees("What it brought and nobody has filled is removed")
	b.press("Take it back")
	b.sees("Changed: Language, Work permit.")
	b.sees("Left as it was: Night work did not come with this preset.")
	b.sees("Apply a preset")
	p.eventually("the events", func() bool {
		b.open("/console/candidates/" + ada)
		return eval[bool](b, `document.body.innerText.includes("A preset was taken back")`)
	})
	b.quiet()
	late := p.signedIn(t)
	late.open("/console/candidates/" + ada)
	late.press("Apply a preset")
	p.send("DELETE", "/presets/"+preset, nil)
	late.press("Apply it")
	late.sees("Some fields need your attention")
	late.accessible("a preset that is gone")
	late.quiet()
}

// TestAfterwardsLooks looks at a candidate's page after a preset was applied.
func TestAfterwardsLooks(t *testing.T) {
	p := start(t)
	s := p.furnish()
	preset := p.post("/presets", fmt.Sprintf(`{"name":"Drivers","set":{"language":"nl"},
		"documentTypeIds":[%q],"formIds":[%q]}`, s.card, s.form))
	p.send("POST", "/candidates/"+s.bob+"/presets", fmt.Sprintf(`{"presetId":%q}`, preset))
	p.send("POST", "/candidates/"+s.bob+"/forms/"+s.form, `{"answers":{"hasPermit":true}}`)
	b := p.signedIn(t)
	b.view("dossier-presets", "/console/candidates/"+s.bob, "Open it again")
	b.open("/console/candidates/" + s.bob)
	b.press("Drivers")
	b.press("Take it back")
	b.sees("Left as it was")
	for _, l := range looks {
		b.look(l.scheme, l.width, l.height)
		b.shoot("dossier-preset-back-" + l.name)
		b.accessible("a preset taken back, " + l.name)
	}
	b.quiet()
}
