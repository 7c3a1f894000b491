package contract

import (
	"fmt"
	"slices"
	"time"
)

// driverFrom creates a candidate of a nationality who is asked for a document, uploads it, and
// returns the id, what the candidate has afterwards, and which rules matched.
func (s *service) driverFrom(nationality, documentType string) (id string, has []string,
	status string, matched []bool) {
	s.Helper()
	id = s.create("/candidates", object{"firstName": "Ada", "nationality": nationality,
		"documentTypeIds": []string{documentType}})
	request := "cdt_" + id[len("cnd_"):] + documentType[len("dty_"):]
	s.validated(request)
	for _, item := range s.list("/candidateDocumentTypes?filter[candidateId]=" + id) {
		if asked := at(item, "documentType", "id").(string); asked != documentType {
			has = append(has, "addDocumentType "+asked)
		}
	}
	candidate := s.one("GET", "/candidates/"+id, nil)
	if language := candidate["language"]; language != nil {
		has = append(has, fmt.Sprint("setField language ", language))
	}
	for _, preset := range at(candidate, "presetIds").([]any) {
		has = append(has, fmt.Sprint("applyPreset ", preset))
	}
	for _, r := range at(s.list("/candidateDocumentTypes/"+request+"/ruleRuns"), 0,
		"rules").([]any) {
		matched = append(matched, at(r, "matched").(bool))
	}
	return id, has, candidate["status"].(string), matched
}

// effects returns the counts of changes that were got or lost, and checks their examples.
func (s *service) effects(list any, ids []string) map[string]int {
	s.Helper()
	counts := map[string]int{}
	for _, e := range list.([]any) {
		name := fmt.Sprint(at(e, "type"), " ", at(e, "value"))
		if set := at(e, "set"); set != nil {
			name += fmt.Sprint(" ", set)
		}
		examples := at(e, "examples").([]any)
		counts[name] = int(at(e, "count").(float64))
		s.equal("examples of "+name, len(examples), counts[name])
		for _, x := range examples {
			s.equal("example of "+name, slices.Contains(ids, at(x, "candidateId").(string)), true)
		}
	}
	return counts
}

// overHistory compares the differences that a simulation over past documents answers with what
// happens when its rules are saved and the same documents are uploaded again.
func (s *service) overHistory() {
	made, proposed := s.ruleProposal()
	permit := made["id"].(string)
	nationalities := []string{"NLD", "BEL", "DEU", "NLD"}
	var ids, statuses []string
	var before [][]string
	for _, n := range nationalities {
		id, has, status, _ := s.driverFrom(n, permit)
		ids, before, statuses = append(ids, id), append(before, has), append(statuses, status)
	}
	diff := s.simulatedOver(permit, proposed, ids, made)

	s.one("PATCH", "/documentTypes/"+permit, object{"submission": proposed})
	got, lost, changed := map[string]int{}, map[string]int{}, map[string]int{}
	matched := make([]int, 2)
	for n, nationality := range nationalities {
		_, has, status, rules := s.driverFrom(nationality, permit)
		countMore(got, has, before[n])
		countMore(lost, before[n], has)
		if status != statuses[n] {
			changed[statuses[n]+" "+status]++
		}
		for r, m := range rules {
			if m {
				matched[r]++
			}
		}
	}
	s.equal("got", s.effects(at(diff, "got"), ids), got)
	s.equal("lost", s.effects(at(diff, "lost"), ids), lost)
	s.equal("something is got and lost", len(got)*len(lost)*len(changed) > 0, true)
	simulated := map[string]int{}
	for _, c := range at(diff, "statuses").([]any) {
		simulated[fmt.Sprint(at(c, "before"), " ", at(c, "now"))] = int(at(c, "count").(float64))
	}
	s.equal("statuses", simulated, changed)
	for n, want := range []int{matched[0], matched[1], 0} {
		s.equal("matched now", at(diff, "rules", n, "matchedNow"), want)
	}
	for n, want := range []int{0, 4, 2} {
		s.equal("matched before", at(diff, "rules", n, "matchedBefore"), want)
	}
	s.equal("different", at(diff, "different"), 4)
	s.equal("candidates", at(diff, "candidates"), 4)
}

// ruleProposal saves rules and returns their document type and other rules: one that is new, one
// that matches less, and one of the saved ones left out.
func (s *service) ruleProposal() (made, proposed object) {
	s.Helper()
	card, badge := s.create("/documentTypes", object{"name": "Card"}),
		s.create("/documentTypes", object{"name": "Badge"})
	preset := s.create("/presets", object{"name": "P", "set": object{"language": "nl"}})
	from := func(nationality string) object {
		return condition("context", "nationality", "isEqual", []string{nationality})
	}
	add := func(id string) object { return object{"type": "addDocumentType", "value": id} }
	made = s.one("POST", "/documentTypes", jsonType(object{"rules": []object{
		rule("and", []object{holds}, add(card)), rule("and", []object{from("NLD")}, add(badge))}}))
	narrow := rule("and", []object{holds, from("BEL")}, add(card))
	narrow["id"] = at(made, "submission", "rules", 0, "id")
	return made, object{"rules": []object{rule("and", []object{from("BEL")},
		object{"type": "applyPreset", "value": preset}), narrow}}
}

// simulatedOver simulates proposed rules over the documents of candidates, and checks that nothing
// is written.
func (s *service) simulatedOver(permit string, proposed object, ids []string, made object) any {
	s.Helper()
	kept := s.one("GET", "/candidates/"+ids[1], nil)
	body := object{"submission": proposed, "over": object{
		"from": time.Now().Add(-time.Hour).Format(time.RFC3339),
		"to":   time.Now().Add(time.Hour).Format(time.RFC3339)}}
	var diff any
	s.eventually("the runs in the index", func() bool {
		diff = s.one("POST", "/documentTypes/"+permit+"/submission/simulate", body)["over"]
		return at(diff, "compared") == float64(len(ids))
	})
	s.equal("candidate", s.one("GET", "/candidates/"+ids[1], nil), kept)
	s.equal("document type", s.one("GET", "/documentTypes/"+permit, nil), made)
	return diff
}

// countMore counts the texts of a list that another one does not have.
func countMore(counts map[string]int, list, other []string) {
	for _, text := range list {
		if !slices.Contains(other, text) {
			counts[text]++
		}
	}
}
