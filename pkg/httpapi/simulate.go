package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) simulateRoutes() []route {
	return []route{{method: http.MethodPost, path: "/documentTypes/{id}/submission/simulate",
		scope: dossier.ScopeDocumentsRead, handle: a.simulate}}
}

// simulation is the body of POST /documentTypes/{id}/submission/simulate.
type simulation struct {
	CandidateID *string             `json:"candidateId"`
	Parsed      map[string]any      `json:"parsed"`
	Submission  *dossier.Submission `json:"submission"`
}

// Validate records what is wrong with the input by itself.
func (in simulation) Validate(p *dossier.Problems) {
	if in.Parsed == nil {
		p.Say("/parsed", dossier.ProblemRequired, "is missing")
	}
	p.Parsed("/parsed", in.Parsed)
	if in.CandidateID != nil {
		p.ID("/candidateId", *in.CandidateID)
	}
}

func (a *API) simulate(r *request) (any, error) {
	body, err := decodeValid(r, simulation.Validate)
	if err != nil {
		return nil, err
	}
	in := store.SimulationInput{Parsed: body.Parsed, Submission: body.Submission}
	if body.CandidateID != nil {
		in.CandidateID = *body.CandidateID
		// The trace shows what the conditions read of the candidate.
		if !r.principal.Has(dossier.ScopeCandidatesRead) {
			return nil, dossier.Errorf(dossier.CodeForbidden,
				"To simulate with a candidate, the key needs the scope %s.",
				dossier.ScopeCandidatesRead)
		}
	}
	result, err := a.store.Simulate(r.Context(), r.company(), r.param("id"), in)
	return result, err
}
