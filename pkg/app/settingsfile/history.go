package settingsfile

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// overPast describes what the changed rules of a document type would have done to past documents,
// the newest dossier.MaxHistory. It returns nothing for a change that leaves the rules alone.
func (p *Plan) overPast(ctx context.Context, c change) ([]string, error) {
	if c.op != opUpdate || c.kind.section != documentTypes ||
		reflect.DeepEqual(c.before["rules"], c.after["rules"]) {
		return nil, nil
	}
	const untried = "Not tried over past documents: "
	proposed, unknown := p.live.names.toAPI(entity{"rules": c.after["rules"]})
	if len(unknown) > 0 {
		var missing []string
		for _, r := range unknown {
			missing = append(missing, fmt.Sprintf("the %s %q", kindOf(r.section).word, r.name))
		}
		slices.Sort(missing)
		return []string{untried + "an apply first makes " +
			strings.Join(slices.Compact(missing), ", ") + "."}, nil
	}
	submission, err := converted[client.SubmissionInput](proposed["submission"], nil)
	if err != nil {
		return nil, err
	}
	if submission.Rules == nil {
		submission.Rules = []client.RuleInput{}
	}
	// A day more, for clocks that differ.
	over := client.SimulateOver{From: time.Unix(0, 0).UTC(), To: time.Now().UTC().AddDate(0, 0, 1)}
	would, err := p.client.SimulateSubmission(ctx, c.id, nil,
		client.SimulateRequest{Over: &over, Submission: &submission})
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status < http.StatusInternalServerError {
		return []string{untried + refused.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	return p.historyLines(*would.Value.Over), nil
}

// historyLines describes a comparison of proposed rules with the saved ones.
func (p *Plan) historyLines(h client.RuleHistory) []string {
	if h.Compared == 0 {
		return append([]string{"There are no past documents to try the rules on."},
			skippedLine(h)...)
	}
	lines := []string{fmt.Sprintf("Over the last %s: %d with another result, of %s.",
		number(h.Compared, "past document"), h.Different, number(h.Candidates, "candidate"))}
	for _, e := range h.Got {
		lines = append(lines, fmt.Sprintf("  only with the new rules: %s, %s", p.effect(e),
			number(e.Count, "time")))
	}
	for _, e := range h.Lost {
		lines = append(lines, fmt.Sprintf("  only with the present rules: %s, %s", p.effect(e),
			number(e.Count, "time")))
	}
	for _, s := range h.Statuses {
		lines = append(lines, fmt.Sprintf("  candidates %s instead of %s: %s", s.Now, s.Before,
			number(s.Count, "time")))
	}
	// The rules of a file have no ids, so none is found among the saved ones.
	for n, r := range h.Rules {
		if r.Position != nil {
			lines = append(lines, fmt.Sprintf("  the new rule %d matches %d", *r.Position,
				r.MatchedNow))
		} else {
			lines = append(lines, fmt.Sprintf("  the present rule %d matches %d",
				n-newRules(h.Rules)+1, r.MatchedBefore))
		}
	}
	return append(lines, skippedLine(h)...)
}

// newRules counts the rules of the request, which come first.
func newRules(all []client.HistoryRule) (n int) {
	for _, r := range all {
		if r.Position != nil {
			n++
		}
	}
	return n
}

// skippedLine says that documents were left out.
func skippedLine(h client.RuleHistory) []string {
	if h.Skipped == 0 {
		return nil
	}
	return []string{fmt.Sprintf("  left out, because their facts are not kept: %s",
		number(h.Skipped, "document"))}
}

// effect describes what rules do to a candidate, in the words of the file.
func (p *Plan) effect(e client.HistoryEffect) string {
	value := e.Value
	if name, known := p.live.names.byID[value]; known {
		value = name
	}
	if string(e.Type) == dossier.EffectSetField {
		return fmt.Sprintf("%s %s to %s", e.Type, value, shown(e.Set))
	}
	return fmt.Sprintf("%s %q", e.Type, value)
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
