package httpapi

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestClientLabel finds the requests of one client in the log by a label that is the same in every
// process with the key, differs by network, day and key, and never shows the address.
func TestClientLabel(t *testing.T) {
	t.Parallel()
	label := func(key, address string, days int) string {
		h := newTestAPI(t, withRoutes(Config{LogKey: []byte(key)},
			settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
		h.clock.at = h.clock.at.AddDate(0, 0, days)
		r := httptest.NewRequest("GET", "/x", nil)
		r.RemoteAddr = address
		h.serveRaw(r)
		if strings.Contains(h.log.String(), strings.Split(strings.Trim(address, "["), "]")[0]) {
			t.Errorf("the log has the address: %s", h.log)
		}
		var line struct {
			Status int
			Client string
		}
		if err := json.Unmarshal(h.log.Bytes(), &line); err != nil || line.Status != 200 ||
			len(line.Client) != 16 {
			t.Fatalf("%v: %s", err, h.log)
		}
		return line.Client
	}
	of := label("one", "192.0.2.7:1", 0)
	if again := label("one", "192.0.2.7:2", 0); again != of {
		t.Errorf("another connection of the same client is %s, not %s", again, of)
	}
	for name, other := range map[string]string{
		"another address": label("one", "192.0.2.8:1", 0),
		"the next day":    label("one", "192.0.2.7:1", 1),
		"another key":     label("two", "192.0.2.7:1", 0),
		"no key":          label("", "192.0.2.7:1", 0),
		"IPv6":            label("one", "[2001:db8::1]:1", 0),
	} {
		if other == of {
			t.Errorf("%s has the label %s too", name, of)
		}
	}
	if a, b := label("one", "[2001:db8::1]:1", 0), label("one", "[2001:db8::2]:1", 0); a != b {
		t.Errorf("one network has the labels %s and %s", a, b)
	}
	if a, b := label("", "192.0.2.7:1", 0), label("", "192.0.2.7:1", 0); a == b {
		t.Error("two processes without a key make the same label")
	}
}
