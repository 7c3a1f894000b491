package httpapi

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// An integration says when its secrets were made and end, also in lists, and never the secrets.
func TestSigningSecrets(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		const body = `{"name":"I","triggerEvent":"candidateCreated",` +
			`"target":{"type":"webhook","url":"https://example.com/hook"}}`
		made := ok[dossier.Integration](t, h, "POST", "/integrations", body)
		path := "/integrations/" + made.ID
		is := func(want ...dossier.SigningSecret) {
			t.Helper()
			now := ok[dossier.Integration](t, h, "GET", path, "")
			if diff := cmp.Diff(want, now.SigningSecrets); diff != "" {
				t.Errorf("secrets (-want +got):\n%s", diff)
			}
			listed := ok[[]dossier.Integration](t, h, "GET", "/integrations", "")
			if diff := cmp.Diff(now, listed[0]); diff != "" || now.Secret != "" {
				t.Errorf("in the list (-want +got):\n%s", diff)
			}
		}
		first := made.CreatedAt
		is(dossier.SigningSecret{CreatedAt: first})
		rotate := func() dossier.Time {
			t.Helper()
			h.clock.forward(time.Hour)
			rotated := ok[dossier.Integration](t, h, "POST", path+"/secret/rotate", "")
			return rotated.SigningSecrets[0].CreatedAt
		}
		day := func(at dossier.Time) dossier.Time { return dossier.NewTime(at.Add(24 * time.Hour)) }
		second := rotate()
		is(dossier.SigningSecret{CreatedAt: second},
			dossier.SigningSecret{CreatedAt: first, EndsAt: day(second)})
		third := rotate()
		is(dossier.SigningSecret{CreatedAt: third},
			dossier.SigningSecret{CreatedAt: second, EndsAt: day(third)})
		ok[dossier.Integration](t, h, "PATCH", path, `{"name":"J"}`)
		is(dossier.SigningSecret{CreatedAt: third},
			dossier.SigningSecret{CreatedAt: second, EndsAt: day(third)})
	})
}
