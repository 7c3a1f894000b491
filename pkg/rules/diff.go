package rules

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Equal reports whether two submissions are the same, ids of rules included.
func Equal(a, b dossier.Submission) bool {
	return slices.EqualFunc(a.Rules, b.Rules, func(a, b dossier.Rule) bool {
		return a.ID == b.ID && a.Mode == b.Mode && a.ConditionsType == b.ConditionsType &&
			sameConditions(a, b) && sameActions(a, b)
	}) && sameTests(a, b)
}

func sameConditions(a, b dossier.Rule) bool {
	return slices.EqualFunc(a.Conditions, b.Conditions, func(a, b dossier.Condition) bool {
		return reflect.DeepEqual(a, b)
	})
}

// sameActions compares actions. Metadata that is absent is the same as an empty object.
func sameActions(a, b dossier.Rule) bool {
	return slices.EqualFunc(a.Actions, b.Actions, func(a, b dossier.Action) bool {
		return a.Type == b.Type && a.Value == b.Value &&
			(len(a.Metadata)+len(b.Metadata) == 0 || reflect.DeepEqual(a.Metadata, b.Metadata))
	})
}

// Diff returns what leads from one submission to another: first the removed rules, then the added
// and changed ones in their new order. A rule is the same one if it has the same id. Of rules whose
// order changed, as few as possible have a new position.
func Diff(before, after dossier.Submission) []dossier.RuleChange {
	old, kept := map[string]int{}, map[string]bool{}
	for n, r := range before.Rules {
		old[r.ID] = n
	}
	var order []int // positions in before of the rules of after
	for _, r := range after.Rules {
		if n, ok := old[r.ID]; ok {
			order, kept[r.ID] = append(order, n), true
		}
	}
	changes := []dossier.RuleChange{}
	for n := range before.Rules {
		if !kept[before.Rules[n].ID] {
			changes = append(changes, dossier.RuleChange{Change: dossier.ChangeRemoved,
				RuleID: before.Rules[n].ID, Members: []string{}, BeforePosition: n + 1,
				Before:  &before.Rules[n],
				Message: fmt.Sprintf("Rule %d was removed.", n+1)})
		}
	}
	stay := rising(order)
	for n := range after.Rules {
		r := &after.Rules[n]
		if !kept[r.ID] {
			changes = append(changes, dossier.RuleChange{Change: dossier.ChangeAdded, RuleID: r.ID,
				Members: []string{}, AfterPosition: n + 1, After: r,
				Message: fmt.Sprintf("Rule %d was added.", n+1)})
			continue
		}
		was := old[r.ID]
		c := changed(&before.Rules[was], r, !stay[was])
		if len(c.Members) == 0 {
			continue
		}
		c.BeforePosition, c.AfterPosition = was+1, n+1
		c.Message = sentenceOf(c)
		changes = append(changes, c)
	}
	return changes
}

// changed compares two versions of a rule.
func changed(before, after *dossier.Rule, moved bool) dossier.RuleChange {
	c := dossier.RuleChange{Change: dossier.ChangeChanged, RuleID: after.ID, Members: []string{},
		Before: before, After: after}
	for n, differs := range []bool{modeOf(*before) != modeOf(*after),
		before.ConditionsType != after.ConditionsType, !sameConditions(*before, *after),
		!sameActions(*before, *after), moved} {
		if differs {
			c.Members = append(c.Members, dossier.RuleMembers[n])
		}
	}
	return c
}

func modeOf(r dossier.Rule) string { return cmp.Or(r.Mode, dossier.ModeLive) }

// sentenceOf returns the message of a changed rule.
func sentenceOf(c dossier.RuleChange) string {
	parts := make([]string, len(c.Members))
	for n, member := range c.Members {
		switch member {
		case "mode":
			parts[n] = fmt.Sprintf("its mode from %s to %s", modeOf(*c.Before), modeOf(*c.After))
		case "conditionsType":
			parts[n] = fmt.Sprintf("its conditionsType from %s to %s", c.Before.ConditionsType,
				c.After.ConditionsType)
		case "position":
			parts[n] = fmt.Sprintf("its position, which was %d", c.BeforePosition)
		default:
			parts[n] = "its " + member
		}
	}
	list := strings.Join(parts, ", ")
	if n := len(parts) - 1; n > 0 {
		list = strings.Join(parts[:n], ", ") + " and " + parts[n]
	}
	return fmt.Sprintf("Rule %d was changed: %s.", c.AfterPosition, list)
}

// rising returns the numbers of a longest rising part of a list of distinct numbers.
func rising(list []int) map[int]bool {
	length, previous, best := make([]int, len(list)), make([]int, len(list)), -1
	for n := range list {
		length[n], previous[n] = 1, -1
		for m := range n {
			if list[m] < list[n] && length[m] >= length[n] {
				length[n], previous[n] = length[m]+1, m
			}
		}
		if best < 0 || length[n] > length[best] {
			best = n
		}
	}
	stay := map[int]bool{}
	for n := best; n >= 0; n = previous[n] {
		stay[list[n]] = true
	}
	return stay
}
