package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// A referenced setting can't be deleted, and the response lists the references.
func TestInUse(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	field, form := d.make("/customFields", fieldBody), d.make("/forms", formBody)
	documentField := d.make("/customFields",
		`{"entity":"document","reference":"office","label":"Office","type":"text"}`)
	counterField := d.make("/customFields",
		`{"entity":"document","reference":"counter","label":"Counter","type":"text"}`)
	card, scenario := d.make("/documentTypes", typeBody), d.make("/scenarios", notifyBody)
	preset := d.make("/presets",
		fmt.Sprintf(
			`{"name":"p","set":{"cf_permitNumber":"1"},"documentTypeIds":[%q],"formIds":[%q]}`,
			card, form))
	asks := d.make("/scenarios",
		fmt.Sprintf(`{"name":"s","eventName":"candidateCreated","documentTypeIds":[%q]}`, card))
	page := d.make("/registration-pages", fmt.Sprintf(
		`{"name":"d","slug":"d","documents":[{"documentTypeId":%q}],"formIds":[%q],"presetId":%q}`,
		card, form, preset))
	permit := d.ok("POST", "/documentTypes", permitBody(card, scenario, form))
	other := d.ok("POST", "/documentTypes",
		fmt.Sprintf(`{"name":"o","submission":{"rules":[{"conditionsType":"or",
		"conditions":[{"type":"context","reference":"dcf_office","operator":"isEmpty"}],"actions":[{"type":"applyPreset","value":%q},
		{"type":"addDocumentType","value":%q,"metadata":{"customFields":{"counter":"x"}}}]}]}}`,
			preset, card))
	rule := func(of textResponse, n int) string {
		return "/documentTypes/" + of.str("id") + "/submission/rules/" +
			of.str("submission", "rules", n, "id")
	}
	want := map[string][]string{
		"/customFields/" + field: {"/documentTypes/" + permit.str("id") + "/writeBack/0",
			rule(permit, 0), "/presets/" + preset + "/set/cf_permitNumber"},
		"/customFields/" + documentField: {rule(other, 0)},
		"/customFields/" + counterField:  {rule(other, 0)},
		"/forms/" + form: {rule(permit, 1), "/presets/" + preset + "/formIds",
			"/registration-pages/" + page + "/formIds"},
		"/presets/" + preset: {rule(other, 0),
			"/registration-pages/" + page + "/presetId"},
		"/scenarios/" + scenario: {rule(permit, 0)},
		"/documentTypes/" + card: {rule(permit, 0), rule(other, 0),
			"/presets/" + preset + "/documentTypeIds",
			"/scenarios/" + asks + "/documentTypeIds",
			"/registration-pages/" + page + "/documents"},
	}
	d.refuseInUse(t, want)
	d.refuse("PATCH", "/scenarios/"+scenario, `{"notification":null}`, http.StatusConflict,
		dossier.CodeInUse)

	// Without references each can be deleted.
	for _, target := range []string{"/registration-pages/" + page, "/scenarios/" + asks,
		"/documentTypes/" + permit.str("id"),
		"/documentTypes/" + other.str("id"), "/presets/" + preset, "/documentTypes/" + card,
		"/scenarios/" + scenario, "/forms/" + form,
		"/customFields/" + field, "/customFields/" + documentField,
		"/customFields/" + counterField} {
		d.ok("DELETE", target, "")
	}
}

// refuseInUse deletes what is in use, and compares the places that use it.
func (c client) refuseInUse(t *testing.T, want map[string][]string) {
	t.Helper()
	for target, pointers := range want {
		got := c.refuse("DELETE", target, "", http.StatusConflict, dossier.CodeInUse)
		slices.Sort(got)
		slices.Sort(pointers)
		if !cmp.Equal(got, pointers) {
			t.Errorf("%s: %s", target, cmp.Diff(pointers, got))
		}
		c.ok("GET", target, "")
	}
}

// A rule that references its own document type does not prevent its deletion.
func TestInUseByOwnRule(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	id := d.make("/documentTypes", typeBody)
	a := d.ok("PATCH", "/documentTypes/"+id, ruled("Again", id, ""))
	if a.str("warnings", 0, "code") != dossier.WarningCycle {
		t.Errorf("warnings: %s", a.text)
	}
	d.ok("DELETE", "/documentTypes/"+id, "")
}
