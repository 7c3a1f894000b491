package rules

import (
	"fmt"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// maxShown bounds the characters of a client's own text that a message repeats.
const maxShown = 60

func quoted(s string) string {
	left := maxShown
	return fmt.Sprintf("%q", clipText(s, &left))
}

// hint returns a sentence that names the nearest of the list, or all if they are few.
func (v *review) hint(s string, list []string, what string) string {
	if len(v.problems) == maxProblems {
		return "" // add drops the problem
	}
	return dossier.Hint(s, list, what)
}
