package kvtest

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
)

var conditions = map[string]func(*testing.T, suite){
	"Condition": func(t *testing.T, s suite) {
		stored := s.item("stored")
		stored.Rev = 3
		// size is a reserved word of DynamoDB
		stored.Fields = map[string]string{"state": "open", "token": "7", "size": "x"}
		s.put(t, stored)
		for _, c := range conditionCases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				s.holds(t, stored.Key, c.If, c.stored)
				s.holds(t, s.key("absent"), c.If, c.absent)
			})
		}
	},
	"ConditionOKPutAndDelete": func(t *testing.T, s suite) {
		i := s.item("a")
		s.put(t, i)
		both := kv.Condition{Rev: 1, Is: map[string]string{"state": "new"},
			Not: map[string]string{"lock": "on"}}
		i.Rev, i.Fields = 2, map[string]string{"state": "old", "lock": "on"}
		s.commit(t, kv.Write{Put: &i, If: both})
		equal(t, "put", s.refuse(t, kv.Write{Put: &i, If: both}), map[int]kv.Item{0: i})
		equal(t, "delete", s.refuse(t, remove(i.Key, both)), map[int]kv.Item{0: i})
		s.commit(t, remove(i.Key, kv.Condition{Rev: 2,
			Is: map[string]string{"state": "old", "lock": "on"}}))
	},
}

// conditionCases tell for each condition whether it holds for the stored item, and where no item
// is.
var conditionCases = []struct {
	name           string
	If             kv.Condition
	stored, absent bool
}{
	{"absent", kv.Condition{Absent: true}, false, true},
	{"rev", kv.Condition{Rev: 3}, true, false},
	{"older rev", kv.Condition{Rev: 2}, false, false},
	{"newer rev", kv.Condition{Rev: 4}, false, false},
	{"is", is("state", "open"), true, false},
	{"is reserved word", is("size", "x"), true, false},
	{"is another", is("state", "Open"), false, false},
	{"is of missing field", is("other", "open"), false, false},
	{"is empty of missing field", is("other", ""), false, false},
	{"is both", is("state", "open", "token", "7"), true, false},
	{"is one of two", is("state", "open", "token", "8"), false, false},
	{"not", not("state", "closed"), true, false},
	{"not the same", not("state", "open"), false, false},
	{"not of missing field", not("other", "open"), true, false},
	{"not both", not("state", "closed", "token", "8"), true, false},
	{"not one of two", not("state", "closed", "token", "7"), false, false},
	{"absent and rev", kv.Condition{Absent: true, Rev: 3}, false, false},
	{"absent and is", kv.Condition{Absent: true, Is: map[string]string{"state": "open"}}, false,
		false},
	{"absent and not", kv.Condition{Absent: true, Not: map[string]string{"state": "closed"}}, false,
		false},
	{"rev and is", kv.Condition{Rev: 3, Is: map[string]string{"state": "open"}}, true, false},
	{"rev and wrong is", kv.Condition{Rev: 3, Is: map[string]string{"state": "closed"}}, false,
		false},
	{"wrong rev and is", kv.Condition{Rev: 4, Is: map[string]string{"state": "open"}}, false,
		false},
	{"is and not", kv.Condition{Is: map[string]string{"state": "open"},
		Not: map[string]string{"token": "8"}}, true, false},
	{"is and wrong not", kv.Condition{Is: map[string]string{"state": "open"},
		Not: map[string]string{"token": "7"}}, false, false},
}

func is(pairs ...string) kv.Condition  { return kv.Condition{Is: toMap(pairs)} }
func not(pairs ...string) kv.Condition { return kv.Condition{Not: toMap(pairs)} }

func toMap(pairs []string) map[string]string {
	m := map[string]string{}
	for n := 0; n < len(pairs); n += 2 {
		m[pairs[n]] = pairs[n+1]
	}
	return m
}

// holds makes sure that the condition holds or not, alone and among others.
func (s suite) holds(t *testing.T, k kv.Key, c kv.Condition, want bool) {
	t.Helper()
	beside := check(s.key("nothing here"), kv.Condition{Absent: true})
	for position, writes := range [][]kv.Write{{check(k, c)}, {beside, check(k, c)}} {
		if want {
			s.commit(t, writes...)
			continue
		}
		failed := s.refuse(t, writes...)
		if _, ok := failed[position]; !ok || len(failed) != 1 {
			t.Errorf("failed at %v, want %d", failed, position)
		}
	}
}
