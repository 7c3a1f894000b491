package store

import (
	"context"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

// Simulation is the result of rules that were only simulated: the values they read, their decisions
// and their actions; or, over past documents, only the differences to the saved rules; or the
// results of their tests.
type Simulation struct {
	Rules        []dossier.RuleResult     `json:"rules,omitzero"`
	StatusBefore string                   `json:"statusBefore,omitzero"`
	StatusAfter  string                   `json:"statusAfter,omitzero"`
	Over         *dossier.RuleHistory     `json:"over,omitzero"`
	Tests        []dossier.RuleTestResult `json:"tests,omitzero"`
	Warnings     []dossier.Warning        `json:"warnings"`
}

// SimulationInput is the input of a simulation: a candidate, or none for an empty one, and values
// as if a check had read them. Submission, where it is given, replaces the saved rules.
type SimulationInput struct {
	CandidateID string
	Parsed      map[string]any
	Submission  *dossier.Submission
}

// Simulate does what a validated document of a type causes (write-back, rules, status), without the
// transaction.
func (s *Store) Simulate(ctx context.Context, company, typeID string,
	in SimulationInput) (Simulation, error) {
	dt, _, err := s.readType(ctx, company, typeID)
	if err != nil {
		return Simulation{}, err
	}
	if in.Submission != nil && !dt.sharedTo(company) {
		if err := s.reviewSimulated(ctx, company, &dt, *in.Submission); err != nil {
			return Simulation{}, err
		}
	}
	d, err := s.simulatedSnapshot(ctx, company, in.CandidateID, dt, in.Parsed)
	if err != nil {
		return Simulation{}, err
	}
	job := dt.job(company, d.at.id.DocumentType(dossier.DocumentTypeID(dt.ID)),
		dossier.PrefixDocument)
	targets, err := s.readTargets(ctx, company, job)
	if err != nil {
		return Simulation{}, err
	}
	a := s.newRuleRunTx(d, job, targets)
	decision, err := a.apply()
	if err != nil {
		return Simulation{}, err
	}
	if decision.Rules == nil {
		decision.Rules = []dossier.RuleResult{}
	}
	rules.WhyNot(decision.Rules)
	return Simulation{Rules: decision.Rules, StatusBefore: a.before, StatusAfter: a.status(),
		Warnings: dt.Warnings}, nil
}

// reviewSimulated checks rules as if they were saved, and puts them in the place of the saved ones.
// New ones get no ids.
func (s *Store) reviewSimulated(ctx context.Context, company string, dt *storedType,
	submission dossier.Submission) error {
	var p dossier.Problems
	if submission.Tests != nil {
		p.Add("/submission/tests", dossier.ProblemNotAllowed,
			"Tests run when the rules are saved, not in a simulation.")
		return p.Err()
	}
	around, err := s.ruleContext(ctx, company)
	if err != nil {
		return err
	}
	problems, warnings := rules.Review(submission, around.knownFor(*dt))
	dt.Submission, dt.Warnings = submission, warnings
	p.AddAll(problems)
	return p.Err()
}

// simulatedSnapshot returns the dossier of a candidate, or of nobody, with a document of a type in
// it that holds parsed values.
func (s *Store) simulatedSnapshot(ctx context.Context, company, candidate string, dt storedType,
	parsed map[string]any) (*snapshot, error) {
	at := candidateRef{company, dossier.CandidateID(s.newID(dossier.PrefixCandidate))}
	d := &snapshot{at: at, requests: map[dossier.DocumentTypeID]storedCDT{},
		items: map[kv.Key]kv.Item{},
		stored: storedCandidate{Candidate: dossier.Candidate{ID: string(at.id),
			Status: dossier.StatusCollecting}}}
	if candidate != "" {
		at, err := parseRef(company, candidate)
		if err == nil {
			d, err = s.readSnapshot(ctx, at)
		}
		if errors.Is(err, dossier.ErrNotFound) {
			var p dossier.Problems
			p.Add("/candidateId", dossier.ProblemUnknown, "There is no candidate with the id %q.",
				dossier.Clip(candidate))
			err = p.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	id := dossier.DocumentTypeID(dt.ID)
	r, requested := d.requests[id]
	if !requested {
		r = newCDT(d.at.id.DocumentType(id), storedCDT{}, nil, s.now())
	}
	r.Document = &StoredDocument{Document: dossier.Document{Parsed: parsed}, RequestID: r.ID}
	d.requests[id] = r
	return d, nil
}
