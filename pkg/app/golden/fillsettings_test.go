package golden

// fillBefore makes what has to be some days old: a document that has expired since, and deliveries
// that have failed since. expires is the date between.
func (f *filler) fillBefore(expires string) {
	f.key = "admin"
	for reference, fieldType := range map[string]string{
		"permitNumber": "text", "score": "number", "driver": "boolean", "since": "date",
		"tags": "list",
	} {
		f.make(reference, "/customFields", `{"entity":"candidate","reference":"`+reference+`",
			"label":"The `+reference+`","type":"`+fieldType+`"}`)
	}
	f.make("office", "/customFields",
		`{"entity":"document","reference":"office","label":"Büro","type":"text"}`)
	f.make("typeJSON", "/documentTypes", `{"name":"Medical statement",
		"check":{"parser":"json","decision":"automatic","required":["until"],"expiryReference":"until"},
		"writeBack":[{"from":"until","to":"cf_since"}]}`)
	f.hook("failing", "candidateCreated", "/fail", "")
	f.hook("gone", "candidateUpdated", "/gone", `,"ordered":false`)
	f.make("old", "/candidates", `{"firstName":"Olivia","lastName":"Öberg","externalId":"hr-1",
		"documentTypeIds":["$typeJSON"]}`)
	f.upload(f.request("expired", "old", "typeJSON"), "file", isJSON,
		[]byte(`{"until":"`+expires+`","grade":2,"notes":["a","b"]}`))
	f.until("/candidateDocumentTypes/$expired", "state", "validated")
	f.do(200, "PATCH", "/candidates/$old", `{"phone":"+31 20 123 4567"}`)
	f.until("/integrations/$gone", "state", "disabled")
	f.untilLogged("filter[integrationId]=$failing", 1)
}

// fill makes everything else.
func (f *filler) fill() {
	f.key = "admin"
	f.until("/candidateDocumentTypes/$expired", "state", "expired")
	f.until("/integrations/$failing", "state", "disabled")
	f.fillKeys()
	f.fillDocumentTypes()
	f.fillSettings()
	f.fillFirst()
	f.fillReactions()
	f.fillCandidates()
	f.fillChecked()
	f.fillDecided()
	f.fillMessages()
	f.fillPartner()
	f.fillLast()
}

// fillKeys makes the other company of the group, and keys of each kind.
func (f *filler) fillKeys() {
	partner := f.do(200, "POST", "/companies", `{"name":"Partner company"}`).(map[string]any)
	f.ids["partner"] = partner["id"].(string)
	f.keys["partner"] = partner["key"].(map[string]any)["secret"].(string)
	f.make("reader", "/keys", `{"name":"Reader","kind":"integration",
		"scopes":["candidates:read","documents:read","messages:read","settings:read"]}`)
	f.make("settingsReader", "/keys", `{"name":"Settings only","kind":"administrator",
		"scopes":["settings:read"],"expiresAt":"2098-01-02T03:04:05Z"}`)
	f.make("writer", "/keys", `{"name":"HR system","kind":"integration",
		"scopes":["candidates:write","messages:write","documents:write"]}`)
	f.make("revoked", "/keys",
		`{"name":"Revoked","kind":"integration","scopes":["candidates:read"]}`)
	f.do(200, "DELETE", "/keys/$revoked", "")
	f.do(200, "PATCH", "/keys/$writer", `{"name":"HR system, new"}`)
}

// fillDocumentTypes makes document types with each parser, without rules.
func (f *filler) fillDocumentTypes() {
	f.make("typeNone", "/documentTypes", `{"name":"Photo","requiredParts":["front","back"],
		"check":{"parser":"none","decision":"manual"}}`)
	f.make("typeCard", "/documentTypes", `{"name":"Tachograph card",
		"description":"Both sides\nand readable","check":{"parser":"none","decision":"manual"}}`)
	f.make("typePass", "/documentTypes", `{"name":"Passport","pass":true,
		"check":{"parser":"mrz","decision":"automatic"},
		"writeBack":[{"from":"mrz.surname","to":"lastName"}]}`)
	f.make("typeHTTP", "/documentTypes", `{"name":"Diploma","check":{"parser":"http",
		"decision":"automatic","required":["number"],"http":{"url":"$receiver/parse"}},
		"writeBack":[{"from":"points","to":"cf_score"},{"from":"number","to":"dcf_office"}]}`)
	f.make("typeDown", "/documentTypes", `{"name":"Diploma of another school",
		"check":{"parser":"http","decision":"automatic","http":{"url":"$receiver/fail"}}}`)
	f.make("typeHang", "/documentTypes", `{"name":"Diploma that takes long",
		"check":{"parser":"http","decision":"automatic","http":{"url":"$receiver/hang"}}}`)
	f.do(200, "PATCH", "/documentTypes/$typeCard", `{"description":"Both sides"}`)
}

// fillSettings makes forms, presets, pages, and document types with rules.
func (f *filler) fillSettings() {
	f.make("form", "/forms", `{"name":"Permit declaration","fields":[
		{"reference":"has","label":"Do you hold a permit?","type":"boolean","required":true},
		{"reference":"why","label":"Why?","type":"text"},
		{"reference":"when","label":"When?","type":"date"}]}`)
	f.make("provider", "/signInProviders", `{"name":"Example","issuer":"https://login.example.com",
		"clientId":"dossier","clientSecret":"a secret of theirs","domains":["example.com"],
		"scopes":["documents:write"],"groups":[{"name":"admins","scopes":["keys"]}]}`)
	f.make("form2", "/forms", `{"name":"Empty form"}`)
	f.make("form3", "/forms", `{"name":"Deleted form"}`)
	f.do(200, "DELETE", "/forms/$form3", "")
	f.make("notice", "/scenarios", `{"name":"Card needed","eventName":"candidateMessageSent",
		"active":false,"notification":{"subject":"One more document",
		"text":"Please upload your tachograph card."}}`)
	f.make("preset", "/presets", `{"name":"Dutch drivers","set":{"language":"nl","cf_driver":true,
		"cf_tags":["a","b"]},"documentTypeIds":["$typeCard"],"formIds":["$form2"]}`)
	f.make("typePermit", "/documentTypes", permit)
	f.make("typeWarned", "/documentTypes", `{"name":"Warned",
		"check":{"parser":"none","decision":"manual"},
		"submission":{"rules":[{"conditionsType":"and","conditions":[
		{"type":"context","reference":"nationality","operator":"isEmpty"},
		{"type":"context","reference":"nationality","operator":"isNotEmpty"}],
		"actions":[{"type":"addDocumentType","value":"$typeCard"}]}]}}`)
	f.make("page", "/registration-pages", `{"name":"Drivers","slug":"drivers","documents":[
		{"documentTypeId":"$typePermit","required":true},
		{"documentTypeId":"$typePass","required":false}],"formIds":["$form"],"presetId":"$preset"}`)
	f.make("page2", "/registration-pages", `{"name":"Closed","slug":"closed","active":false}`)
}

// permit is a document type with rules of every operator and action, shared with the partner.
const permit = `{"name":"Work permit","requiredParts":["front"],"sharedWith":["$partner"],
	"check":{"parser":"pdf","decision":"automatic","required":["permit.number","permit.class"],
	"expiryReference":"permit.expires","fields":[
	{"reference":"permit.number","label":"Permit number","type":"text"},
	{"reference":"permit.class","label":"Class","type":"text"},
	{"reference":"permit.expires","label":"Valid until","type":"date"}]},
	"writeBack":[{"from":"permit.number","to":"cf_permitNumber"}],
	"submission":{"rules":[
	{"conditionsType":"and","conditions":[
	{"type":"fields","reference":"permit.class","operator":"contains","value":["C","CE"]},
	{"type":"context","reference":"cf_permitNumber","operator":"isNotEmpty"}],
	"actions":[{"type":"addDocumentType","value":"$typeCard",
	"metadata":{"required":true,"note":"professional driver","n":{"a":[1,2.5,null]}}},
	{"type":"sendNotification","value":"$notice"},{"type":"applyPreset","value":"$preset"}]},
	{"conditionsType":"or","conditions":[
	{"type":"context","reference":"nationality","operator":"isEqual","value":"NLD"},
	{"type":"fields","reference":"permit.number","operator":"notContains","value":["X"]},
	{"type":"context","reference":"cf_score","operator":"isNotEqual","value":3}],
	"actions":[{"type":"removeForm","value":"$form"},
	{"type":"removeDocumentType","value":"$typeNone"}]},
	{"conditionsType":"and","conditions":[
	{"type":"fields","reference":"permit.expires","operator":"isEmpty"},
	{"type":"context","reference":"email","operator":"isEqual","value":["x"]}],
	"actions":[{"type":"sendNotification","value":"$notice"}]}]}}`

// fillReactions makes integrations and scenarios.
func (f *filler) fillReactions() {
	f.hook("thin", "candidateDocumentValidated", "/ok", "")
	f.hook("full", "candidateDocumentValidated", "/ok", `,"payload":"full","ordered":false`)
	f.hook("rejections", "candidateRejected", "/fail", "")
	f.hook("messages", "candidateMessageSent", "/ok", "")
	f.hook("passes", "candidatePassVerificationVerified", "/ok", "")
	f.hook("byHand", "candidateStatusChanged", "/ok", "")
	f.do(200, "PATCH", "/integrations/$byHand", `{"state":"disabled"}`)
	f.hook("deleted", "candidateStatusChanged", "/ok", "")
	f.do(200, "DELETE", "/integrations/$deleted", "")
	f.post("/integrations/$thin/secret/rotate", "")
	f.make("welcome", "/scenarios", `{"name":"Welcome","eventName":"candidateCreated",
		"documentTypeIds":["$typeNone"],
		"notification":{"subject":"Welcome","text":"Please send us a photo."}}`)
	f.make("failed", "/scenarios", `{"name":"Failed",
		"eventName":"candidatePassVerificationFailed","documentTypeIds":["$typePass","$typeCard"]}`)
}
