package tabletest

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/table"
)

var conditions = map[string]func(*testing.T, suite){
	"Condition": func(t *testing.T, s suite) {
		stored := s.item("stored")
		stored.Rev = 3
		stored.Fields = map[string]string{"state": "open", "token": "7", "size": "x"} // size is a reserved word of DynamoDB
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
		both := table.Condition{Rev: 1, Is: map[string]string{"state": "new"}, Not: map[string]string{"lock": "on"}}
		i.Rev, i.Fields = 2, map[string]string{"state": "old", "lock": "on"}
		s.commit(t, table.Write{Put: &i, If: both})
		equal(t, "put", s.refuse(t, table.Write{Put: &i, If: both}), map[int]table.Item{0: i})
		equal(t, "delete", s.refuse(t, remove(i.Key, both)), map[int]table.Item{0: i})
		s.commit(t, remove(i.Key, table.Condition{Rev: 2, Is: map[string]string{"state": "old", "lock": "on"}}))
	},
}

// conditionCases tell for each condition whether it holds for the stored item, and where no item is.
var conditionCases = []struct {
	name           string
	If             table.Condition
	stored, absent bool
}{
	{"absent", table.Condition{Absent: true}, false, true},
	{"rev", table.Condition{Rev: 3}, true, false},
	{"older rev", table.Condition{Rev: 2}, false, false},
	{"newer rev", table.Condition{Rev: 4}, false, false},
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
	{"absent and rev", table.Condition{Absent: true, Rev: 3}, false, false},
	{"absent and is", table.Condition{Absent: true, Is: map[string]string{"state": "open"}}, false, false},
	{"absent and not", table.Condition{Absent: true, Not: map[string]string{"state": "closed"}}, false, false},
	{"rev and is", table.Condition{Rev: 3, Is: map[string]string{"state": "open"}}, true, false},
	{"rev and wrong is", table.Condition{Rev: 3, Is: map[string]string{"state": "closed"}}, false, false},
	{"wrong rev and is", table.Condition{Rev: 4, Is: map[string]string{"state": "open"}}, false, false},
	{"is and not", table.Condition{Is: map[string]string{"state": "open"}, Not: map[string]string{"token": "8"}}, true, false},
	{"is and wrong not", table.Condition{Is: map[string]string{"state": "open"}, Not: map[string]string{"token": "7"}}, false, false},
}

func is(pairs ...string) table.Condition  { return table.Condition{Is: toMap(pairs)} }
func not(pairs ...string) table.Condition { return table.Condition{Not: toMap(pairs)} }

func toMap(pairs []string) map[string]string {
	m := map[string]string{}
	for n := 0; n < len(pairs); n += 2 {
		m[pairs[n]] = pairs[n+1]
	}
	return m
}

// holds makes sure that the condition holds or not, alone and among others.
func (s suite) holds(t *testing.T, k table.Key, c table.Condition, want bool) {
	t.Helper()
	beside := check(s.key("nothing here"), table.Condition{Absent: true})
	for position, writes := range [][]table.Write{{check(k, c)}, {beside, check(k, c)}} {
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
