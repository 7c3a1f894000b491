package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// after says what becomes of a candidate when a document of theirs is validated, as far as the
// simulation knows.
func (p *page) after(c dossier.CandidateDocumentType, name string, would simulated) string {
	switch would.StatusAfter {
	case dossier.StatusApproved:
		return "Then " + name + " is approved."
	case dossier.StatusRejected:
		return name + " stays rejected."
	case dossier.StatusInReview:
		return "Then " + name + " waits for your decision on other documents."
	}
	all, more, err := list[dossier.CandidateDocumentType](p.api, "/candidateDocumentTypes",
		url.Values{"filter[candidateId]": {c.CandidateID}}, dossier.MaxListed)
	missing := stillMissing(all, c.ID, would.Rules)
	switch {
	case err != nil || more || len(missing) == 0 && !asksForMore(would.Rules):
		return "Then the status of " + name + " is " + badgeOf(would.StatusAfter).Word + "."
	case len(missing) == 0:
		return "Then " + name + " is asked for what its rules add."
	case asksForMore(would.Rules):
		missing = append(missing, "what its rules add")
	}
	return "Then " + name + " still has to send: " + strings.Join(missing, ", ") + "."
}

// stillMissing names the required documents that the candidate has to send, but for one and for
// those that the rules take back.
func stillMissing(all []dossier.CandidateDocumentType, but string,
	rules []dossier.RuleResult) []string {
	var names []string
	for _, r := range all {
		waits := slices.Contains([]string{dossier.StateRequested, dossier.StateUploaded,
			dossier.StateNeedsResubmission, dossier.StateRejected, dossier.StateExpired}, r.State)
		if r.ID != but && r.Required && waits &&
			!does(rules, dossier.ActionRemoveDocumentType, r.DocumentType.ID) {
			names = append(names, r.DocumentType.Name)
		}
	}
	return names
}

// asksForMore reports whether rules ask for a document.
func asksForMore(rules []dossier.RuleResult) bool {
	return does(rules, dossier.ActionAddDocumentType, "")
}

// does reports whether a rule has an effect on something, or on anything where it is empty.
func does(rules []dossier.RuleResult, action, on string) bool {
	return slices.ContainsFunc(rules, func(r dossier.RuleResult) bool {
		return slices.ContainsFunc(r.Actions, func(a dossier.ActionResult) bool {
			return a.Changed && a.Type == action && (on == "" || a.Value == on)
		})
	})
}
