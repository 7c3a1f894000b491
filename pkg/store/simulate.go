package store

import (
	"context"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

// Simulation is what rules would have read, decided and done.
type Simulation struct {
	Rules        []dossier.RuleResult `json:"rules"`
	StatusBefore string               `json:"statusBefore"`
	StatusAfter  string               `json:"statusAfter"`
	Warnings     []dossier.Warning    `json:"warnings"`
}

// SimulationInput is what rules are tried on: a candidate, or none for an empty one, and values as if a check had read them. Submission
// is tried instead of the saved rules where it is given.
type SimulationInput struct {
	CandidateID string
	Parsed      map[string]any
	Submission  *dossier.Submission
}

// Simulate goes the way of a validated document of a type up to the transaction, which it leaves out: write-back, rules, status.
func (t *Store) Simulate(ctx context.Context, company, typeID string, in SimulationInput) (Simulation, error) {
	dt, _, err := t.readType(ctx, company, typeID)
	if err != nil {
		return Simulation{}, err
	}
	if in.Submission != nil && !dt.sharedTo(company) {
		if err := t.reviewSimulated(ctx, company, &dt, *in.Submission); err != nil {
			return Simulation{}, err
		}
	}
	d, err := t.simulated(ctx, company, in.CandidateID, dt, in.Parsed)
	if err != nil {
		return Simulation{}, err
	}
	cand := d.stored.ID[len(prefixCandidate):]
	job := Job{RequestID: requestID(cand, dt.ID[len(prefixType):]), DocumentID: prefixDocument, Submission: dt.Submission,
		WriteBack: dt.WriteBack, Types: dt.WriteTypes, Shared: dt.sharedTo(company), Pass: dt.Pass}
	targets, err := t.readTargets(ctx, company, job)
	if err != nil {
		return Simulation{}, err
	}
	a := t.applying(d, job, targets)
	a.writeBack()
	decision := rules.Decision{}
	if !job.Shared {
		decision = rules.Evaluate(a.now.Time, dt.Submission.Rules, a.facts())
	}
	if err := a.carryOut(decision); err != nil {
		return Simulation{}, err
	}
	for id, r := range a.touched {
		a.cand.Requested[id] = dossier.Requested{State: r.State, Required: r.Required}
	}
	return Simulation{Rules: decision.Rules, StatusBefore: a.before, StatusAfter: a.status(), Warnings: dt.Warnings}, nil
}

// reviewSimulated checks rules as if they were saved, and puts them in the place of the saved ones. New ones get no ids.
func (t *Store) reviewSimulated(ctx context.Context, company string, dt *storedType, submission dossier.Submission) error {
	around, err := t.surroundings(ctx, company)
	if err != nil {
		return err
	}
	var p dossier.Problems
	problems, warnings := rules.Review(submission, around.around(*dt))
	dt.Submission, dt.Warnings = submission, warnings
	p.AddAll(problems)
	return p.Err()
}

// simulated is the dossier of a candidate, or of nobody, with a document of a type in it that holds parsed values.
func (t *Store) simulated(ctx context.Context, company, candidate string, dt storedType, parsed map[string]any) (*Dossier, error) {
	id := t.newID(prefixCandidate)
	d := &Dossier{Company: company, requests: map[string]storedRequest{}, items: map[kv.Key]kv.Item{},
		stored: storedCandidate{Candidate: dossier.Candidate{ID: id, Status: dossier.StatusCollecting}}}
	if candidate != "" {
		cand, ok := bare(prefixCandidate, candidate, 1)
		err := error(dossier.ErrNotFound)
		if ok {
			d, err = t.dossier(ctx, company, cand)
		}
		if errors.Is(err, dossier.ErrNotFound) {
			var p dossier.Problems
			p.Add("/candidateId", "unknown", "There is no candidate %q.", clip(candidate))
			err = p.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	r, asked := d.request(dt.ID)
	if !asked {
		r = newRequest(d.stored.ID[len(prefixCandidate):], dt.ID, storedRequest{}, nil, t.now())
	}
	r.Document = &StoredDocument{Document: dossier.Document{Parsed: parsed}, RequestID: r.ID}
	d.requests[dt.ID[len(prefixType):]] = r
	return d, nil
}
