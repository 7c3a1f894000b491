package rules

import (
	"fmt"
	"strings"
)

// maxShown is how many characters of a client's own text a message repeats.
const maxShown = 60

func quoted(s string) string {
	left := maxShown
	return fmt.Sprintf("%q", clipText(s, &left))
}

// didYouMean returns a sentence that names the nearest of the list, or "" if none is near.
func (v *review) didYouMean(s string, list []string) string {
	if len(v.problems) == maxProblems {
		return "" // add drops the problem
	}
	best, least := "", max(2, min(length(s), maxShown)/3)+1
	for _, candidate := range list {
		if d := distance(strings.ToLower(s), strings.ToLower(candidate), least); d < least {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

// distance counts the single-character edits between two texts, and may stop counting at limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d >= limit || -d >= limit {
		return limit
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			change := diagonal
			if x[i] != y[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
