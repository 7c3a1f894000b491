package contract

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/kv"
)

var nextLink = regexp.MustCompile(`^<[^>]*?(/[a-zA-Z/]+\?[^>]+)>; rel="next"$`)

// idsOf returns the ids of a page of a list, and the path of the next page.
func (s *service) idsOf(path string) (ids []string, next string) {
	s.Helper()
	status, body, header := s.send("GET", path, nil)
	list, ok := body.([]any)
	if status != 200 || !ok {
		s.Fatalf("GET %s: %d %v", path, status, body)
	}
	for _, v := range list {
		ids = append(ids, at(v, "id").(string))
	}
	if m := nextLink.FindStringSubmatch(header.Get("Link")); m != nil {
		next = m[1]
	}
	return ids, next
}

// pages returns the ids of all pages from one on.
func (s *service) pages(path string) (ids []string) {
	s.Helper()
	for path != "" {
		some, next := s.idsOf(path)
		ids, path = append(ids, some...), next
	}
	return ids
}

const logs = "/integrations/logs?page[size]=3"

// TestListShards holds that the lists of a company are the same however many shards they have: in
// their order, complete, each entry once, and with the cursors from before the number grew.
func TestListShards(t *testing.T) {
	t.Parallel()
	for name, engine := range engines {
		if name == "dynamo" && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, engine(t))
			dt := s.create("/documentTypes", object{"name": "Passport",
				"check": object{"parser": "none", "decision": "manual"}})
			s.create("/integrations", object{"name": "HR", "triggerEvent": "candidateCreated",
				"target": object{"type": "webhook", "url": s.receiver.URL + "/hr"}})
			lists := map[string]bool{ // newest first
				"/candidates?page[size]=3":                                          false,
				"/candidates?page[size]=3&sort=-createdAt":                          true,
				"/candidates?page[size]=3&filter[status][]=collecting":              false,
				"/candidateDocumentTypes?page[size]=3":                              false,
				"/candidateDocumentTypes?page[size]=3&filter[state][]=requested":    false,
				"/candidateDocumentTypes?page[size]=3&filter[documentTypeId]=" + dt: false,
				logs: true,
			}
			s.ok("GET", "/candidates?filter[missing]="+dt, nil) // the first opens a task
			made := s.people(dt, 5)
			shown := map[string][]string{}
			next := map[string]string{}
			for path := range lists {
				s.settled(path, 5)
				shown[path], next[path] = s.idsOf(path)
			}
			for _, shards := range []int{4, 4, 7} {
				s.spread(s.company, shards)
				made = append(made, s.people(dt, 5)...)
			}
			for path, backward := range lists {
				s.settled(path, len(made))
				all := s.pages(path)
				if path == logs { // in the order of their deliveries
					inOrder := slices.SortedFunc(slices.Values(all), strings.Compare)
					s.equal(path, len(slices.Compact(inOrder)), len(made))
				} else {
					s.holds(path, all, made, backward)
				}
				before := shown[path]
				rest := s.pages(next[path])
				if backward { // what is new is before the page
					s.equal(path, append(before, rest...), all[len(made)-5:])
				} else {
					s.equal(path, append(before, rest...), all)
				}
			}
			s.ok("POST", "/candidates/"+made[0]+"/reject",
				object{"reason": "No licence"})
			s.settled("/candidates?filter[status][]=rejected", 1)
			s.settled("/candidates?filter[status][]=collecting", len(made)-1)
		})
	}
}

// people creates candidates, one after the other.
func (s *service) people(dt string, n int) (ids []string) {
	for n := range n {
		ids = append(ids, s.create("/candidates", object{"firstName": "Ada",
			"lastName": fmt.Sprint("Lovelace ", n), "documentTypeIds": []string{dt}}))
	}
	return ids
}

// settled waits until a list has n entries: lists follow the writes.
func (s *service) settled(path string, n int) {
	s.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		got := len(s.pages(path))
		if got == n {
			return
		}
		if time.Now().After(until) {
			s.Fatalf("%s: %d entries, not %d", path, got, n)
		}
	}
}

// holds checks that the entries of a list are those of candidates, in their order.
func (s *service) holds(path string, ids, candidates []string, backward bool) {
	s.Helper()
	want := slices.Clone(candidates)
	if backward {
		slices.Reverse(want)
	}
	for n, id := range ids {
		if got := id[4 : 4+26]; got != want[n][4:] {
			s.Errorf("%s: entry %d is of %s, not %s", path, n, got, want[n])
		}
	}
}

// TestShardsSpread holds that entries lie in more than one partition once a company has shards.
func TestShardsSpread(t *testing.T) {
	t.Parallel()
	engine := engines["bolt"](t)
	s := newShardedService(t, engine, 4)
	s.people(s.create("/documentTypes", object{"name": "Passport"}), 40)
	for _, list := range []string{"CAND", "CDT"} {
		found := 0
		for _, suffix := range []string{"", "#S001", "#S002", "#S003", "#S004"} {
			page, err := engine.Query(t.Context(), kv.Query{Index: kv.IndexList,
				Partition: s.company[4:] + "#" + list + suffix})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(page.Items); n > 0 && n < 40 {
				found += n
			}
		}
		s.equal(list, found, 40)
	}
	path := "/candidates?" + url.Values{"page[size]": {"50"}}.Encode()
	s.equal(path, len(s.pages(path)), 40)
}
