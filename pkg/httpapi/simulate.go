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
	Over        *simulationOver     `json:"over"`
	Tests       bool                `json:"tests"`
}

// simulationOver names the past documents of a simulation.
type simulationOver struct {
	From  *dossier.Time `json:"from"`
	To    *dossier.Time `json:"to"`
	Limit *int          `json:"limit"`
}

// Validate records what is wrong with the input by itself.
func (in simulation) Validate(p *dossier.Problems) {
	switch {
	case in.Tests:
		in.validateTests(p)
		return
	case in.Over != nil:
		in.validateOver(p)
		return
	}
	if in.Parsed == nil {
		p.Say("/parsed", dossier.ProblemRequired, "is missing")
	}
	p.Parsed("/parsed", in.Parsed)
	if in.CandidateID != nil {
		p.ID("/candidateId", *in.CandidateID)
	}
}

func (in simulation) validateTests(p *dossier.Problems) {
	const say = "Tests have values and candidates of their own. Leave %s out, or tests."
	for name, given := range map[string]bool{"parsed": in.Parsed != nil, "over": in.Over != nil,
		"candidateId": in.CandidateID != nil} {
		if given {
			p.Add("/"+name, dossier.ProblemNotAllowed, say, name)
		}
	}
}

func (in simulation) validateOver(p *dossier.Problems) {
	if in.Submission == nil {
		p.Say("/submission", dossier.ProblemRequired, "is missing")
	}
	if in.Parsed != nil {
		p.Add("/parsed", dossier.ProblemNotAllowed,
			"The values of past documents are read. Leave parsed out, or over.")
	}
	if in.CandidateID != nil {
		p.Add("/candidateId", dossier.ProblemNotAllowed,
			"Past documents of all candidates are read. Leave candidateId out, or over.")
	}
	o := in.Over
	if o.From == nil {
		p.Say("/over/from", dossier.ProblemRequired, "is missing")
	}
	if o.To == nil {
		p.Say("/over/to", dossier.ProblemRequired, "is missing")
	}
	if o.From != nil && o.To != nil && o.From.After(o.To.Time) {
		p.Say("/over/from", dossier.ProblemOutOfRange, "is after to")
	}
	if o.Limit != nil && (*o.Limit < 1 || *o.Limit > dossier.MaxHistory) {
		p.Say("/over/limit", dossier.ProblemOutOfRange, "is not between 1 and %d",
			dossier.MaxHistory)
	}
}

func (a *API) simulate(r *request) (any, error) {
	body, err := decodeValid(r, simulation.Validate)
	if err != nil {
		return nil, err
	}
	// The trace shows what the conditions read of the candidate.
	readsCandidates := body.CandidateID != nil || body.Over != nil
	if body.Tests {
		err = r.needs("Running the tests", dossier.ScopeSettingsRead)
	} else if readsCandidates && !r.principal.Has(dossier.ScopeCandidatesRead) {
		err = dossier.Errorf(dossier.CodeForbidden,
			"To simulate with candidates, the key needs the scope %s.",
			dossier.ScopeCandidatesRead)
	}
	if err != nil {
		return nil, err
	}
	end, err := a.simulations.begin(r.Context(), r.company(), body.Tests || body.Over != nil,
		a.cfg.Now)
	if err != nil {
		return nil, err
	}
	defer end()
	return a.runSimulation(r, body)
}

// runSimulation has the store do what a simulation asks for.
func (a *API) runSimulation(r *request, body simulation) (any, error) {
	if body.Tests {
		return a.store.SimulateTests(r.Context(), r.company(), r.param("id"), body.Submission)
	}
	if o := body.Over; o != nil {
		over := store.History{From: *o.From, To: *o.To, Limit: dossier.MaxHistory}
		if o.Limit != nil {
			over.Limit = *o.Limit
		}
		return a.store.SimulateHistory(r.Context(), r.company(), r.param("id"), *body.Submission,
			over)
	}
	in := store.SimulationInput{Parsed: body.Parsed, Submission: body.Submission}
	if body.CandidateID != nil {
		in.CandidateID = *body.CandidateID
	}
	return a.store.Simulate(r.Context(), r.company(), r.param("id"), in)
}
