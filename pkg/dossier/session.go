package dossier

// Session is the sign-in of a principal and its end.
type Session struct {
	Token     string         `json:"token,omitzero"` // the whole dss_…, once, when it is made
	Company   SessionCompany `json:"company"`
	Principal Actor          `json:"principal"`
	Scopes    []string       `json:"scopes"`
	// zero: the credential does not end by itself
	ExpiresAt Time `json:"expiresAt,omitzero"`
}

// SessionCompany names the company whose data a session reaches.
type SessionCompany struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// SessionInput is the body that creates a session: exactly one of its members is given.
type SessionInput struct {
	Key  string `json:"key,omitzero"`  // the whole dsr_…
	Link string `json:"link,omitzero"` // the whole dsl_… of a sign-in link
}

const maxSignIn = 300 // characters of a key or a link

// Validate records what is wrong with the form of the key or link.
func (in SessionInput) Validate(p *Problems) {
	switch {
	case in.Key == "" && in.Link == "":
		p.Add("/key", ProblemRequired, "Either a key or a sign-in link is required.")
	case in.Key != "" && in.Link != "":
		p.Say("/link", ProblemNotAllowed, "cannot be combined with a key")
	}
	p.OptionalText("/key", in.Key, maxSignIn)
	p.OptionalText("/link", in.Link, maxSignIn)
}
