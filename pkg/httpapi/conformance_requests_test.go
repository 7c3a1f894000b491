package httpapi

import (
	"maps"
	"strings"
)

// goodRequest is a request that a route accepts. Names after a $ in at and body stand for ids of
// the seed.
type goodRequest struct {
	at, body string
	free     []string // pointers of objects whose members the caller names, and of long texts
	any      []string // pointers of values of any type
	closed   []string // filters with a closed list of values
	key      string   // who asks, of a plot's keys [own]
	pure     bool     // nothing is changed or kept, so that no key is used up
}

const (
	candidateSample = `{"externalId":"e","firstName":"Ada","lastName":"L","email":"ada@example.com","phone":"1","birthDate":"1990-12-10",
		"nationality":"GBR","language":"en","customFields":{"permitNumber":"1"}`
	typeSample = `{"name":"W","description":"d","pass":true,"requiredParts":["front"],"check":{"parser":"pdf","decision":"automatic","required":["a.b"],
		"expiryReference":"a.c","fields":[{"reference":"a.b","label":"B","type":"text"},{"reference":"a.c","label":"C","type":"date"}]},
		"writeBack":[{"from":"a.b","to":"cf_permitNumber"}],"sharedWith":[],"remindBefore":[30],"submission":{"rules":[{"conditionsType":"and",
		"conditions":[{"type":"fields","reference":"a.b","operator":"contains","value":["C"]}],"actions":[{"type":"addDocumentType","value":"$dty2",
		"metadata":{"note":"n"}},{"type":"removeForm","value":"$frm"},{"type":"sendNotification","value":"$scn"},{"type":"applyPreset","value":"$pre"}]}]}}`
	ruleValue    = "/submission/rules/0/conditions/0/value"
	ruleMetadata = "/submission/rules/0/actions/0/metadata"
	presetSample = `{"name":"P","set":{"language":"nl"},"documentTypeIds":["$dty"],"formIds":["$frm"]}`
	eventSample  = `{"name":"S","active":true,"eventName":"candidateCreated","documentTypeIds":["$dty"],"notification":{"subject":"s","text":"t"}}`
	pageSample   = `{"name":"R","slug":"s","active":true,"documents":[{"documentTypeId":"$dty","required":true}],"formIds":["$frm"],"presetId":"$pre"}`
	hookSample   = `{"name":"I","triggerEvent":"candidateRejected","target":{"type":"webhook","url":"https://example.com/hook"},"payload":"full","ordered":true}`
	uploadSample = `{"parts":[{"name":"front","fileName":"a.pdf","contentType":"application/pdf","content":"JVBERi0xLjQKJSVFT0YK"}]}`
)

// allSamples returns one request for each row of the route table: those of the descriptions, and
// those below.
func allSamples() map[string]goodRequest {
	all := maps.Clone(samples)
	for _, d := range descriptions() {
		maps.Copy(all, d.samples)
	}
	return all
}

// samples has a request for each route whose description has none.
var samples = map[string]goodRequest{
	"GET /healthz":      {at: "/healthz"},
	"GET /openapi.json": {at: "/openapi.json"},

	"GET /documentTypes": {at: "/documentTypes"},
	"POST /documentTypes": {at: "/documentTypes", body: typeSample, any: []string{ruleValue},
		free: []string{ruleMetadata}},
	"GET /documentTypes/{id}": {at: "/documentTypes/$dty"},
	"PATCH /documentTypes/{id}": {at: "/documentTypes/$dty", body: typeSample,
		any: []string{ruleValue}, free: []string{ruleMetadata}},
	"DELETE /documentTypes/{id}": {at: "/documentTypes/$dty3"},
	"POST /documentTypes/{id}/submission/simulate": {at: "/documentTypes/$dty/submission/simulate",
		body: `{"candidateId":"$cnd","parsed":{"a":{"b":"C"}},
		"submission":{"rules":[{"conditionsType":"or","conditions":[{"type":"context","reference":"nationality","operator":"isEqual","value":"C"}],
		"actions":[{"type":"addDocumentType","value":"$dty3","metadata":{"n":1}}]}]}}`,
		any: []string{ruleValue}, free: []string{ruleMetadata, "/parsed"}, pure: true},

	"POST /documentTypes/{id}/parser/confirm": {at: "/documentTypes/$shared/parser/confirm",
		body: `{"host":"parser.example.com"}`},
	"GET /documentTypes/{id}/submission/versions": {
		at: "/documentTypes/$dty/submission/versions"},
	"GET /documentTypes/{id}/submission/versions/{version}": {
		at: "/documentTypes/$dty/submission/versions/1"},
	"GET /documentTypes/{id}/submission/versions/{version}/diff/{other}": {
		at: "/documentTypes/$dty/submission/versions/1/diff/1"},
	"POST /documentTypes/{id}/submission/versions/{version}/restore": {
		at: "/documentTypes/$dty/submission/versions/1/restore"},

	"GET /presets":      {at: "/presets"},
	"POST /presets":     {at: "/presets", body: presetSample, free: []string{"/set"}},
	"GET /presets/{id}": {at: "/presets/$pre"},
	"PATCH /presets/{id}": {at: "/presets/$pre", body: presetSample,
		free: []string{"/set"}},
	"DELETE /presets/{id}": {at: "/presets/$pre"},
	"GET /keys":            {at: "/keys"},
	"POST /keys": {at: "/keys",
		body: `{"name":"K","kind":"administrator","scopes":["keys"],"expiresAt":"2099-01-02T03:04:05Z"}`},
	"GET /keys/{id}": {at: "/keys/$key"},
	"PATCH /keys/{id}": {at: "/keys/$key",
		body: `{"name":"K","scopes":["keys"],"expiresAt":"2099-01-02T03:04:05Z"}`},
	"DELETE /keys/{id}":           {at: "/keys/$key"},
	"GET /companies":              {at: "/companies"},
	"POST /companies":             {at: "/companies", body: `{"name":"C"}`},
	"GET /companies/{id}":         {at: "/companies/$com"},
	"PATCH /companies/{id}":       {at: "/companies/$com", body: `{"name":"C"}`},
	"GET /candidates/{id}/tokens": {at: "/candidates/$cnd/tokens"},
	"POST /candidates/{id}/tokens": {at: "/candidates/$cnd/tokens",
		body: `{"expiresIn":600}`},
	"DELETE /candidates/{id}/tokens/{tokenId}": {at: "/candidates/$cnd/tokens/$tok"},

	"POST /sessions":           {at: "/sessions", body: `{"key":"$own"}`},
	"GET /sessions/current":    {at: "/sessions/current"},
	"DELETE /sessions/current": {at: "/sessions/current", key: "session"},

	"GET /scenarios":                  {at: "/scenarios", closed: []string{"events[]"}},
	"POST /scenarios":                 {at: "/scenarios", body: eventSample},
	"GET /scenarios/{id}":             {at: "/scenarios/$scn"},
	"PATCH /scenarios/{id}":           {at: "/scenarios/$scn", body: eventSample},
	"DELETE /scenarios/{id}":          {at: "/scenarios/$scn"},
	"GET /registration-pages":         {at: "/registration-pages"},
	"POST /registration-pages":        {at: "/registration-pages", body: pageSample},
	"GET /registration-pages/{id}":    {at: "/registration-pages/$rpg"},
	"PATCH /registration-pages/{id}":  {at: "/registration-pages/$rpg", body: pageSample},
	"DELETE /registration-pages/{id}": {at: "/registration-pages/$rpg"},
	"POST /registration-pages/{id}/register": {at: "/registration-pages/$rpg/register",
		body: candidateSample + "}", free: []string{"/customFields"}},

	"GET /integrations": {at: "/integrations",
		closed: []string{"triggerEvent"}},
	"POST /integrations":     {at: "/integrations", body: hookSample},
	"GET /integrations/{id}": {at: "/integrations/$int"},
	"PATCH /integrations/{id}": {at: "/integrations/$int",
		body: strings.Replace(hookSample, "}", `},"state":"disabled"`, 1)},
	"DELETE /integrations/{id}":             {at: "/integrations/$int"},
	"POST /integrations/{id}/secret/rotate": {at: "/integrations/$int/secret/rotate"},
	"POST /integrations/{id}/enable":        {at: "/integrations/$off/enable"},
	"POST /integrations/send-init-request": {at: "/integrations/send-init-request",
		body: `{"url":"https://example.com/hook","triggerEvent":"candidateMessageSent"}`},
	"GET /integrations/logs": {at: "/integrations/logs",
		closed: []string{"eventName", "status"}},
	"GET /integrations/parser-calls":      {at: "/integrations/parser-calls"},
	"POST /integrations/logs/{id}/replay": {at: "/integrations/logs/$log/replay"},
	"POST /integrations/{id}/replay": {at: "/integrations/$int/replay",
		body: `{"since":"2020-01-02T03:04:05Z","until":"2098-01-02T03:04:05Z","status":["delivered"],"dryRun":true}`},
	"GET /integrations/logs/{id}/request": {at: "/integrations/logs/$log/request"},
	"POST /integrations/{id}/verify-signature": {at: "/integrations/$int/verify-signature",
		body: `{"webhookId":"evt_1","webhookTimestamp":"1","webhookSignature":"v1,x","body":"{}","secret":"whsec_x"}`,
		free: []string{"/body"}},

	"GET /candidates": {at: "/candidates", closed: []string{"status[]"}},
	"POST /candidates": {at: "/candidates",
		body: candidateSample + `,"documentTypeIds":["$dty"],"formIds":["$frm"],"presetId":"$pre"}`,
		free: []string{"/customFields"}},
	"POST /candidates/import": {at: "/candidates/import",
		body: candidateSample + `,"documents":[{"documentTypeId":"$dty3","parsed":{}}],"dryRun":false}`,
		free: []string{"/customFields", "/documents/0/parsed"}},
	"GET /candidates/{id}": {at: "/candidates/$cnd"},
	"PATCH /candidates/{id}": {at: "/candidates/$cnd", body: candidateSample + "}",
		free: []string{"/customFields"}},
	"DELETE /candidates/{id}": {at: "/candidates/$cnd"},
	"POST /candidates/{id}/reject": {at: "/candidates/$cnd/reject",
		body: `{"reason":"r"}`},
	"POST /candidates/{id}/reopen": {at: "/candidates/$cnd3/reopen"},
	"POST /candidates/{id}/passVerification": {at: "/candidates/$cnd/passVerification",
		body: `{"status":"failed","reason":"r"}`},
	"GET /candidates/{id}/events":         {at: "/candidates/$cnd/events"},
	"GET /candidates/{id}/forms/{formId}": {at: "/candidates/$cnd/forms/$frm"},
	"POST /candidates/{id}/forms/{formId}": {at: "/candidates/$cnd/forms/$frm",
		body: `{"answers":{"has":true}}`, free: []string{"/answers"}},
	"POST /candidates/{id}/forms": {at: "/candidates/$cnd2/forms", body: `{"formId":"$frm"}`},
	"POST /candidates/{id}/forms/{formId}/reopen": {
		at: "/candidates/$cnd5/forms/$frm/reopen"},
	"POST /candidates/{id}/presets": {at: "/candidates/$cnd/presets",
		body: `{"presetId":"$pre"}`},
	"DELETE /candidates/{id}/presets/{presetId}": {at: "/candidates/$cnd5/presets/$pre"},

	"GET /candidates/{candidateId}/messages": {at: "/candidates/$cnd/messages"},
	"POST /candidates/{candidateId}/messages": {at: "/candidates/$cnd/messages",
		body: `{"text":"Hello"}`},
	"POST /candidates/{candidateId}/messages/{messageId}/read": {
		at: "/candidates/$cnd/messages/$theirs/read",
	},
	"DELETE /candidates/{candidateId}/messages/{messageId}": {
		at: "/candidates/$cnd/messages/$msg",
	},

	"GET /candidates/{candidateId}/messages/{messageId}": {at: "/candidates/$cnd/messages/$msg"},
	"GET /candidates/{candidateId}/unread":               {at: "/candidates/$cnd/unread"},
	"GET /messages/unread":                               {at: "/messages/unread"},
	"GET /public/{companyId}/registration-pages/{page}": {
		at: "/public/$com/registration-pages/$rpg",
	},
	"POST /public/{companyId}/registration-pages/{page}/register": {
		at:   "/public/$com/registration-pages/$rpg/register",
		body: `{"firstName":"Ada","lastName":"L","email":"ada@example.com","phone":"1","birthDate":"1990-12-10","nationality":"GBR","language":"en"}`,
	},
	"GET /overview":               {at: "/overview"},
	"GET /candidateDocumentTypes": {at: "/candidateDocumentTypes", closed: []string{"state[]"}},
	"POST /candidateDocumentTypes": {at: "/candidateDocumentTypes",
		body: `{"candidateId":"$cnd","documentTypeId":"$dty3","required":true,
		"dueAt":"2099-01-02T03:04:05Z","metadata":{"n":1},"customFields":{"office":"x"}}`,
		free: []string{"/metadata", "/customFields"}},
	"GET /candidateDocumentTypes/{id}": {
		at: "/candidateDocumentTypes/$cdt",
	},
	"PATCH /candidateDocumentTypes/{id}": {
		at: "/candidateDocumentTypes/$cdt",
		body: `{"required":true,"dueAt":"2099-01-02T03:04:05Z","metadata":{"n":1},
		"customFields":{"office":"x"}}`,
		free: []string{"/metadata", "/customFields"}},
	"DELETE /candidateDocumentTypes/{id}": {
		at: "/candidateDocumentTypes/$review",
	},
	"POST /candidateDocumentTypes/{candidateDocumentTypeId}/upload": {
		at: "/candidateDocumentTypes/$cdt/upload", body: uploadSample,
	},
	"POST /containers/{candidateDocumentTypeId}/upload": {
		at: "/containers/$cdt/upload", body: uploadSample,
	},
	"POST /candidateDocumentTypes/{id}/validate": {
		at:   "/candidateDocumentTypes/$review/validate",
		body: `{"parsed":{"permit":{"number":"1"}},"comment":"c"}`, free: []string{"/parsed"},
	},
	"POST /candidateDocumentTypes/{id}/reject": {
		at: "/candidateDocumentTypes/$review/reject", body: `{"reason":"r","resubmit":true}`,
	},
	"POST /candidateDocumentTypes/{id}/check": {at: "/candidateDocumentTypes/$unmade/check"},
	"GET /candidateDocumentTypes/{id}/documents": {
		at: "/candidateDocumentTypes/$review/documents",
	},
	"GET /candidateDocumentTypes/{id}/ruleRuns": {
		at: "/candidateDocumentTypes/$review/ruleRuns",
	},
	"POST /candidateDocumentTypes/{id}/ruleRuns/{runId}/keepAsTest": {
		at: "/candidateDocumentTypes/$ran/ruleRuns/$run/keepAsTest", body: `{"name":"n"}`,
	},
	"GET /candidateDocumentTypes/{id}/documents/{documentId}/parts/{name}": {
		at: "/candidateDocumentTypes/$review/documents/$doc/parts/$part",
	},
}
