package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// An integration whose target is gone still hears its event, and is listed for it; enabled, it is as it was.
func TestEnable(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	hook := "/integrations/" + d.make("/integrations", strings.Replace(hookBody, "DocumentValidated", "Created", 1))
	d.make("/candidates", `{"firstName":"Ada"}`)
	for _, e := range d.bell.take(store.TaskDispatch) {
		if err := d.store.Dispatch(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	entries := d.bell.take(store.TaskDeliver)
	if len(entries) != 1 {
		t.Fatalf("%d deliveries", len(entries))
	}
	claim, ok, err := d.store.ClaimDelivery(t.Context(), entries[0])
	if err != nil || !ok {
		t.Fatalf("claim: %v %v", ok, err)
	}
	gone := dossier.Attempt{At: dossier.NewTime(time.Now()), StatusCode: 410}
	if _, err := d.store.Failed(t.Context(), claim, gone, dossier.Time{}, true, time.Hour); err != nil {
		t.Fatal(err)
	}
	if a := d.ok("GET", hook, ""); a.str("state") != dossier.IntegrationDisabled || a.str("disabledReason") != dossier.DisabledGone {
		t.Errorf("gone: %s", a.text)
	}
	if list := d.ok("GET", "/integrations?filter[triggerEvent]=candidateCreated", ""); list.len() != 1 {
		t.Errorf("disabled, and not listed for its event: %s", list.text)
	}
	enabled := d.ok("POST", hook+"/enable", "")
	if enabled.str("state") != dossier.IntegrationActive || enabled.at("disabledReason") != nil || enabled.header.Get("ETag") == "" {
		t.Errorf("enabled: %s", enabled.text)
	}
}
