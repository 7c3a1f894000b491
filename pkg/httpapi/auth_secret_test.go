package httpapi

import (
	"strings"
	"testing"
)

func TestParseSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw string
		ok  bool
	}{
		"OK key":   {adminKey, true},
		"OK token": {token, true},
		"OK session": {"dss_" + companyULID + keyULID + tokenULID + "_" + secretText,
			true},
		"OK link":         {"dsl_" + companyULID + tokenULID + "_" + secretText, true},
		"ErrSessionNoKey": {"dss_" + companyULID + tokenULID + "_" + secretText, false},
		"ErrKeyThreeULIDs": {"dsr_" + companyULID + keyULID + tokenULID + "_" + secretText,
			false},
		"OK longest": {"dsr_" + companyULID + keyULID + "_" + strings.Repeat("a_", 64),
			true},
		"ErrTooLong": {"dsr_" + companyULID + keyULID + "_" + strings.Repeat("a", 129),
			false},
		"ErrTooShort": {"dsr_" + companyULID + keyULID + "_" + strings.Repeat("a", 15),
			false},
		"ErrStrangeCharacter": {"dsr_" + companyULID + keyULID + "_aaaaaaaaaa!aaaaaaaaaa", false},
		"ErrKind":             {"dsx_" + companyULID + keyULID + "_" + secretText, false},
		"ErrOneULID":          {"dsr_" + companyULID + "_" + secretText, false},
		"ErrLowerCase": {"dsr_" + strings.ToLower(companyULID) + keyULID + "_" + secretText,
			false},
		"ErrOverflow": {"dsr_8" + companyULID[1:] + keyULID + "_" + secretText, false},
		"ErrNoULID":   {"dsr_" + companyULID + "U" + keyULID[1:] + "_" + secretText, false},
		"ErrEmpty":    {"", false},
	} {
		if got := parseSecret(c.raw); (got != nil) != c.ok {
			t.Errorf("%s: %q parses as %+v", name, c.raw, got)
		}
	}
	if s := parseSecret(token); s.kind != markToken || s.companyID != "com_"+companyULID ||
		s.id != tokenULID || s.of != secretText {
		t.Errorf("OK: %+v", s)
	}
}
