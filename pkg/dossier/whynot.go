package dossier

import (
	"slices"
	"strconv"
	"strings"
)

// NeededChange is one value that would have to be another one for a rule to match. The needed
// changes of a rule are as few as possible: without any one of them it would still not match.
type NeededChange struct {
	Conditions []int  `json:"conditions"` // positions of the rule's conditions that it makes true
	Type       string `json:"type"`       // ConditionFields or ConditionContext
	Reference  string `json:"reference"`
	Value      any    `json:"value,omitzero"` // a value that would do; absent: none at all
	Message    string `json:"message"`        // a sentence
}

// Needs returns what follows "would have to" in the sentence about the change. shown returns the
// values that a condition compares with, as they are shown; an empty one stands for no value.
func (n NeededChange) Needs(conditions []ConditionResult,
	shown func(ConditionResult) []string) string {
	var parts []string
	for _, at := range n.Conditions {
		// Other conditions read what lies around or within the value.
		if c := conditions[at]; c.Type == n.Type && c.Reference == n.Reference {
			if part := c.needs(shown(c)); !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, " and ")
	}
	if text, _ := ScalarText(n.Value); text != "" {
		return "be " + Clip(text)
	}
	return "be empty"
}

// needs returns what one false condition asks of its value.
func (c ConditionResult) needs(values []string) string {
	v := Compared{List: c.readsList()}
	for _, text := range values {
		if text = strings.TrimSpace(text); text != "" {
			v.Named = append(v.Named, Clip(text))
		} else {
			v.OrEmpty = true
		}
	}
	needs := OperatorNamed(c.Operator).Needs
	if needs == nil {
		return "be another one" // an operator that does not exist any more
	}
	return needs(v)
}

// Compared holds the values that a condition compares with, as a sentence names them.
type Compared struct {
	Named   []string // without empty ones
	OrEmpty bool     // an empty text is one of them
	List    bool     // what was read is a list
}

func beEmpty(Compared) string { return "be empty" }

func haveValue(Compared) string { return "have a value" }

func beContaining(v Compared) string { return "contain " + enumerate(v.Named, "or") }

func beEqual(v Compared) string {
	switch {
	case len(v.Named) == 0:
		return "be empty"
	case v.List:
		return "be exactly " + enumerate(v.Named, "and")
	case v.OrEmpty:
		return "be " + enumerate(append(v.Named, "empty"), "or")
	}
	return "be " + enumerate(v.Named, "or")
}

func beUnequal(v Compared) string {
	switch n := len(v.Named); {
	case n == 0:
		return "have a value"
	case v.List:
		return "be anything but exactly " + enumerate(v.Named, "and")
	case v.OrEmpty:
		return "have a value other than " + enumerate(v.Named, "and")
	case n == 1:
		return "differ from " + v.Named[0]
	case n == 2:
		return "be neither " + enumerate(v.Named, "nor")
	}
	return "be none of " + enumerate(v.Named, "and")
}

func beWithout(v Compared) string {
	switch len(v.Named) {
	case 1:
		return "be without " + v.Named[0]
	case 2:
		return "contain neither " + enumerate(v.Named, "nor")
	}
	return "contain none of " + enumerate(v.Named, "and")
}

// readsList reports whether the condition read a list: of ids, or as the parser read one.
func (c ConditionResult) readsList() bool {
	if c.Type == ConditionContext {
		switch c.Reference {
		case "documentTypes", "forms", "presets":
			return true
		}
	}
	_, list := c.Read.([]any)
	return list
}

// maxNamed bounds the values that a sentence names.
const maxNamed = 8

// enumerate joins words with commas, and the last with a conjunction.
func enumerate(words []string, conjunction string) string {
	n := len(words)
	if more := n - maxNamed; more > 1 {
		rest := strconv.Itoa(more) + " others"
		if conjunction == "or" {
			rest = "one of " + rest
		}
		words, n = append(slices.Clone(words[:maxNamed]), rest), maxNamed+1
	}
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " " + conjunction + " " + words[n-1]
}

// Values returns the value that the condition compares with as texts: one, or those of its list.
func (c ConditionResult) Values() []string {
	list, ok := c.Value.([]any)
	if !ok {
		list = []any{c.Value}
	}
	texts := make([]string, 0, len(list))
	for _, e := range list {
		if text, ok := ScalarText(e); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
