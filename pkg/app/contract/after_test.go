package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

var afterRows = []row{
	{"a candidate is asked for a form, which is submitted, opened again and submitted again",
		(*service).asksForForm},
	{"a preset is applied to a candidate and taken back whole", (*service).takesPresetBack},
	{"what was filled, and what came from elsewhere, stays when a preset is taken back",
		(*service).keepsFilled},
	{"two presets of the same parts are taken back one after the other", (*service).sharedParts},
	{"what the preset of a page or of a rule brought is taken back", (*service).presetOfRule},
	{"a check that could not be made is started again", (*service).checksAgain},
	{"a company is renamed by its administrator", (*service).renamesCompany},
}

// eventsFrom returns the types of the events of a candidate, in order, from a number on, and their
// data. The messages that scenarios of other rows send are left out.
func (s *service) eventsFrom(candidate string, first int) (types []string, data []any) {
	s.Helper()
	for _, e := range s.list("/candidates/" + candidate + "/events?page[size]=100")[first:] {
		if name := at(e, "type").(string); name != "candidateMessageSent" {
			types, data = append(types, name), append(data, at(e, "data"))
		}
	}
	return types, data
}

func (s *service) asksForForm() {
	form := s.create("/forms", object{"name": "Shifts", "fields": []object{
		{"reference": "night", "label": "Nights?", "type": "boolean", "required": true}}})
	candidate := s.create("/candidates", object{"firstName": "Ada"})
	path := "/candidates/" + candidate + "/forms"
	asked := s.one("POST", path, object{"formId": form})
	s.equal("state", at(asked, "forms", 0, "state"), "open")
	s.equal("name", at(asked, "forms", 0, "name"), "Shifts")
	s.refuse("POST", path, object{"formId": form}, http.StatusConflict, "INVALID_TRANSITION")
	s.refuse("POST", path+"/"+form+"/reopen", nil, http.StatusConflict, "INVALID_TRANSITION")
	problem := s.refuse("POST", path, object{"formId": "frm_01JD7Q8ZK4M2X9RBTV5N3C0001"},
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	s.equal("pointer", at(problem, "errors", 0, "pointer"), "/formId")
	s.one("POST", path+"/"+form, object{"answers": object{"night": true}})
	again := s.one("POST", path+"/"+form+"/reopen", nil)
	s.equal("opened again", at(again, "forms", 0, "state"), "open")
	s.equal("answers", at(again, "forms", 0, "answers", "night"), true)
	s.equal("status", again["status"], "collecting")
	last := s.one("POST", path+"/"+form, object{"answers": object{"night": false}})
	s.equal("answers", at(last, "forms", 0, "answers", "night"), false)
	s.refuse("POST", path+"/frm_01JD7Q8ZK4M2X9RBTV5N3C0001/reopen", nil, http.StatusNotFound,
		"NOT_FOUND")
	types, data := s.eventsFrom(candidate, 1)
	s.equal("events", types, []string{"candidateUpdated", "candidateFormSubmitted",
		"candidateUpdated", "candidateFormSubmitted"})
	s.equal("changed", data[0], object{"changed": []any{"forms"}})
	s.equal("changed again", data[2], object{"changed": []any{"forms"}})
}

// presetOfAll makes a preset of a value, a custom field, a form and a document type.
func (s *service) presetOfAll() (preset, documentType, form, reference string) {
	s.Helper()
	reference = "shift" + strings.ToLower(unique())
	s.create("/customFields", object{"entity": "candidate", "reference": reference,
		"label": "Shift", "type": "text"})
	documentType = s.create("/documentTypes", object{"name": "Night pass"})
	form = s.create("/forms", object{"name": "Night work", "fields": []object{
		{"reference": "ok", "label": "Ok?", "type": "boolean"}}})
	preset = s.create("/presets", object{"name": "Nights",
		"set":             object{"language": "de", "cf_" + reference: "night"},
		"documentTypeIds": []string{documentType}, "formIds": []string{form}})
	return preset, documentType, form, reference
}

// partsOf returns the parts of a change as text: kind, whether it is the given value, and reason.
func partsOf(change object, member string) []string {
	list := []string{}
	for _, p := range change[member].([]any) {
		text := at(p, "type").(string)
		if text == "field" {
			text, _, _ = strings.Cut(at(p, "value").(string), "_")
		}
		if reason := at(p, "reason"); reason != nil {
			text += " " + reason.(string)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

func (s *service) takesPresetBack() {
	preset, documentType, _, reference := s.presetOfAll()
	candidate := s.create("/candidates", object{"firstName": "Ada", "language": "nl"})
	before := s.one("GET", "/candidates/"+candidate, nil)
	path := "/candidates/" + candidate + "/presets"
	applied := s.one("POST", path, object{"presetId": preset})
	s.equal("brought", partsOf(applied, "changed"),
		[]string{"cf", "documentType", "form", "language"})
	s.equal("kept", partsOf(applied, "kept"), []string{})
	s.equal("language", at(applied, "candidate", "language"), "de")
	s.equal("field", at(applied, "candidate", "customFields", reference), "night")
	s.equal("presets", at(applied, "candidate", "presetIds"), []any{preset})
	request := "cdt_" + candidate[len("cnd_"):] + documentType[len("dty_"):]
	s.equal("asked", s.one("GET", "/candidateDocumentTypes/"+request, nil)["state"], "requested")
	s.refuse("POST", path, object{"presetId": preset}, http.StatusConflict, "INVALID_TRANSITION")
	problem := s.refuse("POST", path, object{"presetId": "pre_01JD7Q8ZK4M2X9RBTV5N3C0001"},
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	s.equal("pointer", at(problem, "errors", 0, "pointer"), "/presetId")

	back := s.one("DELETE", path+"/"+preset, nil)
	s.equal("removed", partsOf(back, "changed"),
		[]string{"cf", "documentType", "form", "language"})
	s.equal("kept", partsOf(back, "kept"), []string{})
	after := s.one("GET", "/candidates/"+candidate, nil)
	for _, member := range []string{"language", "customFields", "forms", "presetIds", "status"} {
		s.equal(member, after[member], before[member])
	}
	s.equal("asked", s.one("GET", "/candidateDocumentTypes/"+request, nil)["state"], "removed")
	s.refuse("DELETE", path+"/"+preset, nil, http.StatusNotFound, "NOT_FOUND")
	types, data := s.eventsFrom(candidate, 1)
	s.equal("events", types, []string{"candidatePresetApplied", "candidateDocumentRequested",
		"candidateUpdated", "candidateFormRemoved", "candidateDocumentRemoved",
		"candidateUpdated"})
	s.equal("changed", data[2], object{"changed": []any{"cf_" + reference, "language"}})
	s.equal("changed back", data[5],
		object{"changed": []any{"cf_" + reference, "language", "presetIds"}})
	again := s.one("POST", path, object{"presetId": preset})
	s.equal("brought again", len(again["changed"].([]any)), 4)
}

func (s *service) keepsFilled() {
	preset, documentType, form, reference := s.presetOfAll()
	candidate := s.create("/candidates", object{"firstName": "Ada", "presetId": preset})
	path := "/candidates/" + candidate
	request := "cdt_" + candidate[len("cnd_"):] + documentType[len("dty_"):]
	s.one("POST", "/candidateDocumentTypes/"+request+"/upload", named("front"))
	s.one("POST", path+"/forms/"+form, object{"answers": object{"ok": true}})
	s.one("PATCH", path, object{"language": "fr"})
	back := s.one("DELETE", path+"/presets/"+preset, nil)
	s.equal("removed", partsOf(back, "changed"), []string{"cf"})
	s.equal("kept", partsOf(back, "kept"),
		[]string{"documentType filled", "form filled", "language changed"})
	s.equal("language", at(back, "candidate", "language"), "fr")
	s.equal("field", at(back, "candidate", "customFields", reference), nil)
	s.equal("form", at(back, "candidate", "forms", 0, "state"), "submitted")
	s.equal("document", at(s.one("GET", "/candidateDocumentTypes/"+request, nil), "document",
		"version"), 1)

	// What the candidate had before, or was asked for again by somebody, is not the preset's.
	had := s.create("/candidates", object{"firstName": "Grace", "language": "de",
		"documentTypeIds": []string{documentType}, "formIds": []string{form}})
	applied := s.one("POST", "/candidates/"+had+"/presets", object{"presetId": preset})
	s.equal("brought", partsOf(applied, "changed"), []string{"cf"})
	s.equal("there", partsOf(applied, "kept"), []string{"documentType alreadyThere",
		"form alreadyThere", "language alreadyThere"})
	back = s.one("DELETE", "/candidates/"+had+"/presets/"+preset, nil)
	s.equal("kept", partsOf(back, "kept"), []string{"documentType notBrought", "form notBrought",
		"language notBrought"})
	s.one("POST", "/candidates/"+had+"/presets", object{"presetId": preset})
	own := "cdt_" + had[len("cnd_"):] + documentType[len("dty_"):]
	s.ok("DELETE", "/candidateDocumentTypes/"+own, nil)
	s.one("POST", "/candidateDocumentTypes", object{"candidateId": had,
		"documentTypeId": documentType})
	back = s.one("DELETE", "/candidates/"+had+"/presets/"+preset, nil)
	s.equal("requested by hand", partsOf(back, "kept")[0], "documentType notBrought")
}

func (s *service) sharedParts() {
	first, documentType, form, reference := s.presetOfAll()
	second := s.create("/presets", object{"name": "Nights too",
		"set":             object{"language": "fr", "cf_" + reference: "night"},
		"documentTypeIds": []string{documentType}, "formIds": []string{form}})
	candidate := s.create("/candidates", object{"firstName": "Ada"})
	path := "/candidates/" + candidate + "/presets"
	s.one("POST", path, object{"presetId": first})
	both := s.one("POST", path, object{"presetId": second})
	s.equal("there", partsOf(both, "kept"), []string{"cf alreadyThere",
		"documentType alreadyThere", "form alreadyThere"})
	back := s.one("DELETE", path+"/"+first, nil)
	s.equal("kept for the other", partsOf(back, "kept"), []string{"cf otherPreset",
		"documentType otherPreset", "form otherPreset", "language changed"})
	back = s.one("DELETE", path+"/"+second, nil)
	s.equal("removed", partsOf(back, "changed"),
		[]string{"cf", "documentType", "form", "language"})
	s.equal("language", at(back, "candidate", "language"), nil)
	s.equal("field", at(back, "candidate", "customFields"), object{})
}

// presetOfRule takes back what a rule has applied, and what a registration page has.
func (s *service) presetOfRule() {
	preset, _, _, _ := s.presetOfAll()
	candidate, run := s.ran(rule("and", []object{holds},
		object{"type": "applyPreset", "value": preset}))
	s.equal("applied", at(run, "rules", 0, "actions", 0, "changed"), true)
	back := s.one("DELETE", "/candidates/"+candidate+"/presets/"+preset, nil)
	s.equal("of a rule", partsOf(back, "changed"),
		[]string{"cf", "documentType", "form", "language"})
	page := s.create("/registration-pages", object{"name": "P",
		"slug": strings.ToLower("p" + unique()), "presetId": preset})
	registered := s.create("/registration-pages/"+page+"/register", object{"firstName": "Ada"})
	back = s.one("DELETE", "/candidates/"+registered+"/presets/"+preset, nil)
	s.equal("of a page", partsOf(back, "changed"),
		[]string{"cf", "documentType", "form", "language"})
}

func (s *service) renamesCompany() {
	other, id := s.partner()
	path, name := "/companies/"+id, fmt.Sprint("Renamed ", unique())
	_, _, header := other.send("GET", path, nil)
	renamed := other.one("PATCH", path, object{"name": name})
	s.equal("name", renamed["name"], name)
	status, problem, _ := other.send("PATCH", path, object{"name": "x"}, "If-Match",
		header.Get("ETag"))
	s.equal("stale", fmt.Sprint(status, at(problem, "code")), "412PRECONDITION_FAILED")
	s.equal("read", other.one("GET", path, nil)["name"], name)
	s.equal("listed", find(s.list("/companies?page[size]=100"), "id", id)["name"], name)
	s.equal("read by a company of the group", s.one("GET", path, nil)["name"], name)
	s.refuse("PATCH", path, object{"name": "x"}, http.StatusForbidden, "FORBIDDEN")
	stranger, err := s.store.CreateCompany(s.Context(), "", "Stranger")
	if err != nil {
		s.Fatal(err)
	}
	for _, method := range []string{"GET", "PATCH"} {
		s.refuse(method, "/companies/"+stranger.ID, object{"name": "x"}, http.StatusNotFound,
			"NOT_FOUND")
	}
	other.refuse("PATCH", path, object{"name": ""}, http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
}
