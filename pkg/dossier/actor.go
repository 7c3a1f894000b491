package dossier

import "cmp"

// Actor names who did something, as events, documents and sessions tell it.
type Actor struct {
	Kind string `json:"kind"` // one of the Kind constants, or AuthorSystem
	ID   string `json:"id"`
	// empty for a candidate: events and logs hold no personal name of theirs
	Name string `json:"name,omitzero"`
}

// Label returns the name, or the id of who has none.
func (a Actor) Label() string { return cmp.Or(a.Name, a.ID) }

// Actor returns the principal as the one who did something.
func (p Principal) Actor() Actor {
	if p.Kind == KindCandidate {
		return Actor{Kind: KindCandidate, ID: p.CandidateID}
	}
	return Actor{Kind: p.Kind, ID: p.ID, Name: p.Name}
}
