package web

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// decisions are the decisions that the API takes about a document in its state.
type decisions struct{ Validate, Ask, Reject bool }

// Any reports whether there is one.
func (d decisions) Any() bool { return d.Validate || d.Ask || d.Reject }

// decisions fills in what a person can decide, also about a document that was decided on.
func (p *page) decisions(v *reviewView) error {
	r := v.Request
	if r.Document == nil {
		return nil
	}
	v.Can = decisions{Validate: dossier.CanGo(r.State, dossier.StateValidated),
		Ask:    dossier.CanGo(r.State, dossier.StateNeedsResubmission),
		Reject: dossier.CanGo(r.State, dossier.StateRejected)}
	switch r.State {
	case dossier.StateProcessing, dossier.StateUploaded:
		v.Can = decisions{}
	case dossier.StateNeedsResubmission:
		v.Change = "It can’t be validated any more: the candidate was told to send another one."
	case dossier.StateRejected:
		ran, err := p.rulesRan(r)
		if err != nil {
			return err
		}
		if ran {
			v.Can.Validate = false
			v.Change = "It can’t be validated again: its rules have run already, and run once " +
				"for each document. The candidate has to send it again."
		}
	}
	return nil
}

// rulesRan reports whether the rules of the newest document have run: it was validated before.
func (p *page) rulesRan(r dossier.CandidateDocumentType) (bool, error) {
	var runs []dossier.RuleRun
	err := allowed(p, &runs, "/candidateDocumentTypes/"+r.ID+"/ruleRuns", nil)()
	return slices.ContainsFunc(runs, func(run dossier.RuleRun) bool {
		return run.DocumentID == r.Document.ID
	}), err
}
