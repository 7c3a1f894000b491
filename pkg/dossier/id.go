package dossier

// The prefixes of ids that more than the store makes or reads.
const (
	PrefixCompany   = "com_"
	PrefixCandidate = "cnd_"
	PrefixEvent     = "evt_"
)
