package httpapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// typed are candidates who are asked for one document type, in several states.
type typed struct {
	*testAPI
	documentType, other string
	request, candidate  map[string]string // ids by a letter
}

// identified is an item of any list.
type identified struct {
	ID string `json:"id"`
}

// newTyped makes a and b, who have yet to bring a document, b the sooner; c, whose document is in
// review; d, whose document is validated; e, who is asked for another type; f, asked for nothing.
func newTyped(t *testing.T, h *testAPI) *typed {
	t.Helper()
	s := &typed{testAPI: h, documentType: h.documentType(t, "Licence", ""),
		other:   h.documentType(t, "Permit", ""),
		request: map[string]string{}, candidate: map[string]string{}}
	for n, letter := range []string{"a", "b", "c", "d", "e", "f"} {
		id := h.candidate(t)
		s.candidate[letter] = id
		switch letter {
		case "e":
			s.request[letter] = h.requestDue(t, id, s.other, h.clock.now())
		case "f":
		default:
			s.request[letter] = h.requestDue(t, id, s.documentType,
				h.clock.now().Add(time.Duration(10-n)*time.Hour))
		}
	}
	for _, letter := range []string{"c", "d"} {
		h.uploaded(t, s.request[letter], store.CheckResult{State: dossier.StateInReview})
	}
	ok[dossier.CandidateDocumentType](t, h, "POST",
		"/candidateDocumentTypes/"+s.request["d"]+"/validate", "")
	return s
}

// list returns the letters of a list, all pages of it with one item each, in its order.
func (s *typed) list(t *testing.T, path, query string, by map[string]string) string {
	t.Helper()
	letters := map[string]string{}
	for letter, id := range by {
		letters[id] = letter
	}
	got := ""
	target := path + "?page[size]=1&" + query
	for more := true; more; {
		list, w := okWith[[]identified](t, s.testAPI, call{method: "GET", target: target})
		for _, one := range list {
			got += letters[one.ID]
		}
		target, more = nextOf(w.Header().Get("Link"))
	}
	return got
}

func (s *typed) requestsBy(t *testing.T, query string) string {
	t.Helper()
	return s.list(t, "/candidateDocumentTypes", query, s.request)
}

func (s *typed) missingFrom(t *testing.T, query string) string {
	t.Helper()
	return s.list(t, "/candidates", query, s.candidate)
}

// TestListByType lists the candidate document types of one document type, and those from whom it is
// missing, through a change of states, an erasure and pages of one.
func TestListByType(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		s := newTyped(t, h)
		of, missing := "filter[documentTypeId]="+s.documentType, "filter[missing]="+s.documentType
		due := "&filter[dueBefore]=" + h.clock.now().UTC().Add(9*time.Hour+time.Minute).
			Format("2006-01-02T15:04:05Z")
		for query, want := range map[string]string{of: "bacd",
			of + "&filter[state][]=requested": "ba", of + "&filter[state][]=validated": "d",
			of + "&filter[state][]=validated&filter[state][]=requested": "bad", of + due: "b",
			of + "&sort=-dueAt&filter[state][]=requested": "ab", of + "&sort=expiresAt": "",
			of + "&filter[candidateId]=" + s.candidate["a"]:                   "a",
			of + "&filter[candidateId]=" + s.candidate["e"]:                   "",
			"filter[documentTypeId]=" + s.other:                               "e",
			"filter[documentTypeId]=none":                                     "",
			"filter[documentTypeId]=" + s.other + "&filter[state][]=inReview": "",
			of + "&filter[state][]=inReview&sort=since&include=candidate":     "c",
		} {
			if got := s.requestsBy(t, query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		one := ok[[]dossier.CandidateDocumentType](t, h, "GET",
			"/candidateDocumentTypes?include=candidate&"+of+"&filter[state][]=inReview", "")
		if len(one) != 1 || one[0].DocumentType.Name != "Licence" || one[0].Candidate == nil {
			t.Errorf("embedded: %+v", one)
		}
		for query, want := range map[string]string{missing: "ba",
			missing + "&filter[status][]=collecting": "ba",
			missing + "&filter[status][]=rejected":   "",
			"filter[missing]=" + s.other:             "e", "filter[missing]=none": ""} {
			if got := s.missingFrom(t, query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		ok[dossier.CandidateDocumentType](t, h, "POST",
			"/candidateDocumentTypes/"+s.request["c"]+"/reject", `{"reason":"blurred"}`)
		ok[struct{}](t, h, "DELETE", "/candidates/"+s.candidate["b"], "")
		ok[dossier.CandidateDocumentType](t, h, "DELETE",
			"/candidateDocumentTypes/"+s.request["a"], "")
		if got := s.missingFrom(t, missing); got != "c" {
			t.Errorf("later, missing from %q", got)
		}
		if got := s.requestsBy(t, of); got != "cad" {
			t.Errorf("later, of the type: %q", got)
		}
	})
}

// TestListRefusals refuses filters and orders that no index answers.
func TestListRefusals(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	const candidates, requests = "/candidates?filter[missing]=x&", "/candidateDocumentTypes?"
	for query, want := range map[string]string{
		candidates +
			"sort=name": "?filter[missing] notAllowed",
		candidates + "filter[search]=ada":   "?filter[missing] notAllowed",
		candidates + "filter[externalId]=a": "?filter[missing] notAllowed",
		requests +
			"sort=name": "?sort unknown",
		requests +
			"sort=since": "?sort notAllowed",
		requests + "sort=dueAt&filter[candidateId]=x":            "?sort notAllowed",
		requests + "sort=dueAt&filter[expiresBefore]=2026-01-01": "?sort notAllowed",
		requests + "sort=dueAt&filter[state][]=validated":        "?sort notAllowed",
		requests + "sort=dueAt&filter[documentTypeId]=x":         "?sort notAllowed",
	} {
		h.refused(t, call{method: "GET", target: query}, dossier.CodeValidation, want)
	}
	const both = "filter[dueBefore]=2026-01-01T00:00:00Z&filter[expiresBefore]=2026-01-01"
	h.refused(t, call{method: "GET", target: requests + both}, dossier.CodeValidation,
		"?filter[expiresBefore] notAllowed")
}

// TestSortRequests orders the company's candidate document types by due date, expiry and the time
// in their state, both ways.
func TestSortRequests(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		dt := h.documentType(t, "Licence", `,"check":{"parser":"none","expiryReference":"until",`+
			`"fields":[{"reference":"until","label":"U","type":"date"}]}`)
		s := &typed{testAPI: h, request: map[string]string{}}
		for n, letter := range strings.Split("abcdef", "") {
			h.clock.forward(time.Minute)
			s.request[letter] = h.requestDue(t, h.candidate(t), dt,
				h.clock.now().Add(time.Duration(10-n)*time.Hour))
			if n < 2 {
				continue
			}
			h.uploaded(t, s.request[letter], store.CheckResult{State: dossier.StateInReview})
			if n < 4 {
				until := h.clock.now().UTC().AddDate(1, 0, -n).Format(dossier.DateLayout)
				ok[dossier.CandidateDocumentType](t, h, "POST",
					"/candidateDocumentTypes/"+s.request[letter]+"/validate",
					fmt.Sprintf(`{"parsed":{"until":%q}}`, until))
			}
		}
		ok[dossier.Candidate](t, h, "POST", "/candidates", // asked for something without a due date
			fmt.Sprintf(`{"documentTypeIds":[%q]}`, dt))
		for query, want := range map[string]string{
			"sort=dueAt": "ba", "sort=-dueAt": "ab", "sort=expiresAt": "dc",
			"sort=-expiresAt":                                              "cd",
			"sort=since&filter[state][]=inReview":                          "ef",
			"sort=-since&filter[state][]=inReview":                         "fe",
			"sort=-since&filter[state][]=inReview&filter[state][]=expired": "fe",
			"sort=-dueAt&filter[dueBefore]=2099-01-01T00:00:00Z":           "ab",
			"sort=-expiresAt&filter[documentTypeId]=" + dt:                 "cd",
		} {
			if got := s.requestsBy(t, query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
	})
}

// TestListByTypeBackfill finds what an earlier version stored after the task that the first list
// opens; the task changes nothing that a client sees.
func TestListByTypeBackfill(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		s := newTyped(t, h)
		for letter := range s.request {
			s.unlist(t, letter)
		}
		target := "/candidateDocumentTypes?filter[candidateId]=" + s.candidate["a"]
		before := ok[[]dossier.CandidateDocumentType](t, h, "GET", target, "")
		if got := s.missingFrom(t, "filter[missing]="+s.documentType); got != "" {
			t.Errorf("before the task, missing from %q", got)
		}
		if got := s.requestsBy(t, "filter[documentTypeId]="+s.documentType); got != "" {
			t.Errorf("before the task: %q", got)
		}
		due, _, err := h.store.Due(t.Context(), 100, &store.SweepCursors{})
		if err != nil {
			t.Fatal(err)
		}
		tasks := 0
		for _, task := range due {
			if task.Kind != store.TaskBackfill {
				continue
			}
			tasks++
			if company, _, _ := task.Owner(); company != h.company.ID {
				t.Errorf("a task of %q", company)
			}
			for range 2 { // a task that is done does nothing
				if err := h.store.Backfill(t.Context(), task); err != nil {
					t.Fatal(err)
				}
			}
		}
		if tasks != 1 {
			t.Errorf("%d tasks", tasks)
		}
		if got := s.missingFrom(t, "filter[missing]="+s.documentType); got != "ba" {
			t.Errorf("after the task, missing from %q", got)
		}
		if got := s.requestsBy(t, "filter[documentTypeId]="+s.documentType); got != "bacd" {
			t.Errorf("after the task: %q", got)
		}
		after := ok[[]dossier.CandidateDocumentType](t, h, "GET", target, "")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the task changed (-before +after)\n%s", diff)
		}
	})
}

// unlist takes a candidate document type out of the list of its type, as if an earlier version had
// written it.
func (s *typed) unlist(t *testing.T, letter string) {
	t.Helper()
	id := s.request[letter][len(dossier.PrefixCandidateDocumentType):]
	items, err := s.engine.Get(t.Context(), false, kv.Key{
		PK: s.company.ID[len(dossier.PrefixCompany):] + "#CAND#" + id[:dossier.ULIDLen],
		SK: "B#CDT#" + id[dossier.ULIDLen:]})
	if err != nil || items[0].Group == "" {
		t.Fatalf("%s: %+v %v", letter, items, err)
	}
	i := items[0]
	i.Rev, i.Group, i.GroupSort = i.Rev+1, "", ""
	if err := s.engine.Commit(t.Context(), kv.Write{Put: &i,
		If: kv.Condition{Rev: i.Rev - 1}}); err != nil {
		t.Fatal(err)
	}
}
