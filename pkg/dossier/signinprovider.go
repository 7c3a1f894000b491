package dossier

import (
	"slices"
	"strings"
)

// SignInProvider is an OpenID Connect provider at which the people of a company sign in as
// administrators. Its client secret is never shown.
type SignInProvider struct {
	ID              string        `json:"id"`
	Name            string        `json:"name"`
	Issuer          string        `json:"issuer"` // its address, as in the claim `iss`
	ClientID        string        `json:"clientId"`
	ClientSecretSet bool          `json:"clientSecretSet"`
	Domains         []string      `json:"domains"`     // of verified e-mail addresses; empty: any
	Scopes          []string      `json:"scopes"`      // of everybody in one of the domains
	GroupsClaim     string        `json:"groupsClaim"` // the claim with a person's groups
	Groups          []SignInGroup `json:"groups"`
	Active          bool          `json:"active"`
	CreatedAt       Time          `json:"createdAt"`
	UpdatedAt       Time          `json:"updatedAt"`
}

// SignInGroup gives scopes to the members of a group at the provider.
type SignInGroup struct {
	Name   string   `json:"name"` // as it stands in the claim
	Scopes []string `json:"scopes"`
}

// SignInProviderInput is the body that creates or changes a sign-in provider.
type SignInProviderInput struct {
	Name     string `json:"name"`
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
	// KeptSecret where a change keeps it; empty: the client is a public one
	ClientSecret string        `json:"clientSecret,omitzero"`
	Domains      []string      `json:"domains"`
	Scopes       []string      `json:"scopes"`
	GroupsClaim  *string       `json:"groupsClaim,omitzero"` // [groups]
	Groups       []SignInGroup `json:"groups"`
	Active       *bool         `json:"active,omitzero"` // [true]
}

// KeptSecret stands for the stored client secret in an input that does not change it.
const KeptSecret = "\x00"

// DefaultGroupsClaim is the claim with a person's groups where a provider names none.
const DefaultGroupsClaim = "groups"

// Limits of sign-in providers.
const (
	MaxSignInProviders = 10 // of a company
	MaxSignInDomains   = 50
	MaxSignInGroups    = 50
	MaxClientSecret    = 1000 // characters
)

// Validate records what is wrong with the input by itself.
func (in SignInProviderInput) Validate(p *Problems, check CheckURL) {
	p.Line("/name", in.Name, MaxName)
	p.URL("/issuer", in.Issuer, check)
	if strings.Contains(in.Issuer, "?") {
		p.Say("/issuer", ProblemMalformed, "must not have a query")
	}
	p.Line("/clientId", in.ClientID, MaxName)
	if in.ClientSecret != KeptSecret {
		p.OptionalText("/clientSecret", in.ClientSecret, MaxClientSecret)
	}
	for n := range p.Count("/domains", len(in.Domains), MaxSignInDomains) {
		if !isDomain(in.Domains[n]) {
			p.Say(Element("/domains", n), ProblemMalformed,
				"must be the domain of an e-mail address, such as example.com")
		}
	}
	p.Distinct("/domains", in.Domains, MaxSignInDomains)
	validScopes(p, "/scopes", in.Scopes)
	if in.GroupsClaim != nil {
		p.Line("/groupsClaim", *in.GroupsClaim, MaxReference)
	}
	for n := range p.Count("/groups", len(in.Groups), MaxSignInGroups) {
		g, at := in.Groups[n], Element("/groups", n)
		p.Line(at+"/name", g.Name, MaxName)
		repeats := func(o SignInGroup) bool { return o.Name == g.Name }
		if slices.ContainsFunc(in.Groups[:n], repeats) {
			p.Say(at+"/name", ProblemDuplicate, "repeats that of an earlier group")
		}
		validScopes(p, at+"/scopes", g.Scopes)
	}
	in.validateGiven(p)
}

// validateGiven refuses an input with which nobody could sign in, or everybody with an account at a
// public provider.
func (in SignInProviderInput) validateGiven(p *Problems) {
	switch {
	case len(in.Scopes) == 0 && len(in.Groups) == 0:
		p.Add("/scopes", ProblemRequired,
			"Scopes are needed, either for everybody in the domains or for groups.")
	case len(in.Scopes) > 0 && len(in.Domains) == 0:
		p.Add("/domains", ProblemRequired,
			"The domains of the people who get the scopes are missing.")
	}
}

func validScopes(p *Problems, pointer string, scopes []string) {
	for n := range p.Count(pointer, len(scopes), len(Scopes)) {
		p.Word(Element(pointer, n), scopes[n], Scopes)
	}
	p.Distinct(pointer, scopes, len(Scopes))
}

// isDomain reports whether a text is a domain name in ASCII with at least two labels.
func isDomain(text string) bool {
	labels := strings.Split(strings.ToLower(text), ".")
	bad := func(label string) bool {
		return label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != ""
	}
	return len(text) <= 253 && len(labels) > 1 && !slices.ContainsFunc(labels, bad)
}

// SignedIn holds the claims about a person who signed in.
type SignedIn struct {
	ID     string   // sub_…, of the issuer and the subject
	Name   string   // what people call the person
	Domain string   // of the verified e-mail address, in lower case; empty: there is none
	Groups []string // all groups that the provider names
}

// ScopesOf returns what the provider gives to a person, in the order of Scopes: nothing to somebody
// who may not sign in.
func (s SignInProvider) ScopesOf(who SignedIn) []string {
	in := func(domain string) bool { return strings.EqualFold(domain, who.Domain) }
	if !s.Active || len(s.Domains) > 0 &&
		(who.Domain == "" || !slices.ContainsFunc(s.Domains, in)) {
		return nil
	}
	given := slices.Clone(s.Scopes)
	if len(s.Domains) == 0 {
		given = nil
	}
	for _, g := range s.Groups {
		if slices.Contains(who.Groups, g.Name) {
			given = append(given, g.Scopes...)
		}
	}
	return slices.DeleteFunc(slices.Clone(Scopes), func(scope string) bool {
		return !slices.Contains(given, scope)
	})
}

// GroupsOf returns those of a person's groups that the provider gives something to.
func (s SignInProvider) GroupsOf(who SignedIn) []string {
	var named []string
	for _, g := range s.Groups {
		if slices.Contains(who.Groups, g.Name) {
			named = append(named, g.Name)
		}
	}
	return named
}

// Gives returns every scope that the provider gives to anybody.
func (in SignInProviderInput) Gives() []string {
	all := slices.Clone(in.Scopes)
	for _, g := range in.Groups {
		all = append(all, g.Scopes...)
	}
	return all
}
