package standalone

import (
	"time"

	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// accept makes the API sign people in at the providers of companies, which are reached like
// webhooks, and accept the JWTs of the issuer in the settings.
func (p *Process) accept(cfg *httpapi.Config, sender *webhook.Sender, guard *webhook.Guard) error {
	cfg.People = oidc.NewClient(sender.Transport(), guard.CheckURL, time.Now)
	if p.cfg.OIDCIssuer == "" {
		return nil
	}
	verifier, err := oidc.New(oidc.Config{Issuer: p.cfg.OIDCIssuer, Audience: p.cfg.OIDCAudience})
	if err == nil {
		cfg.OIDC = verifier
	}
	return err
}
