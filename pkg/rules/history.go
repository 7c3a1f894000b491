package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// History counts the differences between saved and proposed rules, document by document.
type History struct {
	result     dossier.RuleHistory
	candidates map[string]bool
	got, lost  map[string]*dossier.HistoryEffect // by effectLine
	statuses   map[[2]string]*dossier.HistoryStatus
	rules      []dossier.HistoryRule
	savedAt    []int // positions of the saved rules in rules
}

// NewHistory returns the counts of no document.
func NewHistory(saved, proposed []dossier.Rule) *History {
	h := &History{candidates: map[string]bool{}, got: map[string]*dossier.HistoryEffect{},
		lost:     map[string]*dossier.HistoryEffect{},
		statuses: map[[2]string]*dossier.HistoryStatus{}}
	add := func(id string, position int) {
		h.rules = append(h.rules, dossier.HistoryRule{ID: id, Position: position,
			Examples: []dossier.HistoryExample{}})
	}
	for n, r := range proposed {
		add(r.ID, n+1)
	}
	for _, r := range saved {
		at := slices.IndexFunc(proposed, func(p dossier.Rule) bool { return p.ID == r.ID })
		if at < 0 {
			at = len(h.rules)
			add(r.ID, 0)
		}
		h.savedAt = append(h.savedAt, at)
	}
	return h
}

// Skip counts a document of which no facts are kept.
func (h *History) Skip() { h.result.Skipped++ }

// Add counts a document with the outcomes of the saved rules and of the proposed ones.
func (h *History) Add(of dossier.HistoryExample, saved, proposed Outcome) {
	h.result.Compared++
	got := subtractEffects(proposed.Changes, saved.Changes)
	lost := subtractEffects(saved.Changes, proposed.Changes)
	count(h.got, got, of)
	count(h.lost, lost, of)
	if saved.Status != proposed.Status {
		pair := [2]string{saved.Status, proposed.Status}
		s := h.statuses[pair]
		if s == nil {
			s = &dossier.HistoryStatus{Before: pair[0], Now: pair[1]}
			h.statuses[pair] = s
		}
		s.Count, s.Examples = s.Count+1, example(s.Examples, of)
	}
	if len(got)+len(lost) > 0 || saved.Status != proposed.Status {
		h.result.Different++
		h.candidates[of.CandidateID] = true
	}
	h.addRules(of, saved.Rules, proposed.Rules)
}

// addRules counts which rules matched a document.
func (h *History) addRules(of dossier.HistoryExample, saved, proposed []dossier.RuleResult) {
	before, now := make([]bool, len(h.rules)), make([]bool, len(h.rules))
	for n, r := range saved {
		before[h.savedAt[n]] = r.Matched
	}
	for n, r := range proposed {
		now[n] = r.Matched
	}
	for n := range h.rules {
		r := &h.rules[n]
		if before[n] {
			r.MatchedBefore++
		}
		if now[n] {
			r.MatchedNow++
		}
		if before[n] != now[n] {
			r.Examples = example(r.Examples, of)
		}
	}
}

// Result returns the differences, the most frequent first. more says that documents were left out.
func (h *History) Result(more bool) dossier.RuleHistory {
	r := h.result
	r.More, r.Candidates, r.Rules = more, len(h.candidates), slices.Clone(h.rules)
	r.Got, r.Lost = effectsByCount(h.got), effectsByCount(h.lost)
	r.Statuses = []dossier.HistoryStatus{}
	for _, s := range h.statuses {
		r.Statuses = append(r.Statuses, *s)
	}
	slices.SortFunc(r.Statuses, func(a, b dossier.HistoryStatus) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Before+" "+a.Now, b.Before+" "+b.Now))
	})
	return r
}

func effectsByCount(counts map[string]*dossier.HistoryEffect) []dossier.HistoryEffect {
	list := make([]dossier.HistoryEffect, 0, len(counts))
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, *counts[key])
	}
	slices.SortStableFunc(list, func(a, b dossier.HistoryEffect) int { return b.Count - a.Count })
	return list
}

func count(counts map[string]*dossier.HistoryEffect, effects []dossier.RuleEffect,
	of dossier.HistoryExample) {
	for _, e := range effects {
		line := effectLine(e)
		c := counts[line]
		if c == nil {
			c = &dossier.HistoryEffect{Type: e.Type, Value: e.Value, Set: e.Set}
			counts[line] = c
		}
		c.Count, c.Examples = c.Count+1, example(c.Examples, of)
	}
}

func example(list []dossier.HistoryExample, of dossier.HistoryExample) []dossier.HistoryExample {
	if len(list) == dossier.MaxHistoryExamples {
		return list
	}
	return append(list, of)
}

// subtractEffects returns the effects that others do not have.
func subtractEffects(effects, others []dossier.RuleEffect) (left []dossier.RuleEffect) {
	lines := effectLines(others)
	for _, e := range effects {
		if !slices.Contains(lines, effectLine(e)) {
			left = append(left, e)
		}
	}
	return left
}
