package chaos

import (
	"maps"

	"github.com/dossierhq/dossier/pkg/kv"
)

// promised are the fields that a write relies on by their own, whatever the revision: an operator's
// hand raises none. What they must not have become is named.
var promised = []struct{ function, write, field, value string }{
	{"upload", "change candidate document type", "state", "processing"},
	{"DeleteMessage", "delete message", "state", "read"},
	{"DeleteMessage", "delete message", "author", "administrator adm_other"},
	{"CreateToken", "check candidate", "erased", "true"},
	{"Plan", "check candidate", "erased", "true"},
	{"dispatch", "check candidate", "erased", "true"},
}

// relies are the writes that rely on those fields only, or on the item being there: others may have
// written it meanwhile.
func relies(s site) bool {
	return s.write == "check candidate" || s.write == "check key" ||
		s.function == "endCredential" && s.write == "delete session" ||
		s.function == "DeleteMessage" && s.write == "delete message"
}

// between tries each commit that is about to succeed with one of its items as somebody else would
// have left it, had they come in between what the commit was made of and the commit itself. It must
// not go through. One simulation in eight is tried like that: it takes longer than the commit.
func (w *simulation) between(writes []kv.Write) {
	if w.mutation == nil && w.seed%8 != 0 || w.mutation != nil && w.mutation.alone {
		return
	}
	function := writer()
	for _, write := range writes {
		if !w.lets(function, write, w.truth.items[write.Key()]) {
			return
		}
	}
	for _, write := range writes {
		s := site{function: function, write: writeName(write)}
		for how, other := range strangers(s, write, w.truth.items[write.Key()]) {
			if w.lets(function, write, other) {
				w.truth.wrong("in between", "%s does %s, which is %s meanwhile", function, s.write,
					how)
			}
		}
	}
}

// strangers returns the item of a write as other callers could have left it.
func strangers(s site, write kv.Write, stored kv.Item) map[string]kv.Item {
	if stored.Rev == 0 {
		return map[string]kv.Item{"made": {Key: write.Key(), Rev: 1}}
	}
	all := map[string]kv.Item{"deleted": {}}
	if !relies(s) {
		written := stored
		written.Rev++
		all["written"] = written
	}
	for _, p := range promised {
		if p.function == s.function && p.write == s.write {
			by := stored
			by.Fields = maps.Clone(stored.Fields)
			if by.Fields == nil {
				by.Fields = map[string]string{}
			}
			by.Fields[p.field] = p.value
			all[p.field+" "+p.value] = by
		}
	}
	return all
}

// lets reports whether the condition of a write lets it through, without those that are taken away.
func (w *simulation) lets(function string, write kv.Write, stored kv.Item) bool {
	for asks, part := range parts(write.If) {
		if !part.Holds(stored) && (w.mutation == nil || w.mutation.without == nil ||
			!w.mutation.without(site{function, writeName(write), asks})) {
			return false
		}
	}
	return true
}
