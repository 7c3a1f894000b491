package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// ruled returns the body of a document type with one rule that adds another type.
func ruled(name, adds string, more string) string {
	return fmt.Sprintf(
		`{"name":%q,"submission":{"rules":[{"conditionsType":"and","conditions":[],"actions":[{"type":"addDocumentType","value":%q}]}]}%s}`,
		name, adds, more)
}

func TestSharing(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner, third, stranger := d.partner(), d.partner(), d.stranger()
	card := d.make("/documentTypes", typeBody)
	shared := d.ok("POST", "/documentTypes",
		ruled("Permit", card, fmt.Sprintf(`,"sharedWith":[%q]`, partner.company.ID)))
	one := "/documentTypes/" + shared.str("id")
	if shared.str("warnings", 0, "code") != dossier.WarningShared ||
		shared.str("owner", "companyId") != d.company.ID {
		t.Errorf("the owner is shown %s", shared.text)
	}

	seen := partner.ok("GET", one, "")
	if seen.str("owner", "companyId") != d.company.ID || seen.len("sharedWith") != 0 ||
		seen.str("warnings", 0, "code") != dossier.WarningShared {
		t.Errorf("the partner is shown %s", seen.text)
	}
	if list := partner.ok("GET", "/documentTypes", ""); list.len() != 1 ||
		!cmp.Equal(list.at(0), seen.body) {
		t.Errorf("the partner lists %s", list.text)
	}
	partner.refuse("PATCH", one, `{"name":"Mine"}`, http.StatusForbidden, dossier.CodeForbidden)
	partner.refuse("DELETE", one, "", http.StatusForbidden, dossier.CodeForbidden)
	for _, other := range []client{third, stranger} {
		a, b := other.send("GET", one, "", "X-Request-Id", "r"),
			other.send("GET", "/documentTypes/x", "", "X-Request-Id", "r")
		if a.status != http.StatusNotFound || a.text != b.text {
			t.Errorf("%s: %s, want the bytes of %s", other.company.ID, a.text, b.text)
		}
	}
}

// The partner sees each change, and the withdrawal.
func TestSharingWithdrawn(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner, third := d.partner(), d.partner()
	card := d.make("/documentTypes", typeBody)
	shared := d.ok("POST", "/documentTypes",
		ruled("Permit", card, fmt.Sprintf(`,"sharedWith":[%q]`, partner.company.ID)))
	one := "/documentTypes/" + shared.str("id")
	d.ok("PATCH", one, `{"name":"Work permit"}`)
	if name := partner.ok("GET", one, "").str("name"); name != "Work permit" {
		t.Errorf("the partner still sees %q", name)
	}
	used := partner.make("/scenarios",
		fmt.Sprintf(`{"name":"s","eventName":"candidateCreated","documentTypeIds":[%q]}`,
			shared.str("id")))
	want := []string{"/companies/" + partner.company.ID}
	if got := d.refuse("PATCH", one, `{"sharedWith":[]}`, http.StatusConflict,
		dossier.CodeInUse); !cmp.Equal(got, want) {
		t.Errorf("withdrawn while used: %v", got)
	}
	if got := d.refuse("DELETE", one, "", http.StatusConflict, dossier.CodeInUse); !cmp.Equal(got,
		want) {
		t.Errorf("deleted while used: %v", got)
	}
	partner.ok("DELETE", "/scenarios/"+used, "")
	d.ok("PATCH", one, fmt.Sprintf(`{"sharedWith":[%q]}`, third.company.ID))
	partner.refuse("GET", one, "", http.StatusNotFound, dossier.CodeNotFound)
	partner.refuse("POST", "/scenarios",
		fmt.Sprintf(`{"name":"s","eventName":"candidateCreated","documentTypeIds":[%q]}`,
			shared.str("id")),
		http.StatusUnprocessableEntity, dossier.CodeValidation)
	third.ok("GET", one, "")
	d.ok("PATCH", one, fmt.Sprintf(`{"sharedWith":[%q,%q]}`, partner.company.ID, third.company.ID))
	partner.ok("GET", one, "")
	d.ok("DELETE", one, "")
	for _, other := range []client{d, partner, third} {
		other.refuse("GET", one, "", http.StatusNotFound, dossier.CodeNotFound)
	}
}

func TestSharingTargets(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner, stranger := d.partner(), d.stranger()
	for name, c := range map[string]struct {
		with []string
		want []string
	}{
		"ErrItself": {[]string{d.company.ID}, []string{"/sharedWith/0"}},
		"ErrStranger": {[]string{partner.company.ID, stranger.company.ID},
			[]string{"/sharedWith/1"}},
		"ErrTwice": {[]string{partner.company.ID, partner.company.ID},
			[]string{"/sharedWith/1"}},
		"ErrNonsense": {[]string{"com_x"}, []string{"/sharedWith/0"}},
	} {
		got := d.refuse("POST", "/documentTypes",
			fmt.Sprintf(`{"name":"T","sharedWith":["%s"]}`, strings.Join(c.with, `","`)),
			http.StatusUnprocessableEntity, dossier.CodeValidation)
		if !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A shared type's rules are shown to a partner but not applied, and a simulation says so.
func TestSharedRulesSimulated(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner := d.partner()
	id := d.make("/documentTypes",
		ruled("Permit", d.make("/documentTypes", typeBody),
			fmt.Sprintf(`,"sharedWith":[%q]`, partner.company.ID)))
	path := "/documentTypes/" + id + "/submission/simulate"
	if a := d.ok("POST", path, `{"parsed":{}}`); a.at("rules", 0, "actions", 0, "changed") != true {
		t.Errorf("the owner's: %s", a.text)
	}
	if a := partner.ok("POST", path, `{"parsed":{}}`); a.len("rules") != 0 ||
		a.str("warnings", 0, "code") != dossier.WarningShared {
		t.Errorf("the partner's: %s", a.text)
	}
}
