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

// SessionInput is the body that creates a session: a key, a link, or an attempt to sign in at a
// provider with what the provider sent the browser back with.
type SessionInput struct {
	Key     string `json:"key,omitzero"`     // the whole dsr_…
	Link    string `json:"link,omitzero"`    // the whole dsl_… of a sign-in link
	Attempt string `json:"attempt,omitzero"` // the whole dsa_…
	Code    string `json:"code,omitzero"`
	State   string `json:"state,omitzero"`
	Issuer  string `json:"issuer,omitzero"` // `iss` of RFC 9207, where the provider sends it
}

const (
	maxSignIn = 300  // characters of a key, a link or an attempt
	maxCode   = 8000 // characters of a code or state
)

// Validate records what is wrong with the form of the credential.
func (in SessionInput) Validate(p *Problems) {
	switch {
	case in.Key == "" && in.Link == "" && in.Attempt == "":
		p.Add("/key", ProblemRequired,
			"Either a key, a sign-in link or an attempt with its code is required.")
	case in.Key != "" && in.Link != "":
		p.Say("/link", ProblemNotAllowed, "cannot be combined with a key")
	case in.Attempt != "" && in.Key+in.Link != "":
		p.Say("/attempt", ProblemNotAllowed, "cannot be combined with a key or a link")
	}
	p.OptionalText("/key", in.Key, maxSignIn)
	p.OptionalText("/link", in.Link, maxSignIn)
	p.OptionalText("/attempt", in.Attempt, maxSignIn)
	for _, sent := range []struct{ pointer, text string }{{"/code", in.Code},
		{"/state", in.State}, {"/issuer", in.Issuer}} {
		switch {
		case in.Attempt == "" && sent.text != "":
			p.Say(sent.pointer, ProblemNotAllowed, "belongs to an attempt")
		case in.Attempt != "" && sent.text == "" && sent.pointer != "/issuer":
			p.Say(sent.pointer, ProblemRequired, "is missing")
		}
		p.OptionalText(sent.pointer, sent.text, maxCode)
	}
}
