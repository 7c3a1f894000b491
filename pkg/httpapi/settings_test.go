package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Bodies that create one of each kind.
const (
	formBody   = `{"name":"Permit declaration","fields":[{"reference":"hasPermit","label":"Do you hold a permit?","type":"boolean","required":true}]}`
	fieldBody  = `{"entity":"candidate","reference":"permitNumber","label":"Permit number","type":"text"}`
	typeBody   = `{"name":"Tachograph card","check":{"parser":"none","decision":"manual"}}`
	notifyBody = `{"name":"Card needed","eventName":"candidateMessageSent","active":false,"notification":{"subject":"One more","text":"Please upload it."}}`
	hookBody   = `{"name":"HR system","triggerEvent":"candidateDocumentValidated","target":{"type":"webhook","url":"https://example.com/hook"}}`
)

// The settings of the README's session, word for word.
func TestSettingsSession(t *testing.T) {
	t.Parallel()
	d := newClient(t, "127.0.0.1:9000")
	d.make("/customFields", fieldBody)
	form := d.make("/forms", formBody)
	card := d.ok("POST", "/documentTypes", typeBody)
	if card.len("submission", "rules") != 0 || card.at("submission", "rules") == nil {
		t.Errorf("a type without rules: %s", card.text)
	}
	scenario := d.make("/scenarios", notifyBody)
	permit := d.ok("POST", "/documentTypes", permitBody(card.str("id"), scenario, form))
	for n := range 2 {
		if id := permit.str("submission", "rules", n, "id"); !strings.HasPrefix(id, "rul_") {
			t.Errorf("rule %d has the id %q", n, id)
		}
	}
	if permit.len("warnings") != 0 {
		t.Errorf("warnings: %s", permit.text)
	}
	hook := d.ok("POST", "/integrations",
		`{"name":"HR system","triggerEvent":"candidateDocumentValidated","target":{"type":"webhook","url":"http://127.0.0.1:9000/hook"}}`)
	if !strings.HasPrefix(hook.str("secret"), "whsec_") || hook.str("state") != "active" ||
		hook.str("payload") != "thin" || hook.at("ordered") != true {
		t.Errorf("integration: %s", hook.text)
	}
	page := d.ok("POST", "/registration-pages", fmt.Sprintf(
		`{"name":"Drivers","slug":"drivers","documents":[{"documentTypeId":%q,"required":true}],"formIds":[%q]}`, permit.str("id"), form))
	if page.at("active") != true ||
		page.str("documents", 0, "documentType", "submission", "rules", 0, "id") !=
			permit.str("submission", "rules", 0, "id") {
		t.Errorf("page: %s", page.text)
	}
}

// permitBody returns the work permit of the session.
func permitBody(card, scenario, form string) string {
	return strings.NewReplacer("dty_B", card, "scn_", scenario, "frm_", form).Replace(
		`{"name":"Work permit","requiredParts":["front"],
  "check":{"parser":"pdf","decision":"automatic","required":["permit.number","permit.class"],"expiryReference":"permit.expires",
           "fields":[{"reference":"permit.number","label":"Permit number","type":"text"},{"reference":"permit.class","label":"Class","type":"text"},{"reference":"permit.expires","label":"Valid until","type":"date"}]},
  "writeBack":[{"from":"permit.number","to":"cf_permitNumber"}],
  "submission":{"rules":[
    {"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"contains","value":["C","CE"]},{"type":"context","reference":"cf_permitNumber","operator":"isNotEmpty"}],
     "actions":[{"type":"addDocumentType","value":"dty_B","metadata":{"required":true,"note":"professional driver"}},{"type":"sendNotification","value":"scn_"}]},
    {"conditionsType":"or","conditions":[{"type":"context","reference":"nationality","operator":"isEqual","value":["NLD"]},{"type":"fields","reference":"permit.number","operator":"isNotEmpty"}],
     "actions":[{"type":"removeForm","value":"frm_"}]}]}}`)
}

// settingKinds lists the settings with the five usual routes, each with a body and a change.
var settingKinds = []struct{ path, body, patch, member, after string }{
	{"/customFields", fieldBody, `{"label":"Number"}`, "label", "Number"},
	{"/forms", formBody, `{"name":"Other"}`, "name", "Other"},
	{"/presets", `{"name":"Nurse"}`, `{"name":"Other"}`, "name", "Other"},
	{"/documentTypes", typeBody, `{"description":"Other"}`, "description", "Other"},
	{"/scenarios", notifyBody, `{"eventName":"candidateCreated"}`, "eventName", "candidateCreated"},
	{"/registration-pages", `{"name":"Drivers","slug":"drivers"}`, `{"slug":"other"}`, "slug",
		"other"},
	{"/integrations", hookBody, `{"payload":"full"}`, "payload", "full"},
	{"/keys", `{"name":"CI","kind":"integration","scopes":["candidates:read"]}`, `{"name":"Other"}`,
		"name", "Other"},
	{"/signInProviders", providerBody, `{"clientId":"other","clientSecret":"new"}`, "clientId",
		"other"},
}

func TestSettingsLifecycle(t *testing.T) {
	t.Parallel()
	for _, k := range settingKinds {
		t.Run("OK"+strings.ReplaceAll(k.path, "/", " "), func(t *testing.T) {
			t.Parallel()
			d := newClient(t)
			made := d.ok("POST", k.path, k.body)
			one := k.path + "/" + made.str("id")
			read := d.ok("GET", one, "")
			if made.header.Get("ETag") != `"1"` || read.header.Get("ETag") != `"1"` {
				t.Errorf("ETag: %q made, %q read", made.header.Get("ETag"), read.header.Get("ETag"))
			}
			if list := d.ok("GET", k.path, ""); !slices.ContainsFunc(list.body.([]any),
				func(v any) bool { return cmp.Equal(v, read.body) }) {
				t.Errorf("the list has not what was read: %s", list.text)
			}
			changed := d.ok("PATCH", one, k.patch, "If-Match", `"1"`)
			if changed.str(k.member) != k.after || changed.header.Get("ETag") != `"2"` {
				t.Errorf("changed: %s, ETag %s", changed.text, changed.header.Get("ETag"))
			}
			if again := d.ok("GET", one, ""); !cmp.Equal(again.body, changed.body) {
				t.Errorf("read after the change: %s", cmp.Diff(changed.body, again.body))
			}
			if a := d.send("PATCH", one, k.patch, "If-Match", `"1"`); a.status !=
				http.StatusPreconditionFailed {
				t.Errorf("If-Match with an old version: %d %s", a.status, a.text)
			}
			d.ok("DELETE", one, "")
			for _, method := range []string{"GET", "DELETE", "PATCH"} {
				d.refuse(method, one, map[string]string{"PATCH": k.patch}[method],
					http.StatusNotFound, dossier.CodeNotFound)
			}
			if list := d.ok("GET", k.path, ""); strings.Contains(list.text, made.str("id")) {
				t.Errorf("deleted, and listed: %s", list.text)
			}
		})
	}
}

// Another company's settings get the same response as absent ones, byte for byte.
func TestSettingsTenancy(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	for _, k := range settingKinds {
		id := d.make(k.path, k.body)
		missing := id[:strings.Index(id, "_")+1] + "01JD5T0000000000000000000C"
		for _, other := range []client{d.partner(), d.stranger()} {
			for _, method := range []string{"GET", "PATCH", "DELETE"} {
				body := map[string]string{"PATCH": k.patch}[method]
				foreign := other.send(method, k.path+"/"+id, body, "X-Request-Id", "r")
				absent := other.send(method, k.path+"/"+missing, body, "X-Request-Id", "r")
				nonsense := other.send(method, k.path+"/x", body, "X-Request-Id", "r")
				if foreign.status != http.StatusNotFound || foreign.text != absent.text ||
					foreign.text != nonsense.text {
					t.Errorf("%s %s: foreign %s, absent %s, nonsense %s", method, k.path,
						foreign.text, absent.text, nonsense.text)
				}
			}
			if list := other.ok("GET", k.path, ""); strings.Contains(list.text, id) {
				t.Errorf("listed for another company: %s", list.text)
			}
		}
		d.ok("GET", k.path+"/"+id, "")
	}
}

func TestSettingsPages(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	var want []string
	for n := range 5 {
		id := d.make("/documentTypes", fmt.Sprintf(`{"name":"T%d"}`, n))
		if n == 1 || n == 4 {
			d.ok("DELETE", "/documentTypes/"+id, "")
			continue
		}
		want = append(want, id)
	}
	var got []string
	next := "/documentTypes?page[size]=2"
	for range 5 {
		page := d.ok("GET", next, "")
		for n := range page.len() {
			got = append(got, page.str(n, "id"))
		}
		link := page.header.Get("Link")
		if link == "" {
			break
		}
		if page.len() != 2 {
			t.Errorf("a page with a next one has %d types", page.len())
		}
		next = link[1:strings.Index(link, ">")]
	}
	if !cmp.Equal(got, want) {
		t.Errorf("pages: %s", cmp.Diff(want, got))
	}
}

func TestSettingsFilters(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	rejected := d.make("/scenarios", `{"name":"a","eventName":"candidateRejected"}`)
	sent := d.make("/scenarios", `{"name":"b","eventName":"candidateMessageSent","active":false}`)
	d.make("/scenarios", `{"name":"c","eventName":"candidateCreated"}`)
	for _, query := range []string{
		"filter[events][]=candidateRejected&filter[events][]=candidateMessageSent",
		"filter%5Bevents%5D%5B%5D=candidateRejected&filter%5Bevents%5D%5B%5D=candidateMessageSent",
	} {
		list := d.ok("GET", "/scenarios?"+query, "")
		if list.len() != 2 || list.str(0, "id") != rejected || list.str(1, "id") != sent {
			t.Errorf("any of two events: %s", list.text)
		}
	}
	hook := d.make("/integrations", hookBody)
	d.make("/integrations", strings.Replace(hookBody, "candidateDocumentValidated",
		"candidateRejected", 1))
	list := d.ok("GET", "/integrations?filter[triggerEvent]=candidateDocumentValidated", "")
	if list.len() != 1 || list.str(0, "id") != hook {
		t.Errorf("of one event: %s", list.text)
	}
	for target, says := range map[string]string{
		"/integrations?filter[triggerEvent]=candidateRejcted": "candidateRejected",
		"/scenarios?filter[events][]=candidateMesageSent":     "candidateMessageSent",
		"/scenarios?filter[event][]=candidateRejected":        "filter[events][]",
		"/forms?filter[name]=x":                               "page[size]",
	} {
		a := d.send("GET", target, "")
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.text, says) {
			t.Errorf("%s: %d %s", target, a.status, a.text)
		}
	}
}
