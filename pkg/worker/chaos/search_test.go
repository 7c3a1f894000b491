package chaos

import (
	"maps"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/kv"
)

// findable checks that the search entries of a candidate are those of the present name, e-mail and
// external id, unless an earlier version wrote the candidate last.
func (u *truth) findable(pk string) {
	c := u.people[pk].candidate
	if !c.Searchable {
		return
	}
	want := map[string]bool{}
	for _, term := range []string{c.LastName + " " + c.FirstName,
		c.FirstName + " " + c.LastName, c.Email, c.ExternalID} {
		if term = strings.ToLower(strings.TrimSpace(term)); term != "" {
			want[term] = true
		}
	}
	got := map[string]bool{}
	for _, kind := range []string{"last", "first", "email", "external"} {
		i := u.items[kv.Key{PK: pk, SK: "FND#" + kind}]
		if term, _, found := strings.Cut(i.ListSort, "#"); found {
			got[term] = true
		}
	}
	if !maps.Equal(want, got) {
		u.wrong("search", "%s is found by %q, not by %q", c.ID, slices.Sorted(maps.Keys(got)),
			slices.Sorted(maps.Keys(want)))
	}
}

// typed checks that a candidate document type is in the list of its document type, in its state,
// unless an earlier version wrote it last, or its candidate was erased.
func (u *truth) typed(i kv.Item, r storedRequest) {
	if i.Group == "" {
		return
	}
	company, _, _ := strings.Cut(i.PK, "#")
	rank := "2#"
	if slices.Contains([]string{"requested", "uploaded", "needsResubmission", "rejected",
		"checkFailed", "expired"}, r.shown()) {
		rank = "1#"
	}
	group, _, _ := strings.Cut(i.Group, "#S0")
	if group != company+"#CDT#"+strings.TrimPrefix(i.SK, "B#CDT#") ||
		!strings.HasPrefix(i.GroupSort, rank+r.shown()+"#") {
		u.wrong("list", "%s is %s, and listed as %s %s", r.ID, r.shown(), i.Group, i.GroupSort)
	}
}

// makeOlder makes a candidate one that an earlier version wrote last, with another name: there are
// no search entries yet, or those of the name before.
func (w *simulation) makeOlder(candidate string, entries bool) {
	pk := w.clients.company[len("com_"):] + "#CAND#" + candidate[len("cnd_"):]
	var writes []kv.Write
	for key, i := range w.truth.items {
		switch {
		case key.PK != pk:
		case key.SK == "A#CAND":
			i.Rev++
			i.Doc = []byte(strings.NewReplacer(`"searchable":true`, `"searchable":false`,
				canary, canary+" older").Replace(string(i.Doc)))
			writes = append(writes, kv.Write{Put: &i, If: kv.Condition{Rev: i.Rev - 1}})
		case strings.HasPrefix(key.SK, "B#CDT#"):
			i.Rev++
			i.Group, i.GroupSort = "", ""
			writes = append(writes, kv.Write{Put: &i, If: kv.Condition{Rev: i.Rev - 1}})
		case strings.HasPrefix(key.SK, "FND#") && !entries:
			writes = append(writes, kv.Write{Delete: &key, If: kv.Condition{Rev: i.Rev}})
		}
	}
	if err := w.base.Commit(background, writes...); err != nil {
		panic(err)
	}
	w.truth.committed(nil, writes)
}
