package golden

import "fmt"

// fillFirst makes candidates before there are scenarios: approved, in review, and one for whom
// rules change the most.
func (f *filler) fillFirst() {
	for _, name := range []string{"approved", "inReview"} {
		f.make(name, "/candidates", `{"firstName":"`+name+`","documentTypeIds":["$typeCard"]}`)
		f.upload(f.request(name+"Card", name, "typeCard"), "front", isPNG, f.file("photo.png"))
		f.until("/candidateDocumentTypes/$"+name+"Card", "state", "inReview")
	}
	f.post("/candidateDocumentTypes/$approvedCard/validate", "")
	f.make("finn", "/candidates",
		`{"firstName":"Finn","documentTypeIds":["$typePermit"],"formIds":["$form"]}`)
	f.upload(f.request("finnPermit", "finn", "typePermit"), "front", isPDF,
		f.file("filled-form.pdf"))
	f.until("/candidateDocumentTypes/$finnPermit", "state", "validated")
}

// ada is the body of a registration, which is sent twice under one key.
const ada = `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","nationality":"NLD",
	"externalId":"hr-2","birthDate":"1990-12-10",
	"customFields":{"score":2.5,"driver":false,"tags":["x"]}}`

// fillCandidates makes candidates in every way, and one who is erased.
func (f *filler) fillCandidates() {
	for range 2 {
		f.make("ada", "/registration-pages/$page/register", ada, "Idempotency-Key", "register-ada")
	}
	f.key = "writer"
	f.make("bob", "/candidates", `{"firstName":"Bob \"the builder\" 日本","presetId":"$preset",
		"documentTypeIds":["$typeCard","$typePass"],"formIds":["$form"]}`, "Idempotency-Key", "bob")
	f.key = "admin"
	f.make("cy", "/candidates", `{"firstName":"Cy","documentTypeIds":["$typeCard"]}`)
	f.post("/candidates/$cy/reject", `{"reason":"Withdrew the application"}`)
	f.make("dee", "/candidates", `{"firstName":"Dee"}`)
	f.post("/candidates/$dee/reject", `{"reason":"By mistake"}`)
	f.post("/candidates/$dee/reopen", "")
	f.make("erased", "/candidates", `{"firstName":"Eve","lastName":"Erased","externalId":"hr-9",
		"documentTypeIds":["$typeCard"]}`)
	f.post("/candidates/$erased/messages", `{"text":"Soon gone"}`)
	f.upload(f.request("erasedCard", "erased", "typeCard"), "front", isPNG, f.file("photo.png"))
	f.do(200, "DELETE", "/candidates/$erased", "")
	f.post("/candidates/$bob/forms/$form",
		`{"answers":{"has":true,"why":"Because.","when":"2026-01-02"}}`)
	f.post("/candidates/$dee/passVerification", `{"status":"failed","reason":"Chip not readable"}`)
	f.post("/candidates/$bob/passVerification", `{"status":"verified"}`)
	f.do(200, "PATCH", "/candidates/$bob", `{"email":"bob@example.com","language":null}`)
	f.key = "writer"
	for n := range 4 {
		f.make(fmt.Sprint("more", n), "/candidates", fmt.Sprintf(`{"firstName":"Candidate %d"}`, n))
	}
	f.key = "admin"
}

// fillChecked uploads documents that checks decide on, each way that a document is sent.
func (f *filler) fillChecked() {
	f.upload(f.request("validated", "ada", "typePermit"), "front", isPDF, f.file("filled-form.pdf"))
	f.until("/candidateDocumentTypes/$validated", "state", "validated")
	passport := f.file("mrz-td3.pdf")
	f.commit(f.announce(f.request("pass", "ada", "typePass"), "front", isPDF, passport), passport)
	f.upload(f.request("needs", "bob", "typePass"), "front", isPDF, f.file("mrz-td3-wrong.pdf"))
	f.until("/candidateDocumentTypes/$needs", "state", "needsResubmission")
	f.ask("diploma", "more3", "typeHTTP", `,"required":false,"dueAt":"2027-01-02T03:04:05.678Z",
		"metadata":{"n":1.5,"o":{"a":null}},"customFields":{"office":"Utrecht"}`)
	f.upload("$diploma", "file", isPDF, f.file("fpdf2-table.pdf"))
	f.until("/candidateDocumentTypes/$diploma", "state", "validated")
	f.ask("broken", "dee", "typeDown", "")
	f.upload("$broken", "file", isPDF, f.file("fpdf2-table.pdf"))
	// It stays in processing: a check is tried for an hour.
}

// fillDecided uploads documents that people decide on, and some that are not complete.
func (f *filler) fillDecided() {
	photo := f.file("photo.png")
	f.upload(f.request("review", "bob", "typeCard"), "front", isPNG, photo)
	f.until("/candidateDocumentTypes/$review", "state", "inReview")
	for n, name := range []string{"rejected", "resubmit", "accepted"} {
		f.ask(name, fmt.Sprint("more", n), "typeCard", "")
		f.upload("$"+name, "front", isPNG, photo)
		f.until("/candidateDocumentTypes/$"+name, "state", "inReview")
	}
	f.post("/candidateDocumentTypes/$rejected/reject", `{"reason":"Not readable"}`)
	f.post("/candidateDocumentTypes/$resubmit/reject", `{"reason":"Cut off","resubmit":true}`)
	f.upload("$resubmit", "front", isPDF, f.file("fpdf2-table.pdf"))
	f.post("/candidateDocumentTypes/$accepted/validate", "")
	// It stays in force beside the newer one.
	f.upload("$accepted", "front", isPNG, photo)
	f.wait(func() string { return "review of the newer document" }, func() bool {
		got, _ := f.do(0, "GET", "/candidateDocumentTypes/$accepted", "").(map[string]any)
		newer, _ := got["replacement"].(map[string]any)
		return newer["state"] == "inReview"
	})
	f.request("half", "more3", "typeNone")
	f.until("/candidateDocumentTypes/$half", "state", "requested") // a scenario asks for it
	f.upload("$half", "front", isPNG, photo)
	f.ask("removed", "more3", "typeCard", "")
	f.do(200, "DELETE", "/candidateDocumentTypes/$removed", "")
	f.request("announcedFor", "cy", "typeCard")
	f.announce(f.ids["announcedFor"], "front", isPDF, f.file("fpdf2-table.pdf"))
}

// fillMessages makes messages of each author, read, unread and deleted.
func (f *filler) fillMessages() {
	path := "/candidates/$bob/messages"
	f.make("m1", path, `{"text":"Hello Bob"}`, "Idempotency-Key", "m1")
	f.make("m2", path, `{"text":"Not meant for you"}`)
	f.make("m3", path, `{"text":"Unread\n✓"}`)
	f.do(200, "DELETE", path+"/$m2", "")
	token := f.do(200, "POST", "/candidates/$bob/tokens", "").(map[string]any)
	f.keys["bobToken"] = token["token"].(string)
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

// fillPartner has the other company of the group use the document type that is shared with it.
func (f *filler) fillPartner() {
	f.key = "partner"
	f.make("pia", "/candidates",
		`{"firstName":"Pia","nationality":"NLD","documentTypeIds":["$typePermit"]}`)
	f.upload(f.request("partnerPermit", "pia", "typePermit"), "front", isPDF,
		f.file("filled-form.pdf"))
	f.until("/candidateDocumentTypes/$partnerPermit", "state", "validated")
	f.make("partnerPage", "/registration-pages", `{"name":"P","slug":"drivers",
		"documents":[{"documentTypeId":"$typePermit","required":true}]}`)
	f.key = "admin"
}

// fillLast waits for the reactions to what was made, and leaves a check at work.
func (f *filler) fillLast() {
	f.untilLogged("filter[integrationId]=$thin&filter[status]=delivered", 4)
	f.untilLogged("filter[integrationId]=$full&filter[status]=delivered", 4)
	f.untilLogged("filter[integrationId]=$messages&filter[status]=delivered", 6)
	f.untilLogged("filter[integrationId]=$passes&filter[status]=delivered", 1)
	f.untilLogged("filter[integrationId]=$failing&filter[status]=held", 1)
	f.untilLogged("filter[integrationId]=$rejections&filter[status]=pending", 2)
	f.until("/candidateDocumentTypes/$pass", "state", "validated")
	f.until("/candidateDocumentTypes/$resubmit", "state", "inReview")
	// The day of the last use of the keys that the recording reads with is noted now, not then.
	for _, name := range []string{"reader", "settingsReader", "partner"} {
		f.key = name
		f.do(200, "GET", "/integrations", "")
	}
	f.key = "admin"
	f.ask("hanging", "dee", "typeHang", "")
	f.upload("$hanging", "file", isPDF, f.file("fpdf2-table.pdf"))
}
