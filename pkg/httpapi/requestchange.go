package httpapi

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// changeRequest applies the body as a merge patch to what a candidate is asked for.
func (a *API) changeRequest(r *request) (any, error) {
	want, _, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	return read(a.store.ChangeRequest(r.Context(), r.company(), r.param("id"), store.Rev(want),
		func(before dossier.CandidateDocumentTypeChange) (dossier.CandidateDocumentTypeChange,
			error) {
			in, err := decodePatch(r, before, "lock", "document", "documentType", "candidateId",
				"candidate", "missingParts")
			if err != nil {
				return in, err
			}
			metadata, err := json.Marshal(in.Metadata)
			if err != nil {
				return in, fmt.Errorf("measure the metadata: %w", err)
			}
			var p dossier.Problems
			in.Validate(&p, len(metadata))
			err = a.validateCustomFields(r, &p, dossier.EntityDocument, in.CustomFields,
				before.CustomFields)
			return in, errors.Join(err, p.Err())
		}))
}
