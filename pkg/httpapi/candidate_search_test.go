package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// people are candidates of the tests of searches, by a letter that their phone has.
var people = []string{
	`{"phone":"a","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com"}`,
	`{"phone":"b","firstName":"Żaneta","lastName":"Łukasiewicz","externalId":"Ada-1"}`,
	`{"phone":"c","firstName":"José  María","lastName":"O'Néill","email":"ZOE@example.com"}`,
	`{"phone":"d","lastName":"Groß"}`,
	`{"phone":"e","externalId":"E 7"}`,
	`{"phone":"f","firstName":"Ada","email":"lovelace@example.com"}`,
	`{"phone":"g"}`,
}

func (h *testAPI) people(t *testing.T) map[string]string {
	ids := map[string]string{}
	for _, body := range people {
		c := ok[dossier.Candidate](t, h, "POST", "/candidates", body)
		ids[c.Phone] = c.ID
	}
	return ids
}

// found returns the letters of the candidates of all pages of a list, of one candidate each.
func (h *testAPI) found(t *testing.T, query string) (letters string) {
	t.Helper()
	target := "/candidates?page[size]=1&" + query
	for pages := 0; target != ""; pages++ {
		list, w := okWith[[]dossier.Candidate](t, h, call{method: "GET", target: target})
		for _, c := range list {
			letters += c.Phone
		}
		if pages > 50 || len(list) > 1 {
			t.Fatalf("%s: a page of %d, page %d", target, len(list), pages)
		}
		target = strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Link"), "<"),
			`>; rel="next"`)
	}
	return letters
}

func (h *testAPI) search(t *testing.T, text string) string {
	t.Helper()
	return h.found(t, "filter[search]="+url.QueryEscape(text))
}

// A search finds each candidate once, over pages of one, in any spelling.
func TestSearch(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		ids := h.people(t)
		for text, want := range map[string]string{
			"ada": "afb", "ADA": "afb", "ada l": "a", " Ada   Lo": "a", "lovelace": "af",
			"Lovelace A": "a", "ada@": "a", "lukas": "b", "ŁUK": "b", "zaneta": "b", "ada-": "b",
			"jose maria o": "c", "o'neill jose": "c", "zoe@EXAMPLE.com": "c", "gross": "d",
			"GROSS": "d", "e 7": "e", "vel": "", "da": "", "ada lovelace x": "", "~~": "",
			"o'neill, jose": "", "##": "",
		} {
			if got := h.search(t, text); got != want {
				t.Errorf("%q finds %q, want %q", text, got, want)
			}
		}
		ok[dossier.Candidate](t, h, "POST", "/candidates/"+ids["f"]+"/reject", `{"reason":"no"}`)
		if got := h.found(t, "filter[search]=ada&filter[status][]=rejected"); got != "f" {
			t.Errorf("rejected: %q", got)
		}
		ok[dossier.Candidate](t, h, "PATCH", "/candidates/"+ids["a"],
			`{"lastName":"King","email":null}`)
		for text, want := range map[string]string{"lovelace": "f", "king": "a", "ada@": "",
			"ada": "afb", "ada k": "a"} {
			if got := h.search(t, text); got != want {
				t.Errorf("after the change, %q finds %q, want %q", text, got, want)
			}
		}
		ok[any](t, h, "DELETE", "/candidates/"+ids["a"], "")
		if got := h.search(t, "ada"); got != "fb" {
			t.Errorf("after the erasure: %q", got)
		}
	})
}

// Candidates come by last name, then first name; one who has none comes first. Both orders reverse.
func TestSortCandidates(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		ids := h.people(t)
		for order, want := range map[string]string{"name": "egfdabc", "-name": "cbadfge",
			"createdAt": "abcdefg", "-createdAt": "gfedcba"} {
			if got := h.found(t, "sort="+order); got != want {
				t.Errorf("%s: %q, want %q", order, got, want)
			}
		}
		for _, letter := range "bd" {
			ok[dossier.Candidate](t, h, "POST", "/candidates/"+ids[string(letter)]+"/reject",
				`{"reason":"no"}`)
		}
		if got := h.found(t, "sort=-createdAt&filter[status][]=rejected"); got != "db" {
			t.Errorf("rejected, newest first: %q", got)
		}
		if got := h.found(t, "sort=-createdAt&filter[status][]=rejected&"+
			"filter[status][]=approved&filter[status][]=collecting"); got != "gfedcba" {
			t.Errorf("of several statuses, newest first: %q", got)
		}
	})
}

func TestRefusedSearch(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	const search, sort = "?filter[search] ", "?sort "
	for query, want := range map[string]string{
		"filter[search]=a":                           search + "tooShort",
		"filter[search]=%C3%B3":                      search + "tooShort",
		"filter[search]=+a+":                         search + "tooShort",
		"filter[search]=":                            search + "required",
		"filter[search]=ab&filter[externalId]=b":     search + "notAllowed",
		"filter[search]=" + strings.Repeat("a", 201): search + "tooLong",
		"filter[search]=ab&sort=name":                sort + "notAllowed",
		"sort=name&filter[status][]=approved":        sort + "notAllowed",
		"sort=age":                                   sort + "unknown",
		"sort=name&sort=-name":                       sort + "duplicate",
	} {
		h.refused(t, call{method: "GET", target: "/candidates?" + query},
			dossier.CodeValidation, want)
	}
}

// Names that documents write back are found as well.
func TestSearchWrittenBack(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		candidate, request := h.candidateWithRequest(t, `,"check":{"parser":"none","fields":[`+
			`{"reference":"name","label":"N","type":"text"}]},"writeBack":[`+
			`{"from":"name","to":"lastName"}]`)
		h.uploaded(t, request, store.CheckResult{State: dossier.StateInReview})
		ok[dossier.CandidateDocumentType](t, h, "POST",
			"/candidateDocumentTypes/"+request+"/validate", `{"parsed":{"name":"Hopper"}}`)
		list := ok[[]dossier.Candidate](t, h, "GET", "/candidates?filter[search]=hopp", "")
		if len(list) != 1 || list[0].ID != candidate {
			t.Errorf("found %+v", list)
		}
	})
}

// entries returns the terms and names that the indexes hold of a company's candidates.
func (h *testAPI) entries(t *testing.T) (all []string) {
	t.Helper()
	for index, kind := range map[string]string{kv.IndexList: "#FND", kv.IndexLookup: "#NAME"} {
		page, err := h.engine.Query(t.Context(), kv.Query{Index: index,
			Partition: h.company.ID[len(dossier.PrefixCompany):] + kind, Eventual: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			text, _, _ := strings.Cut(kv.PlaceOf(index, i).Sort, "#")
			all = append(all, kind+" "+text)
		}
	}
	slices.Sort(all)
	return all
}

// A candidate has the entries of the present names, and none once they are erased.
func TestSearchEntries(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		id := ok[dossier.Candidate](t, h, "POST", "/candidates", people[0]).ID
		for _, step := range []struct{ body, want string }{
			{`{"phone":"1"}`,
				"#FND ada lovelace,#FND ada@example.com,#FND lovelace ada,#NAME lovelace ada"},
			{`{"firstName":null,"externalId":"Lovelace"}`,
				"#FND ada@example.com,#FND lovelace,#NAME lovelace"},
			{`{"lastName":null,"email":null,"externalId":null}`, "#NAME "},
			{`{"firstName":"Ada"}`, "#FND ada,#NAME ada"},
		} {
			ok[dossier.Candidate](t, h, "PATCH", "/candidates/"+id, step.body)
			if got := strings.Join(h.entries(t), ","); got != step.want {
				t.Errorf("%s: %q, want %q", step.body, got, step.want)
			}
		}
		ok[any](t, h, "DELETE", "/candidates/"+id, "")
		if got := h.entries(t); len(got) > 0 {
			t.Errorf("after the erasure: %q", got)
		}
	})
}

// forget takes the search entries of a candidate away, as if an earlier version had written it.
func (h *testAPI) forget(t *testing.T, id string) {
	t.Helper()
	pk := h.company.ID[len(dossier.PrefixCompany):] + "#CAND#" + id[len(dossier.PrefixCandidate):]
	page, err := h.engine.Query(t.Context(), kv.Query{Partition: pk})
	if err != nil {
		t.Fatal(err)
	}
	var writes []kv.Write
	for _, i := range page.Items {
		w := kv.Write{Delete: &i.Key, If: kv.Condition{Rev: i.Rev}}
		if i.SK == "A#CAND" {
			doc := strings.Replace(string(i.Doc), `"searchable":true`, `"searchable":false`, 1)
			if doc == string(i.Doc) {
				t.Fatalf("not searchable: %s", doc)
			}
			i.Rev, i.Doc = i.Rev+1, []byte(doc)
			w = kv.Write{Put: &i, If: w.If}
		} else if !strings.HasPrefix(i.SK, "FND#") {
			continue
		}
		writes = append(writes, w)
	}
	if err := h.engine.Commit(t.Context(), writes...); err != nil {
		t.Fatal(err)
	}
}

// Candidates of an earlier version are found after the first search's task, or once they are
// written; the task changes nothing that a client sees but the version.
func TestSearchBackfill(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		ids := h.people(t)
		for range 55 { // more than a page of the task
			h.forget(t, h.candidate(t))
		}
		for _, id := range ids {
			h.forget(t, id)
		}
		ok[dossier.Candidate](t, h, "POST", "/candidates/"+ids["c"]+"/reject", `{"reason":"no"}`)
		before := ok[dossier.Candidate](t, h, "GET", "/candidates/"+ids["a"], "")
		if got := h.search(t, "o'neill") + h.search(t, "lovelace"); got != "c" {
			t.Errorf("before the task: %q", got)
		}
		var cursors store.SweepCursors
		for sweeps := 0; ; sweeps++ {
			due, _, err := h.store.Due(t.Context(), 100, &cursors)
			if err != nil {
				t.Fatal(err)
			}
			due = slices.DeleteFunc(due, func(e store.Task) bool {
				return e.Kind != store.TaskBackfill
			})
			if len(due) == 0 {
				if sweeps == 0 {
					t.Error("the search opened no task")
				}
				break
			}
			if company, _, _ := due[0].Owner(); company != h.company.ID || len(due) > 1 {
				t.Errorf("%d tasks, of %s", len(due), company)
			}
			if err := h.store.Backfill(t.Context(), due[0]); err != nil {
				t.Fatal(err)
			}
		}
		if got := h.search(t, "lovelace"); got != "af" {
			t.Errorf("after the task: %q", got)
		}
		if got := fmt.Sprint(len(h.entries(t))); got != "130" {
			t.Errorf("%s entries", got)
		}
		after := ok[dossier.Candidate](t, h, "GET", "/candidates/"+ids["a"], "")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the task changed (-before +after)\n%s", diff)
		}
	})
}
