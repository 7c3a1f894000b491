package contract

import (
	"encoding/base64"
	"os"
	"path/filepath"
)

// readings uploads a permit and asserts that each value comes with where it stood, for
// administrators, and stays when a reviewer corrects it.
func (s *service) readings() {
	s.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "check", "testdata",
		"reportlab-lines.pdf"))
	if err != nil {
		s.Fatal(err)
	}
	candidate, request := s.asked(object{"name": "Permit", "requiredParts": []string{"front"},
		"check": object{"parser": "pdf", "decision": "manual", "fields": []object{
			{"reference": "permit.number", "label": "Permit number", "type": "text"}}}})
	path := "/candidateDocumentTypes/" + request
	s.ok("POST", path+"/upload", object{"parts": []object{
		{"name": "front", "fileName": "permit.pdf", "contentType": "application/pdf",
			"content": base64.StdEncoding.EncodeToString(content)}}})
	s.eventually("the check", func() bool {
		return s.one("GET", path, nil)["state"] == "inReview"
	})
	read := at(s.one("GET", path, nil), "document", "readings")
	if list, _ := read.([]any); len(list) != 1 {
		s.Fatalf("readings %v", read)
	}
	for name, want := range map[string]any{"reference": "permit.number", "value": "NL-204",
		"part": "front", "page": 1.0} {
		s.equal(name, at(read, 0, name), want)
	}
	for _, edge := range []string{"x", "y", "width", "height"} {
		if v, _ := at(read, 0, "box", edge).(float64); v <= 0 || v >= 1 {
			s.Errorf("%s of the box is %v", edge, at(read, 0, "box", edge))
		}
	}
	s.one("POST", path+"/validate", object{"parsed": object{"permit": object{"number": "NL-205"}}})
	after := s.one("GET", path, nil)
	s.equal("corrected", at(after, "document", "parsed", "permit", "number"), "NL-205")
	s.equal("readings after the correction", at(after, "document", "readings"), read)

	theirs := *s
	theirs.key = at(s.one("POST", "/candidates/"+candidate+"/tokens", nil), "token").(string)
	document, _ := at(theirs.one("GET", path, nil), "document").(object)
	if _, there := document["readings"]; there || document["state"] == nil {
		s.Errorf("a candidate sees %v", document)
	}
}
