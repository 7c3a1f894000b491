package store

import (
	"context"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// ConfirmParser confirms for a company with which a document type is shared that its documents may
// go to the owner's parser service. The confirmation holds for the service's present address.
// VALIDATION_FAILED where host is not the present one, INVALID_TRANSITION where there is nothing to
// confirm.
func (s *Store) ConfirmParser(ctx context.Context, company, id,
	host string) (dossier.DocumentType, Rev, error) {
	var rev Rev
	answer, err := changeSettings(ctx, s, company,
		func(dossier.Time) (answer dossier.DocumentType, writes []kv.Write, err error) {
			dt, read, err := s.readType(ctx, company, id)
			if err != nil {
				return answer, nil, err
			}
			if err := dt.confirm(company, host); err != nil {
				return answer, nil, err
			}
			i, err := settingItem(company, kindType, id, read.Rev, dt)
			rev = Rev(i.Rev)
			return dt.shown(), []kv.Write{put(i)}, err
		})
	return answer, rev, err
}

// confirm notes the present address of the parser service as confirmed.
func (s *storedType) confirm(company, host string) error {
	http := s.Check.HTTP
	switch {
	case !s.sharedTo(company):
		return dossier.Errorf(dossier.CodeTransition,
			"The document type is your company's own: its parser service needs no confirmation.")
	case http == nil:
		return dossier.Errorf(dossier.CodeTransition,
			"The document type has no parser service: there is nothing to confirm.")
	case !strings.EqualFold(host, http.Host()):
		var p dossier.Problems
		p.Add("/host", dossier.ProblemNotAllowed,
			"Documents of this type go to the host %q. Confirm that one.", http.Host())
		return p.Err()
	}
	s.ConfirmedParser = http.URL
	return nil
}
