package dossier

// Session says who is signed in with a credential, and until when.
type Session struct {
	Token     string         `json:"token,omitzero"` // the whole dss_…, once, when it is made
	Company   SessionCompany `json:"company"`
	Principal Actor          `json:"principal"`
	Scopes    []string       `json:"scopes"`
	ExpiresAt Time           `json:"expiresAt,omitzero"` // zero: the credential does not end by itself
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
