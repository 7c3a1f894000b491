package web

import (
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestShowSecrets tells a secret that still signs beside the new one from one that has ended.
func TestShowSecrets(t *testing.T) {
	t.Parallel()
	made := dossier.NewTime(time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC))
	ends := dossier.NewTime(made.Add(24 * time.Hour))
	at := func(now time.Time) integrationView {
		v := integrationView{Integration: dossier.Integration{
			SigningSecrets: []dossier.SigningSecret{
				{CreatedAt: made}, {EndsAt: ends}},
		}}
		v.showSecrets(now)
		return v
	}
	if v := at(ends.Add(-time.Second)); v.Before == nil || !v.Ended.IsZero() {
		t.Errorf("before its end: %+v", v)
	}
	if v := at(ends.Time); v.Before != nil || v.Ended != ends || v.Secret.CreatedAt != made {
		t.Errorf("at its end: %+v", v)
	}
}
