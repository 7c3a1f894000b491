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

// badInput lists bodies that are refused with 422, and every pointer that the response names.
var badInput = []struct {
	name, path, body string
	want             []string
}{
	{"ErrNothing", "/customFields", `{}`, []string{"/entity", "/label", "/reference", "/type"}},
	{"ErrReference", "/customFields",
		`{"entity":"candidate","reference":"1 x","label":"L","type":"text"}`,
		[]string{"/reference"}},
	{"ErrLongReference", "/customFields",
		`{"entity":"candidate","reference":"` + strings.Repeat("x", 101) +
			`","label":"L","type":"text"}`, []string{"/reference"}},
	{"ErrWords", "/customFields", `{"entity":"person","reference":"x","label":"L","type":"txt"}`,
		[]string{"/entity", "/type"}},
	{"ErrServerSet", "/customFields",
		`{"id":"x","createdAt":"2026-01-01T00:00:00Z","entity":"candidate","reference":"x","label":"L","type":"text"}`, []string{"/createdAt", "/id"}},
	{"ErrName", "/forms", `{"name":"  "}`, []string{"/name"}},
	{"ErrLongName", "/forms", `{"name":"` + strings.Repeat("é", 201) + `"}`, []string{"/name"}},
	{"ErrFields", "/forms",
		`{"name":"F","fields":[{"reference":"a","label":"A","type":"text"},{"reference":"a","label":"","type":"x"}]}`,
		[]string{"/fields/1/label", "/fields/1/reference", "/fields/1/type"}},
	{"ErrMember", "/forms", `{"name":"F","feilds":[]}`, []string{"/feilds"}},
	{"ErrType", "/forms", `{"name":1,"fields":{}}`, []string{"/fields", "/name"}},
	{"ErrSet", "/presets",
		`{"name":"P","set":{"externalId":"1","cf_no":"1","status":"x","birthDate":"1.2.2003","lastName":5}}`,
		[]string{"/set/birthDate", "/set/cf_no", "/set/externalId", "/set/lastName",
			"/set/status"}},
	{"ErrSetValues", "/presets",
		`{"name":"P","set":{"email":"Ada <ada@example.com>","nationality":"nld","language":"n","phone":"","birthDate":"2003-02-30","firstName":"F"}}`,
		[]string{"/set/birthDate", "/set/email", "/set/language", "/set/nationality",
			"/set/phone"}},
	{"ErrForms", "/presets", `{"name":"P","formIds":["frm_x"]}`, []string{"/formIds/0"}},
	{"ErrTypes", "/presets", `{"name":"P","documentTypeIds":["TYPE","dty_x","TYPE"]}`,
		[]string{"/documentTypeIds/1", "/documentTypeIds/2"}},
	{"ErrEmbedded", "/presets", `{"name":"P","documentTypes":[]}`, []string{"/documentTypes"}},
	{"ErrEvent", "/scenarios", `{"name":"S","eventName":"candidateCreate"}`,
		[]string{"/eventName"}},
	{"ErrNotification", "/scenarios",
		`{"name":"S","eventName":"candidateCreated","notification":{"subject":""}}`,
		[]string{"/notification/subject", "/notification/text"}},
	{"ErrSlug", "/registration-pages", `{"name":"P","slug":"Über uns"}`, []string{"/slug"}},
	{"ErrDocuments", "/registration-pages",
		`{"name":"P","slug":"p","documents":[{"documentTypeId":"TYPE"},{"documentTypeId":"frm_x","required":false}]}`,
		[]string{"/documents/1/documentTypeId"}},
	{"ErrPreset", "/registration-pages", `{"name":"P","slug":"p","presetId":"pre_x"}`,
		[]string{"/presetId"}},
	{"ErrURL", "/integrations",
		`{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"http://example.com"}}`, []string{"/target/url"}},
	{"ErrPrivate", "/integrations",
		`{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://169.254.169.254/"}}`, []string{"/target/url"}},
	{"ErrTarget", "/integrations",
		`{"name":"I","triggerEvent":"candidateCreated","target":{"type":"email"}}`,
		[]string{"/target/type", "/target/url"}},
	{"ErrState", "/integrations",
		`{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://example.com"},"state":"disabled","secret":"x"}`,
		[]string{"/secret", "/state"}},
	{"ErrPayload", "/integrations",
		`{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://example.com"},"payload":"fat"}`, []string{"/payload"}},
	{"ErrScopes", "/keys", `{"name":"K","kind":"administrator"}`, []string{"/scopes"}},
	{"ErrScope", "/keys", `{"name":"K","kind":"robot","scopes":["keys","keys","settings"]}`,
		[]string{"/kind", "/scopes/1", "/scopes/2"}},
	{"ErrCompany", "/companies", `{"groupId":"grp_x"}`, []string{"/groupId"}},
	{"ErrParts", "/documentTypes", `{"name":"T","requiredParts":["front","","front"]}`,
		[]string{"/requiredParts/1", "/requiredParts/2"}},
	{"ErrParser", "/documentTypes", `{"name":"T","check":{"parser":"ocr","decision":"maybe"}}`,
		[]string{"/check/decision", "/check/parser"}},
	{"ErrFieldsOfMRZ", "/documentTypes",
		`{"name":"T","check":{"parser":"mrz","fields":[{"reference":"a","label":"A","type":"text"}],"http":{"url":"https://example.com"}}}`,
		[]string{"/check/fields", "/check/http"}},
	{"ErrNested", "/documentTypes",
		`{"name":"T","check":{"parser":"pdf","fields":[{"reference":"a","label":"A","type":"text"},{"reference":"a.b","label":"B","type":"list"}]}}`,
		[]string{"/check/fields/1/reference", "/check/fields/1/type"}},
	{"ErrNotRead", "/documentTypes",
		`{"name":"T","check":{"parser":"mrz","required":["mrz.surname","mrz.name"],"expiryReference":"expires"}}`,
		[]string{"/check/expiryReference", "/check/required/1"}},
	{"ErrHTTP", "/documentTypes", `{"name":"T","check":{"parser":"http"}}`,
		[]string{"/check/http"}},
	{"ErrHTTPTarget", "/documentTypes",
		`{"name":"T","check":{"parser":"http","http":{"url":"https://localhost/"}}}`,
		[]string{"/check/http/url"}},
	{"ErrHTTPSecret", "/documentTypes",
		`{"name":"T","check":{"parser":"http","http":{"url":"https://example.com","secret":"x"}}}`,
		[]string{"/check/http/secret"}},
	{"ErrWriteBack", "/documentTypes",
		`{"name":"T","check":{"parser":"json"},"writeBack":[{"from":"a","to":"externalId"},{"from":"b","to":"cf_no"},{"from":"","to":"email"},{"from":"c","to":"email"}]}`,
		[]string{"/writeBack/2/from"}},
	{"ErrWriteBackTo", "/documentTypes",
		`{"name":"T","check":{"parser":"mrz"},"writeBack":[{"from":"a","to":"externalId"},{"from":"mrz.sex","to":"cf_no"},{"from":"mrz.surname","to":"lastName"},{"from":"mrz.givenNames","to":"lastName"}]}`,
		[]string{"/writeBack/0/from", "/writeBack/0/to", "/writeBack/1/to", "/writeBack/3/to"}},
	{"ErrOwner", "/documentTypes", `{"name":"T","owner":{"companyId":"x"},"warnings":[]}`,
		[]string{"/owner", "/warnings"}},
}

// The response to bad input names every place, and nothing is stored.
func TestSettingsBadInput(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	documentType := d.make("/documentTypes", typeBody)
	counts := map[string]int{}
	for _, k := range settingKinds {
		counts[k.path] = d.ok("GET", k.path, "").len()
	}
	for _, c := range badInput {
		body := strings.ReplaceAll(c.body, "TYPE", documentType)
		got := d.refuse("POST", c.path, body, http.StatusUnprocessableEntity,
			dossier.CodeValidation)
		slices.Sort(got)
		if !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for path, before := range counts {
		if after := d.ok("GET", path, "").len(); after != before {
			t.Errorf("%s: %d, were %d", path, after, before)
		}
	}
}

// Lists are limited in length.
func TestSettingsTooMany(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	many := func(n int, element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	for _, c := range []struct{ path, body, pointer string }{
		{"/forms", `{"name":"F","fields":` +
			many(101, `{"reference":"a","label":"A","type":"text"}`) + `}`, "/fields"},
		{"/presets", `{"name":"P","documentTypeIds":` + many(16, `"x"`) + `}`, "/documentTypeIds"},
		{"/presets", `{"name":"P","formIds":` + many(51, `"x"`) + `}`, "/formIds"},
		{"/scenarios", `{"name":"S","eventName":"candidateCreated","documentTypeIds":` +
			many(31, `"x"`) + `}`, "/documentTypeIds"},
		{"/registration-pages", `{"name":"P","slug":"p","documents":` +
			many(31, `{"documentTypeId":"x"}`) + `}`, "/documents"},
		{"/documentTypes", `{"name":"T","requiredParts":` + many(21, `"x"`) + `}`,
			"/requiredParts"},
		{"/documentTypes", `{"name":"T","sharedWith":` + many(21, `"x"`) + `}`, "/sharedWith"},
		{"/documentTypes", `{"name":"T","check":{"parser":"json","required":` + many(201, `"x"`) +
			`}}`, "/check/required"},
		{"/documentTypes", `{"name":"T","submission":{"rules":` +
			many(51, `{"conditionsType":"and"}`) + `}}`, "/submission/rules"},
	} {
		if got := d.refuse("POST", c.path, c.body, http.StatusUnprocessableEntity,
			dossier.CodeValidation); !slices.Contains(got, c.pointer) {
			t.Errorf("%s: %v, want %s among them", c.path, got, c.pointer)
		}
	}
}

// The entity, reference and type of a custom field can't be changed. A merge patch keeps, clears
// and replaces.
func TestSettingsPatches(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	field := d.make("/customFields", fieldBody)
	got := d.refuse("PATCH", "/customFields/"+field,
		`{"type":"number","reference":"x","entity":"document"}`, http.StatusUnprocessableEntity,
		dossier.CodeValidation)
	if !cmp.Equal(got, []string{"/entity", "/reference", "/type"}) {
		t.Errorf("what a custom field is: %v", got)
	}
	form := d.make("/forms", formBody)
	one := "/presets/" + d.make("/presets",
		fmt.Sprintf(`{"name":"P","set":{"cf_permitNumber":"1","lastName":"L"},"formIds":[%q]}`,
			form))
	a := d.ok("PATCH", one, `{"set":{"lastName":null,"firstName":"F"},"formIds":null}`)
	if want := (map[string]any{"cf_permitNumber": "1", "firstName": "F"}); !cmp.Equal(a.at("set"),
		any(want)) || a.len("formIds") != 0 || a.str("name") != "P" {
		t.Errorf("patched: %s", a.text)
	}
	got = d.refuse("PATCH", one, `{"set":{"email":"ada","lastName":""}}`,
		http.StatusUnprocessableEntity, dossier.CodeValidation)
	if !cmp.Equal(got, []string{"/set/email", "/set/lastName"}) {
		t.Errorf("what a preset sets: %v", got)
	}
	d.ok("DELETE", "/forms/"+form, "")
	page := "/registration-pages/" +
		d.make("/registration-pages",
			fmt.Sprintf(`{"name":"P","slug":"p","active":false,"presetId":%q}`,
				strings.TrimPrefix(one, "/presets/")))
	if a := d.ok("PATCH", page, `{"presetId":null,"active":true}`); a.at("presetId") != nil ||
		a.at("active") != true {
		t.Errorf("page: %s", a.text)
	}
	hook := "/integrations/" + d.make("/integrations", hookBody)
	if a := d.ok("PATCH", hook, `{"target":{"url":"https://example.org/"},"ordered":false}`); a.str(
		"target", "type") != "webhook" || a.str("target", "url") != "https://example.org/" ||
		a.at("ordered") != false {
		t.Errorf("integration: %s", a.text)
	}
}
