package dossier

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	list := []string{"is", "name", "documents", "candidateDocumentTypes", "Scope"}
	for word, want := range map[string]string{
		"is":                    "is",
		"it":                    "is", // one edit of two characters
		"if0":                   "",   // two edits of three
		"ist":                   "is",
		"ists":                  "is",   // two edits of four
		"nom":                   "",     // two edits of three
		"naem":                  "name", // two edits of four
		"naeem":                 "name",
		"nxxm":                  "", // three edits of four
		"documnets":             "documents",
		"docmnt":                "", // three edits of six
		"documxxxx":             "", // four edits of nine, where three are near
		"docuxxxts":             "documents",
		"scope":                 "Scope", // case does not count
		"SCOPE":                 "Scope",
		"candidatexxxxxxtTypes": "candidateDocumentTypes", // seven edits of 21
		"candidatexxxxxxxtTyps": "",
		"":                      "",
	} {
		if got := Nearest(word, list); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Nearest("nam", []string{"name", "nam", "nom"}); got != "nam" {
		t.Errorf("the nearest of several is %q", got)
	}
	if got := Nearest("namx", []string{"namy", "namz"}); got != "namy" {
		t.Errorf("of equally near words the first is named, not %q", got)
	}
}

func TestPossible(t *testing.T) {
	t.Parallel()
	ten := strings.Split("abcd,bcde,cdef,defg,efgh,fghi,ghij,hijk,ijkl,jklm", ",")
	eleven := append(ten[:10:10], "klmn")
	all := strings.Join(ten, ", ") + "."
	for want, got := range map[string]string{
		"The possible values are: " + all:              Possible("abcx", ten),
		`Did you mean "klmn"?`:                         Possible("klmx", eleven),
		"The documentation lists the possible values.": Possible("zzzzzz", eleven),
		` Did you mean "abcd"?`:                        Hint("abcx", ten, "members"),
		" The possible members are: abcd, bcde.":       Hint("zzzzzz", ten[:2], "members"),
		" The possible fields are: " + all:             Hint("zzzzzz", ten, "fields"),
		" There are no members here.":                  Hint("zzzzzz", nil, "members"),
		"":                                             Hint("zzzzzz", eleven, "members"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
