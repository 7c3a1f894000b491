package httpapi

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// withRules returns a body with a rule for each value of the last name.
func withRules(names ...string) string {
	list := ""
	for n, name := range names {
		if n > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"conditionsType":"and","conditions":[{"type":"context",
			"reference":"lastName","operator":"isEqual","value":[%q]}],"actions":[]}`, name)
	}
	return `{"submission":{"rules":[` + list + `]}}`
}

func TestRuleVersions(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	made := d.ok("POST", "/documentTypes", typeBody)
	one := "/documentTypes/" + made.str("id")
	versions := one + "/submission/versions"
	second := d.ok("PATCH", one, withRules("a", "b"))
	d.ok("PATCH", one, `{"name":"Other"}`)
	d.ok("PATCH", one, withRules("a", "b"))
	d.ok("PATCH", one, withRules("b", "c"))
	list := d.ok("GET", versions, "")
	if list.len() != 3 {
		t.Fatalf("three different submissions, and %s", list.text)
	}
	for n := range 3 {
		v := d.ok("GET", fmt.Sprint(versions, "/", 3-n), "")
		if v.at("version") != float64(3-n) || !cmp.Equal(v.body, list.at(n)) ||
			v.str("createdBy", "id") != d.company.Key.ID || v.str("createdAt") == "" {
			t.Errorf("version %d: %s, listed as %v", 3-n, v.text, list.at(n))
		}
	}
	if got := list.at(1, "submission"); !cmp.Equal(got, second.at("submission")) {
		t.Errorf("version 2 has %v, and %s was saved", got, second.text)
	}
	diff := d.ok("GET", versions+"/2/diff/3", "")
	if got := []string{diff.str("changes", 0, "message"), diff.str("changes", 1, "message")}; diff.
		len("changes") != 2 || !cmp.Equal(got, []string{"Rule 1 was removed.",
		"Rule 2 was added."}) {
		t.Errorf("from 2 to 3: %s", diff.text)
	}
	if diff := d.ok("GET", versions+"/3/diff/3", ""); diff.len("changes") != 0 {
		t.Errorf("from 3 to 3: %s", diff.text)
	}
	for _, path := range []string{"/0", "/4", "/x", "/01", "/+1", "/99999999999999999999",
		"/1/diff/4", "/4/diff/1"} {
		d.refuse("GET", versions+path, "", http.StatusNotFound, dossier.CodeNotFound)
	}
}

// A restored version is a new one with the rules and the ids of the old one.
func TestRestoreRules(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	one := "/documentTypes/" + d.make("/documentTypes", typeBody)
	versions := one + "/submission/versions"
	saved := d.ok("PATCH", one, withRules("a", "b"))
	bad := d.ok("PATCH", one, withRules("c"))
	stale := d.send("POST", versions+"/2/restore", "", "If-Match", `"1"`)
	if stale.status != http.StatusPreconditionFailed {
		t.Errorf("restored over what nobody has seen: %d %s", stale.status, stale.text)
	}
	if now := d.ok("GET", one, ""); !cmp.Equal(now.at("submission"), bad.at("submission")) {
		t.Errorf("a refused restore left %s", now.text)
	}
	restored := d.send("POST", versions+"/2/restore", "", "If-Match", `"3"`)
	if restored.status != http.StatusOK || restored.header.Get("ETag") != `"4"` ||
		!cmp.Equal(restored.at("submission"), saved.at("submission")) {
		t.Errorf("restored: %d %s, want the rules of %s", restored.status, restored.text,
			saved.text)
	}
	v := d.ok("GET", versions+"/4", "")
	if v.at("restoredFrom") != 2.0 || !cmp.Equal(v.at("submission"), saved.at("submission")) {
		t.Errorf("the new version: %s", v.text)
	}
	d.ok("POST", versions+"/2/restore", "")
	if list := d.ok("GET", versions, ""); list.len() != 4 {
		t.Errorf("restored what is there already: %s", list.text)
	}
	d.refuse("POST", versions+"/9/restore", "", http.StatusNotFound, dossier.CodeNotFound)
}

// Rules are checked when they are restored: what they name may be gone.
func TestRestoreRulesOfADeletedTarget(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	card := d.make("/documentTypes", typeBody)
	made := d.ok("POST", "/documentTypes", ruled("Permit", card, ""))
	one := "/documentTypes/" + made.str("id")
	d.ok("PATCH", one, withRules())
	d.ok("DELETE", "/documentTypes/"+card, "")
	pointers := d.refuse("POST", one+"/submission/versions/1/restore", "",
		http.StatusUnprocessableEntity, dossier.CodeValidation)
	if !cmp.Equal(pointers, []string{"/submission/rules/0/actions/0/value"}) {
		t.Errorf("refused because of %v", pointers)
	}
}

// The newest versions are kept, and none of a deleted document type.
func TestRuleVersionsAreBounded(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	id := d.make("/documentTypes", typeBody)
	one := "/documentTypes/" + id
	versions := one + "/submission/versions"
	for n := range dossier.MaxRuleVersions + 2 {
		d.ok("PATCH", one, withRules(fmt.Sprint(n)))
	}
	list := d.ok("GET", versions+"?page[size]=100", "")
	if list.len() != dossier.MaxRuleVersions ||
		list.at(0, "version") != float64(dossier.MaxRuleVersions+3) {
		t.Errorf("%d versions, the newest %v", list.len(), list.at(0, "version"))
	}
	d.refuse("GET", versions+"/3", "", http.StatusNotFound, dossier.CodeNotFound)
	d.ok("GET", versions+"/4", "")
	d.ok("DELETE", one, "")
	d.refuse("GET", versions, "", http.StatusNotFound, dossier.CodeNotFound)
	d.refuse("GET", versions+"/4", "", http.StatusNotFound, dossier.CodeNotFound)
}

// A company that a document type is shared with reads and restores none of its versions.
func TestRuleVersionsOfASharedType(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner, stranger := d.partner(), d.stranger()
	made := d.ok("POST", "/documentTypes", ruled("Permit", d.make("/documentTypes", typeBody),
		fmt.Sprintf(`,"sharedWith":[%q]`, partner.company.ID)))
	versions := "/documentTypes/" + made.str("id") + "/submission/versions"
	for method, paths := range map[string][]string{"GET": {"", "/1", "/1/diff/1"},
		"POST": {"/1/restore"}} {
		for _, path := range paths {
			partner.refuse(method, versions+path, "", http.StatusForbidden, dossier.CodeForbidden)
			stranger.refuse(method, versions+path, "", http.StatusNotFound, dossier.CodeNotFound)
		}
	}
}
