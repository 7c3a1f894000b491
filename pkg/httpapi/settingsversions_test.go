package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// versionedSetting is one of the settings, with two changes of it, and what the second one changes.
type versionedSetting struct {
	path, create string
	changes      [2]string
	pointer      string
	before, now  any // of the pointer, by the second change
}

// versionedSettings has each kind of settings of which versions are kept. DTY stands for the id of
// a document type.
var versionedSettings = map[string]versionedSetting{
	"form": {"/forms", `{"name":"A"}`, [2]string{`{"name":"B"}`, `{"name":"C"}`}, "/name", "B",
		"C"},
	"preset": {"/presets", `{"name":"A","set":{"language":"nl"}}`,
		[2]string{`{"documentTypeIds":["DTY"]}`, `{"set":{"language":"en"}}`}, "/set/language",
		"nl",
		"en"},
	"scenario": {"/scenarios",
		`{"name":"A","eventName":"candidateApproved","notification":{"subject":"S","text":"T"}}`,
		[2]string{`{"active":false}`, `{"notification":{"text":"U"}}`}, "/notification/text", "T",
		"U"},
	"page": {"/registration-pages", `{"name":"A","slug":"a"}`,
		[2]string{`{"documents":[{"documentTypeId":"DTY"}]}`, `{"active":false}`}, "/active", true,
		false},
	"integration": {"/integrations",
		`{"name":"A","triggerEvent":"candidateApproved","target":{"type":"webhook","url":"https://a.example.com/"}}`,
		[2]string{`{"name":"B"}`, `{"target":{"url":"https://b.example.com/"}}`}, "/target/url",
		"https://a.example.com/", "https://b.example.com/"},
	"field": {"/customFields", `{"entity":"candidate","reference":"a","label":"A","type":"text"}`,
		[2]string{`{"label":"B"}`, `{"label":"C"}`}, "/label", "B", "C"},
}

// TestSettingsVersions changes each kind of settings twice, compares its versions, and restores
// one: it is as it was then, by its own route too, and that is a fourth version.
func TestSettingsVersions(t *testing.T) {
	t.Parallel()
	for name, v := range versionedSettings {
		t.Run(name, func(t *testing.T) {
			onBothEngines(t, func(t *testing.T, h *testAPI) {
				v.check(client{T: t, api: h, company: h.company, key: h.key})
			})
		})
	}
}

func (v versionedSetting) check(d client) {
	dty := d.make("/documentTypes", typeBody)
	with := func(body string) string { return strings.ReplaceAll(body, "DTY", dty) }
	id := d.make(v.path, with(v.create))
	one, versions := v.path+"/"+id, "/settings/"+id+"/versions"
	second := d.ok("PATCH", one, with(v.changes[0]))
	d.ok("PATCH", one, with(v.changes[0])) // the same again is no version
	d.ok("PATCH", one, with(v.changes[1]))
	list := d.ok("GET", versions, "")
	if list.len() != 3 {
		d.Fatalf("three contents, and %s", list.text)
	}
	for n := range 3 {
		got := d.ok("GET", fmt.Sprint(versions, "/", 3-n), "")
		if got.at("version") != float64(3-n) || !cmp.Equal(got.body, list.at(n)) ||
			got.str("createdBy", "id") != d.company.Key.ID || got.str("createdAt") == "" {
			d.Errorf("version %d: %s, listed as %v", 3-n, got.text, list.at(n))
		}
	}
	diff := d.ok("GET", versions+"/2/diff/3", "")
	want := []any{map[string]any{"pointer": v.pointer, "before": v.before, "after": v.now}}
	if !cmp.Equal(diff.at("changes"), any(want)) {
		d.Errorf("from 2 to 3: %s, want %v", diff.text, want)
	}
	stale := d.send("POST", versions+"/2/restore", "", "If-Match", `"3"`)
	if stale.status != http.StatusPreconditionFailed {
		d.Errorf("restored over what nobody has seen: %d %s", stale.status, stale.text)
	}
	restored := d.send("POST", versions+"/2/restore", "", "If-Match", `"4"`)
	if restored.status != http.StatusOK || restored.header.Get("ETag") != `"5"` {
		d.Fatalf("restored: %d %s", restored.status, restored.text)
	}
	now := d.ok("GET", one, "")
	if !cmp.Equal(now.body, restored.body) || !cmp.Equal(v.content(now), v.content(second)) {
		d.Errorf("restored %s, which is %s, and was %s", restored.text, now.text, second.text)
	}
	fourth := d.ok("GET", versions+"/4", "")
	if fourth.at("restoredFrom") != 2.0 || !cmp.Equal(fourth.at("content"), list.at(1, "content")) {
		d.Errorf("the new version: %s", fourth.text)
	}
	v.refused(d, id)
}

// content returns an answer without what each change sets.
func (v versionedSetting) content(a textResponse) map[string]any {
	members := maps.Clone(a.body.(map[string]any))
	delete(members, "updatedAt")
	return members
}

// refused asks for what does not exist, or belongs to somebody else. A deleted setting leaves no
// version.
func (v versionedSetting) refused(d client, id string) {
	versions := "/settings/" + id + "/versions"
	for _, path := range []string{"/0", "/9", "/x", "/01", "/1/diff/9", "/9/diff/1"} {
		d.refuse("GET", versions+path, "", http.StatusNotFound, dossier.CodeNotFound)
	}
	d.refuse("POST", versions+"/9/restore", "", http.StatusNotFound, dossier.CodeNotFound)
	partner := d.partner()
	for _, path := range []string{"", "/1", "/1/diff/2"} {
		partner.refuse("GET", versions+path, "", http.StatusNotFound, dossier.CodeNotFound)
	}
	partner.refuse("POST", versions+"/1/restore", "", http.StatusNotFound, dossier.CodeNotFound)
	d.ok("DELETE", v.path+"/"+id, "")
	d.refuse("GET", versions, "", http.StatusNotFound, dossier.CodeNotFound)
	d.versionedSettingsLeft(1, 0)
}

// The newest versions are kept, also where they are many, and deleted with their entity.
func TestSettingsVersionsAreBounded(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	id := d.make("/forms", `{"name":"0"}`)
	versions := "/settings/" + id + "/versions"
	for n := range dossier.MaxSettingsVersions + 2 {
		d.ok("PATCH", "/forms/"+id, fmt.Sprintf(`{"name":"%d"}`, n+1))
	}
	list := d.ok("GET", versions+"?page[size]=100", "")
	if list.len() != dossier.MaxSettingsVersions ||
		list.at(0, "version") != float64(dossier.MaxSettingsVersions+3) {
		t.Errorf("%d versions, the newest %v", list.len(), list.at(0, "version"))
	}
	d.refuse("GET", versions+"/3", "", http.StatusNotFound, dossier.CodeNotFound)
	if oldest := d.ok("GET", versions+"/4", ""); oldest.at("content", "name") != "3" {
		t.Errorf("the oldest: %s", oldest.text)
	}
	d.versionedSettingsLeft(2*dossier.MaxSettingsVersions, dossier.MaxSettingsVersions)
	d.ok("DELETE", "/forms/"+id, "")
	d.versionedSettingsLeft(2*dossier.MaxSettingsVersions, 0)
}

// versionedSettingsLeft counts the stored versions.
func (d client) versionedSettingsLeft(most, want int) {
	d.Helper()
	left, err := d.api.engine.Query(d.Context(),
		kv.Query{Partition: d.company.ID[len("com_"):] + "#STV", Limit: most})
	if err != nil || len(left.Items) != want {
		d.Errorf("%d versions are stored, want %d: %v", len(left.Items), want, err)
	}
}

// What a restored version names is checked, like that of a change: it may be gone.
func TestRestoreSettingsOfADeletedTarget(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	form := d.make("/forms", `{"name":"A"}`)
	preset := d.make("/presets", fmt.Sprintf(`{"name":"P","formIds":[%q]}`, form))
	d.ok("PATCH", "/presets/"+preset, `{"formIds":[]}`)
	d.ok("DELETE", "/forms/"+form, "")
	pointers := d.refuse("POST", "/settings/"+preset+"/versions/1/restore", "",
		http.StatusUnprocessableEntity, dossier.CodeValidation)
	if !cmp.Equal(pointers, []string{"/formIds/0"}) {
		t.Errorf("refused because of %v", pointers)
	}
	if list := d.ok("GET", "/settings/"+preset+"/versions", ""); list.len() != 2 {
		t.Errorf("a refused restore is a version: %s", list.text)
	}
}

// The versions of an integration hold no secret, and its state is none of its content. A key that
// can't read documents can't have them sent to an earlier address.
func TestVersionsOfAnIntegration(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	made := d.ok("POST", "/integrations", `{"name":"A","triggerEvent":"candidateApproved",
		"payload":"full","target":{"type":"webhook","url":"https://a.example.com/"}}`)
	id := made.str("id")
	one, versions := "/integrations/"+id, "/settings/"+id+"/versions"
	d.ok("POST", one+"/secret/rotate", "")
	d.ok("PATCH", one, `{"state":"disabled"}`)
	d.ok("PATCH", one, `{"target":{"url":"https://b.example.com/"}}`)
	list := d.ok("GET", versions, "")
	if list.len() != 2 || strings.Contains(list.text, "whsec_") ||
		strings.Contains(list.text, "state") {
		t.Errorf("the versions: %s", list.text)
	}
	key := d.ok("POST", "/keys", `{"name":"CI","kind":"integration",
		"scopes":["settings:read","settings:write"]}`)
	weak := d
	weak.key = key.str("secret")
	weak.refuse("POST", versions+"/1/restore", "", http.StatusForbidden, dossier.CodeForbidden)
	restored := d.ok("POST", versions+"/1/restore", "")
	if restored.at("target", "url") != "https://a.example.com/" ||
		restored.at("state") != "disabled" || restored.at("secret") != nil {
		t.Errorf("restored: %s", restored.text)
	}
}
