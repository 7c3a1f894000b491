package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Integrations of earlier versions hold no moment for their secrets: it follows from what they
// hold, where anything does.
func TestSigningSecretsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	made := dossier.NewTime(time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC))
	rotated := later(made, time.Hour)
	for name, tc := range map[string]struct {
		secrets []storedSecret
		want    []dossier.SigningSecret
	}{
		"never rotated": {[]storedSecret{{Secret: "a"}},
			[]dossier.SigningSecret{{CreatedAt: made}}},
		"rotated": {[]storedSecret{{Secret: "b"},
			{Secret: "a", Until: later(rotated, rotationFor)}},
			[]dossier.SigningSecret{{CreatedAt: rotated},
				{EndsAt: later(rotated, rotationFor)}}},
		"none": {nil, []dossier.SigningSecret{}},
	} {
		stored := storedIntegration{Integration: dossier.Integration{CreatedAt: made},
			Secrets: tc.secrets}
		if diff := cmp.Diff(tc.want, stored.shown().SigningSecrets); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
