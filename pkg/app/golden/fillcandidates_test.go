package golden

import "fmt"

// fillFirst makes candidates before there are scenarios: approved, in review, and one for whom rules change the most.
func (f *filler) fillFirst() {
	for _, name := range []string{"approved", "inReview"} {
		f.make(name, "/candidates", `{"firstName":"`+name+`","documentTypeIds":["$typeCard"]}`)
		f.upload(f.request(name+"Card", name, "typeCard"), "front", isPNG, file(f.t, "photo.png"))
		f.until("/candidateDocumentTypes/$"+name+"Card", "state", "inReview")
	}
	f.post("/candidateDocumentTypes/$approvedCard/validate", "")
	f.make("finn", "/candidates", `{"firstName":"Finn","documentTypeIds":["$typePermit"],"formIds":["$form"]}`)
	f.upload(f.request("finnPermit", "finn", "typePermit"), "front", isPDF, file(f.t, "filled-form.pdf"))
	f.until("/candidateDocumentTypes/$finnPermit", "state", "validated")
}

// fillPeople makes candidates in every status, and one who is erased.
func (f *filler) fillPeople() {
	f.make("ada", "/registration-pages/$page/register", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","nationality":"NLD",
		"externalId":"hr-2","birthDate":"1990-12-10","customFields":{"score":2.5,"driver":false,"tags":["x"]}}`, "Idempotency-Key", "register-ada")
	f.do(200, "POST", "/registration-pages/$page/register", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","nationality":"NLD",
		"externalId":"hr-2","birthDate":"1990-12-10","customFields":{"score":2.5,"driver":false,"tags":["x"]}}`, "Idempotency-Key", "register-ada")
	f.key = "writer"
	f.make("bob", "/candidates", `{"firstName":"Bob \"the builder\" 日本","documentTypeIds":["$typeCard","$typePass"],"formIds":["$form"],"presetId":"$preset"}`, "Idempotency-Key", "bob")
	f.key = "admin"
	f.make("cy", "/candidates", `{"firstName":"Cy","documentTypeIds":["$typeCard"]}`)
	f.post("/candidates/$cy/reject", `{"reason":"Withdrew the application"}`)
	f.make("dee", "/candidates", `{"firstName":"Dee"}`)
	f.post("/candidates/$dee/reject", `{"reason":"By mistake"}`)
	f.post("/candidates/$dee/reopen", "")
	f.make("erased", "/candidates", `{"firstName":"Eve","lastName":"Erased","externalId":"hr-9","documentTypeIds":["$typeCard"]}`)
	f.post("/candidates/$erased/messages", `{"text":"Soon gone"}`)
	f.upload(f.request("erasedCard", "erased", "typeCard"), "front", isPNG, file(f.t, "photo.png"))
	f.do(200, "DELETE", "/candidates/$erased", "")
	f.post("/candidates/$bob/forms/$form", `{"answers":{"has":true,"why":"Because.","when":"2026-01-02"}}`)
	f.post("/candidates/$dee/passVerification", `{"status":"failed","reason":"Chip not readable"}`)
	f.post("/candidates/$bob/passVerification", `{"status":"verified"}`)
	f.do(200, "PATCH", "/candidates/$bob", `{"email":"bob@example.com","language":null}`)
	f.key = "writer"
	for n := range 4 {
		f.make(fmt.Sprint("more", n), "/candidates", fmt.Sprintf(`{"firstName":"Candidate %d"}`, n))
	}
	f.key = "admin"
}

// fillDocuments brings candidate document types into every state.
func (f *filler) fillDocuments() {
	t := f.t
	f.upload(f.request("validated", "ada", "typePermit"), "front", isPDF, file(t, "filled-form.pdf"))
	f.until("/candidateDocumentTypes/$validated", "state", "validated")
	f.announced(f.request("pass", "ada", "typePass"), "front", isPDF, file(t, "mrz-td3.pdf"), true)
	f.upload(f.request("needs", "bob", "typePass"), "front", isPDF, file(t, "mrz-td3-wrong.pdf"))
	f.until("/candidateDocumentTypes/$needs", "state", "needsResubmission")
	f.upload(f.request("review", "bob", "typeCard"), "front", isPNG, file(t, "photo.png"))
	f.until("/candidateDocumentTypes/$review", "state", "inReview")
	want := func(name, candidate, documentType, more string) {
		f.make(name, "/candidateDocumentTypes", `{"candidateId":"$`+candidate+`","documentTypeId":"$`+documentType+`"`+more+`}`)
	}
	for n, state := range []string{"rejected", "resubmit", "byHand2"} {
		want(state, fmt.Sprint("more", n), "typeCard", "")
		f.upload("$"+state, "front", isPNG, file(t, "photo.png"))
		f.until("/candidateDocumentTypes/$"+state, "state", "inReview")
	}
	f.post("/candidateDocumentTypes/$rejected/reject", `{"reason":"Not readable"}`)
	f.post("/candidateDocumentTypes/$resubmit/reject", `{"reason":"Cut off","resubmit":true}`)
	f.upload("$resubmit", "front", isPDF, file(t, "fpdf2-table.pdf"))
	f.post("/candidateDocumentTypes/$byHand2/validate", "")
	f.request("half", "more3", "typeNone")
	f.until("/candidateDocumentTypes/$half", "state", "requested") // a scenario asks for it
	f.upload("$half", "front", isPNG, file(t, "photo.png"))
	want("removed", "more3", "typeCard", "")
	f.do(200, "DELETE", "/candidateDocumentTypes/$removed", "")
	want("diploma", "more3", "typeHTTP", `,"required":false,"dueAt":"2027-01-02T03:04:05.678Z","metadata":{"n":1.5,"o":{"a":null}},"customFields":{"office":"Utrecht"}`)
	f.upload("$diploma", "file", isPDF, file(t, "fpdf2-table.pdf"))
	f.until("/candidateDocumentTypes/$diploma", "state", "validated")
	want("broken", "dee", "typeDown", "")
	f.upload("$broken", "file", isPDF, file(t, "fpdf2-table.pdf"))
	f.until("/candidateDocumentTypes/$broken", "state", "checkFailed")
	f.announced(f.request("asked", "cy", "typeCard"), "front", isPDF, file(t, "fpdf2-table.pdf"), false)
}

// fillMessages makes messages of each author, read, unread and deleted.
func (f *filler) fillMessages() {
	path := "/candidates/$bob/messages"
	f.make("m1", path, `{"text":"Hello Bob"}`, "Idempotency-Key", "m1")
	f.make("m2", path, `{"text":"Not meant for you"}`)
	f.make("m3", path, `{"text":"Unread\n✓"}`)
	f.do(200, "DELETE", path+"/$m2", "")
	f.keys["bobToken"] = f.do(200, "POST", "/candidates/$bob/tokens", "").(map[string]any)["token"].(string)
	f.key = "bobToken"
	f.post(path+"/$m1/read", "")
	f.make("m4", path, `{"text":"Hello"}`)
	f.make("m5", path, `{"text":"Are you there?"}`)
	f.key = "admin"
	f.post(path+"/$m4/read", "")
	f.key = "writer"
	f.make("m6", path, `{"text":"From the HR system"}`)
	f.key = "admin"
}

// fillPartner makes the other company of the group, which uses a document type that is shared with it.
func (f *filler) fillPartner() {
	f.key = "partner"
	f.make("partnerCandidate", "/candidates", `{"firstName":"Pia","nationality":"NLD","documentTypeIds":["$typePermit"]}`)
	f.upload(f.request("partnerPermit", "partnerCandidate", "typePermit"), "front", isPDF, file(f.t, "filled-form.pdf"))
	f.until("/candidateDocumentTypes/$partnerPermit", "state", "validated")
	f.make("partnerPage", "/registration-pages", `{"name":"P","slug":"drivers","documents":[{"documentTypeId":"$typePermit","required":true}]}`)
	f.key = "admin"
}

// fillLast waits for the reactions to what was made, and leaves a check at worker.
func (f *filler) fillLast() {
	f.untilLogged("filter[integrationId]=$thin&filter[status]=delivered", 4)
	f.untilLogged("filter[integrationId]=$full&filter[status]=delivered", 4)
	f.untilLogged("filter[integrationId]=$messages&filter[status]=delivered", 6)
	f.untilLogged("filter[integrationId]=$passes&filter[status]=delivered", 1)
	f.untilLogged("filter[integrationId]=$failing&filter[status]=held", 1)
	f.untilLogged("filter[integrationId]=$rejections&filter[status]=pending", 2)
	f.until("/candidateDocumentTypes/$pass", "state", "validated")
	f.until("/candidateDocumentTypes/$resubmit", "state", "inReview")
	for _, name := range []string{"reader", "settingsReader", "partner"} { // the day of their last use is noted now
		f.key = name
		f.do(200, "GET", "/integrations", "")
	}
	f.key = "admin"
	f.make("hanging", "/candidateDocumentTypes", `{"candidateId":"$dee","documentTypeId":"$typeHang"}`)
	f.upload("$hanging", "file", isPDF, file(f.t, "fpdf2-table.pdf"))
}
