package dossier

import (
	"slices"
)

// Principal is an authenticated caller: an administrator or an integration by a key, or a candidate
// by a token.
type Principal struct {
	Kind        string // one of the Kind constants
	ID          string // of the key, the token's candidate, or the subject of a JWT
	LogID       string // what the log calls it, where the ID may be personal
	Name        string
	CompanyID   string
	CandidateID string // of a candidate's token
	Scopes      []string
}

// Has reports whether the principal carries a scope; the write scope of a resource includes its
// read scope.
func (p Principal) Has(scope string) bool {
	if slices.Contains(p.Scopes, scope) {
		return true
	}
	const read = ":read"
	n := len(scope) - len(read)
	return n > 0 && scope[n:] == read && slices.Contains(p.Scopes, scope[:n]+":write")
}

// Author returns the principal as the author of a message.
func (p Principal) Author() Author {
	if p.Kind == KindCandidate {
		return Author{Type: KindCandidate, ID: p.CandidateID, Name: p.Name}
	}
	return Author{Type: KindAdministrator, ID: p.ID, Name: p.Name}
}

// The kinds of principals.
const (
	KindAdministrator = "administrator"
	KindIntegration   = "integration"
	KindCandidate     = "candidate"
)
