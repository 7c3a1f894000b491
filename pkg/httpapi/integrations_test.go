package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// An integration disabled by an administrator receives no events, its pending deliveries are held,
// and another integration may take its place.
func TestDisableIntegration(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	const body = `{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://example.com/hook"}}`
	const created = "/integrations?filter[triggerEvent]=candidateCreated"
	id := ok[dossier.Integration](t, h, "POST", "/integrations", body).ID
	turn := func(state string) dossier.Integration {
		return ok[dossier.Integration](t, h, "PATCH", "/integrations/"+id,
			fmt.Sprintf(`{"state":%q}`, state))
	}
	statuses := func() (list []string) {
		for _, e := range ok[[]dossier.LogEntry](t, h, "GET", "/integrations/logs?page[size]=100",
			"") {
			list = append(list, e.Status)
		}
		return list
	}
	h.candidate(t)
	h.dispatchEvents(t)
	if off := turn("disabled"); off.State != dossier.IntegrationDisabled ||
		off.DisabledReason != dossier.DisabledByHand {
		t.Errorf("disabled: %+v", off)
	}
	if again := turn("disabled"); again.DisabledReason != dossier.DisabledByHand {
		t.Errorf("disabled again: %+v", again)
	}
	h.attemptDeliveries(t, "")
	h.candidate(t)
	h.dispatchEvents(t)
	if got := statuses(); len(got) != 1 || got[0] != dossier.LogHeld {
		t.Errorf("while it is disabled: %v", got)
	}
	if list := ok[[]dossier.Integration](t, h, "GET", created, ""); len(list) != 1 {
		t.Errorf("disabled, and not listed for its event: %+v", list)
	}
	for range dossier.MaxActiveIntegrations {
		ok[dossier.Integration](t, h, "POST", "/integrations", body)
	}
	h.refused(t, call{method: "PATCH", target: "/integrations/" + id, body: `{"state":"active"}`},
		dossier.CodeLimitReached)
	h.refused(t, call{method: "POST", target: "/integrations/" + id + "/enable"},
		dossier.CodeLimitReached)
	last := ok[[]dossier.Integration](t, h, "GET", created, "")[1]
	ok[struct{}](t, h, "DELETE", "/integrations/"+last.ID, "")
	if on := turn("active"); on.State != dossier.IntegrationActive || on.DisabledReason != "" {
		t.Errorf("enabled: %+v", on)
	}
	h.candidate(t)
	h.dispatchEvents(t)
	if got := statuses(); len(got) != 1+dossier.MaxActiveIntegrations {
		t.Errorf("enabled: %v", got)
	}
}

func TestIntegrationStateRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	const body = `{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://example.com/hook"}}`
	id := ok[dossier.Integration](t, h, "POST", "/integrations", body).ID
	for patch, named := range map[string]string{`{"state":"paused"}`: "/state unknown",
		`{"state":null}`: "/state required", `{"state":""}`: "/state required"} {
		h.refused(t, call{method: "PATCH", target: "/integrations/" + id, body: patch},
			dossier.CodeValidation, named)
	}
	h.refused(t, call{method: "POST", target: "/integrations",
		body: body[:len(body)-1] + `,"state":"active"}`}, dossier.CodeValidation, "/state readOnly")
}

// An integration whose target is gone is still listed for its event, and can be enabled again.
func TestEnableIntegration(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	hook := "/integrations/" + d.make("/integrations",
		strings.Replace(hookBody, "DocumentValidated", "Created", 1))
	d.make("/candidates", `{"firstName":"Ada"}`)
	d.api.dispatchEvents(t)
	entries := slices.DeleteFunc(d.api.notified.take(), func(e store.Task) bool {
		return e.Kind != store.TaskDeliver
	})
	if len(entries) != 1 {
		t.Fatalf("%d deliveries", len(entries))
	}
	claims, err := d.api.store.ClaimDeliveries(t.Context(), entries[0])
	if err != nil || len(claims) != 1 {
		t.Fatalf("claims: %v %v", claims, err)
	}
	gone := dossier.Attempt{At: dossier.NewTime(time.Now()), StatusCode: 410}
	if _, err := d.api.store.Failed(t.Context(), claims[0], gone, dossier.Time{}, true,
		time.Hour); err != nil {
		t.Fatal(err)
	}
	if a := d.ok("GET", hook, ""); a.str("state") != dossier.IntegrationDisabled ||
		a.str("disabledReason") != dossier.DisabledGone {
		t.Errorf("gone: %s", a.text)
	}
	if list := d.ok("GET", "/integrations?filter[triggerEvent]=candidateCreated",
		""); list.len() != 1 {
		t.Errorf("disabled, and not listed for its event: %s", list.text)
	}
	enabled := d.ok("POST", hook+"/enable", "")
	if enabled.str("state") != dossier.IntegrationActive || enabled.at("disabledReason") != nil ||
		enabled.header.Get("ETag") == "" {
		t.Errorf("enabled: %s", enabled.text)
	}
}
