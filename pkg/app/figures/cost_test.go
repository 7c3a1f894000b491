package figures

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/worker"
)

// operation is a row of figure 4: what it costs, and what it writes.
type operation struct {
	name   string
	design string // the target's row: requests, then units by size
	target cost   // the same for the items of this measurement: equal, not at most
	writes string // kinds of items; - is a delete
	do     func() []charge
}

// request is the bill of one HTTP request.
func (h *meteredStore) request(status int, method, target, body string) func() []charge {
	return func() []charge {
		return h.bill(method+" "+target, func() { h.do(status, method, target, body) })
	}
}

func (h *meteredStore) get(target string) func() []charge {
	return h.request(200, http.MethodGet, target, "")
}

// operations are the rows of figure 4, in the order in which they are measured.
func operations(h *meteredStore) []operation {
	h.crowd()
	plain := h.documentType("Driving licence", "")
	ann, annRequest := h.candidate(plain)
	messages := "/candidates/" + ann + "/messages"
	return append([]operation{
		{"upload accepted, the candidate's status with it", "2, 2 WCU/KB+item, 1 RCU/4 KB",
			cost{2, 14, 13, 3}, "CAND, CDT, CHK, DOC, 2 EVT", h.upload(annRequest)},
		{"upload refused (409)", "1, 0, 1 RCU/4 KB", cost{1, 0, 0, 3}, "",
			h.request(409, "POST", "/candidateDocumentTypes/"+annRequest+"/upload", partOfUpload)},
		{"send message", "2, 2 WCU/KB+item, 1 RCU", cost{2, 6, 3, 1}, "CAND, EVT, MSG",
			h.request(200, "POST", messages, `{"text":"Good morning."}`)},
		{"mark read", "2, 1 WCU/KB, 1 RCU; out of the unread ones", cost{2, 1, 1, 1}, "MSG",
			func() []charge {
				m, err := h.store.SendMessage(h.Context(), h.company, ann,
					dossier.Author{Type: dossier.KindCandidate, ID: ann}, "Hello")
				if err != nil {
					h.Fatal(err)
				}
				return h.request(200, "POST", messages+"/"+m.ID+"/read", "")()
			}},
		{"delete own unread", "1, 1 WCU/KB, 0", cost{1, 1, 0, 0}, "-MSG", func() []charge {
			return h.request(200, "DELETE",
				messages+"/"+h.make(messages, `{"text":"Good evening."}`), "")()
		}},
		{"who calls, seen within 10 s: read a candidate", "adds nothing", cost{1, 0, 0, 1}, "",
			h.get("/candidates/" + ann)},
		{"20 requests of a company, counted for all processes", "2, 1 WCU, 1 RCU",
			cost{2, 1, 0, 1}, "REQ", func() []charge { return h.counted() }},
		{"who calls, not seen: read a candidate", "adds 1, 0.5 RCU", cost{2, 0, 0, 1.5}, "",
			func() []charge {
				h.fresh()
				return h.get("/candidates/" + ann)()
			}},
	}, slices.Concat(h.validations(), h.lists(ann, annRequest), h.typeLists(), h.after())...)
}

// counted is the bill of counting requests of a company in the table.
func (h *meteredStore) counted() []charge {
	count := func() {
		if _, err := h.store.CountRequests(h.Context(), store.RequestBucket{CompanyID: h.company,
			Kind: "company", Rate: 200, Burst: 400}, 20); err != nil {
			h.Fatal(err)
		}
	}
	count()
	return h.bill("count requests", count)
}

// validations are the rules of a validated document, with a growing number of actions.
func (h *meteredStore) validations() (ops []operation) {
	for _, row := range []struct {
		actions int
		target  cost
		writes  string
	}{
		{0, cost{2, 18, 16, 1}, "-JOB, CAND, CDT, DOC, 3 EVT, RUN"},
		{1, cost{2, 22, 20, 1}, "-JOB, CAND, 2 CDT, DOC, 3 EVT, RUN"},
		{2, cost{2, 26, 24, 1}, "-JOB, CAND, 3 CDT, DOC, 4 EVT, RUN"},
		{10, cost{2, 64, 59, 1}, "-JOB, CAND, 11 CDT, DOC, 12 EVT, RUN"},
	} {
		request := h.ruled(row.actions)
		ops = append(ops, operation{fmt.Sprintf("validate, %d actions", row.actions),
			"2, 2 WCU/KB+item, 1 RCU/4 KB", row.target, row.writes, func() []charge {
				h.reviewed(request)
				if _, err := h.store.ValidateByHand(h.Context(), h.company, request,
					dossier.ValidationInput{}); err != nil {
					h.Fatal(err)
				}
				return h.rules()
			}})
	}
	request := h.ruled(0)
	return append(ops, operation{"validate by hand: the job opened, done and read", "(rules: 2)",
		cost{5, 28, 27, 7}, "-JOB, 2 CAND, 2 CDT, 2 DOC, 3 EVT, JOB, RUN", func() []charge {
			h.reviewed(request)
			return h.request(200, "POST", "/candidateDocumentTypes/"+request+"/validate", "")()
		}})
}

// rules returns the bill of the rules job that was notified last.
func (h *meteredStore) rules() []charge {
	w := &worker.Rules{Store: h.store}
	return h.bill("rules", func() {
		if err := w.Work(h.Context(), h.notified[store.TaskRules]); err != nil {
			h.Fatal(err)
		}
	})
}

// ruled makes a document type with a rule of n actions, each of which asks for another document
// type, and who is asked for it.
func (h *meteredStore) ruled(n int) (request string) {
	rule := ""
	if n > 0 {
		var actions []string
		for i := range n {
			actions = append(actions, fmt.Sprintf(`{"type":"addDocumentType","value":%q}`,
				h.documentType(fmt.Sprint("Asked for ", i), "")))
		}
		rule = fmt.Sprintf(
			`{"conditionsType":"and","conditions":[{"type":"context","reference":"firstName","operator":"isNotEmpty"}],"actions":[%s]}`,
			strings.Join(actions, ","))
	}
	_, request = h.candidate(h.documentType("Ruled", rule))
	return request
}

// lists are pages of fifty, of more than there are.
func (h *meteredStore) lists(candidate, request string) []operation {
	return []operation{
		{"list candidates", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 4}, "",
			h.get("/candidates?page[size]=50")},
		{"list candidates of a status", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 4}, "",
			h.get("/candidates?page[size]=50&filter[status][]=collecting")},
		{"list candidates, newest first", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 4}, "",
			h.get("/candidates?page[size]=50&sort=-createdAt")},
		{"search candidates", "2, 0.5 RCU/4 KB of entries, 0.5 RCU per candidate",
			cost{2, 0, 0, 27.5}, "", h.get("/candidates?page[size]=50&filter[search]=love")},
		{"list candidates by name", "2, 0.5 RCU/4 KB of entries, 0.5 RCU per candidate",
			cost{2, 0, 0, 27.5}, "", h.get("/candidates?page[size]=50&sort=name")},
		{"list candidate document types, types embedded", "2, 0.5 RCU/4 KB", cost{2, 0, 0, 6}, "",
			h.get("/candidateDocumentTypes?page[size]=50")},
		{"list candidate document types of a candidate", "2, 0.5 RCU/4 KB", cost{2, 0, 0, 1.5}, "",
			h.get("/candidateDocumentTypes?filter[candidateId]=" + candidate)},
		{"list messages", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 1}, "",
			h.get("/candidates/" + candidate + "/messages")},
		{"list events", "1, 0.5 RCU/4 KB", cost{2, 0, 0, 3}, "",
			h.get("/candidates/" + candidate + "/events")},
		{"list candidate document types of a state, with names", "3, 0.5 RCU/4 KB",
			cost{3, 0, 0, 31}, "", h.get(
				"/candidateDocumentTypes?page[size]=50&filter[state][]=requested&include=candidate")},
		{"list unread messages", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 0.5}, "",
			h.get("/messages/unread")},
		{"count a candidate's unread messages", "1, 1 RCU/4 KB", cost{1, 0, 0, 1}, "",
			h.get("/candidates/" + candidate + "/unread")},
		{"overview", "9, 0.5 RCU/4 KB of at most 101 items each", cost{9, 0, 0, 26}, "",
			h.get("/overview")},
		{"list documents", "1, 0.5 RCU/4 KB", cost{2, 0, 0, 4}, "",
			h.get("/candidateDocumentTypes/" + request + "/documents")},
		{"list rule runs", "1, 0.5 RCU/4 KB", cost{2, 0, 0, 4}, "",
			h.get("/candidateDocumentTypes/" + request + "/ruleRuns")},
		{"list document types", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 1.5}, "", h.get("/documentTypes")},
		{"list scenarios", "2, 0.5 RCU/4 KB", cost{2, 0, 0, 1}, "", h.get("/scenarios")},
		{"list registration pages", "2, 0.5 RCU/4 KB", cost{2, 0, 0, 1}, "",
			h.get("/registration-pages")},
		{"list integrations", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 4}, "",
			h.get("/integrations?page[size]=50")},
		{"list integrations of an event", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 1}, "",
			h.get("/integrations?filter[triggerEvent]=candidateMessageSent")},
		{"list forms", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 0.5}, "", h.get("/forms")},
		{"list presets", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 0.5}, "", h.get("/presets")},
		{"list custom fields", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 0.5}, "", h.get("/customFields")},
		{"list keys, the caller's read again", "2, 1 + 0.5 RCU/4 KB", cost{2, 0, 0, 1.5}, "",
			h.get("/keys")},
		{"list integration log", "1, 0.5 RCU/4 KB", cost{1, 0, 0, 0.5}, "",
			h.get("/integrations/logs")},
		{"integrations for an event, 10 of 300", "1, 0, 0.5 RCU", cost{1, 0, 0, 1}, "",
			func() []charge { return h.lookUp(candidate) }},
	}
}

// typeLists are pages of fifty of one document type, and by due date.
func (h *meteredStore) typeLists() []operation {
	return []operation{
		{"list candidate document types of a type", "2, 0.5 RCU/4 KB of keys, 0.5 RCU per item",
			cost{2, 0, 0, 27.5}, "", h.get(
				"/candidateDocumentTypes?page[size]=50&filter[documentTypeId]=" +
					h.crowded)},
		{"list candidates from whom a type is missing",
			"2, 0.5 RCU/4 KB of keys, 0.5 RCU per candidate", cost{2, 0, 0, 27}, "",
			h.get("/candidates?page[size]=50&filter[missing]=" + h.crowded)},
		{"list candidate document types by due date: none has one", "1 for each of 3 states",
			cost{3, 0, 0, 1.5}, "",
			h.get("/candidateDocumentTypes?page[size]=50&sort=dueAt")},
		{"list candidates, neither caller nor shards seen", "adds 2, 1 RCU", cost{3, 0, 0, 5},
			"", func() []charge {
				h.store = h.newStore()
				h.cfg.Store = h.store
				h.fresh()
				return h.get("/candidates?page[size]=50")()
			}},
	}
}

// dispatch is the bill of handing out a candidate's message, after all that happened before.
func (h *meteredStore) dispatch(candidate string) []charge {
	h.make("/candidates/"+candidate+"/messages", `{"text":"Good night."}`)
	return h.bill("dispatch", func() {
		if err := h.store.Dispatch(h.Context(), h.notified[store.TaskDispatch]); err != nil {
			h.Fatal(err)
		}
	})
}

// lookUp is the bill of finding out who hears of a candidate's message.
func (h *meteredStore) lookUp(candidate string) (look []charge) {
	for _, c := range h.dispatch(candidate) {
		if c.index == kv.IndexLookup {
			look = []charge{c}
		}
	}
	return look
}

// crowd fills the lists: ten integrations hear of messages, 290 of something else, and there are
// more candidates than a page holds.
func (h *meteredStore) crowd() {
	h.listeners(10)
	h.others(290)
	dt := h.documentType("Passport", "")
	for range 60 {
		h.candidate(dt)
	}
	h.crowded = dt
	h.do(200, "GET", "/candidates?filter[search]=love", "") // the first of a company opens a task
	h.do(200, "GET", "/candidates?filter[missing]="+dt, "")
	h.make("/scenarios", fmt.Sprintf(
		`{"name":"Welcome","eventName":"candidateCreated","active":false,"documentTypeIds":[%q]}`,
		dt))
	h.make("/registration-pages",
		fmt.Sprintf(
			`{"name":"Drivers","slug":"drivers","documents":[{"documentTypeId":%q,"required":true}]}`, dt))
}

// listeners makes integrations that hear of messages.
func (h *meteredStore) listeners(n int) {
	for n := range n {
		h.make("/integrations", fmt.Sprintf(
			`{"name":"HR %d","triggerEvent":"candidateMessageSent","target":{"type":"webhook","url":"https://hr.example.com/hooks/%[1]d"}}`, n))
	}
}

// others adds integrations of another event: copies of a stored one, without the service's limit
// and the time it takes to make them.
func (h *meteredStore) others(n int) {
	page, err := h.meter.look.Query(h.Context(),
		kv.Query{Index: kv.IndexLookup, Partition: h.company[4:] + "#ON#candidateMessageSent",
			Limit: 1})
	if err != nil || len(page.Items) != 1 {
		h.Fatalf("%v, %d integrations", err, len(page.Items))
	}
	h.copies(page.Items[0], n, func(i *kv.Item, id string) {
		i.SK, i.Lookup, i.LookupSort = id, h.company[4:]+"#ON#candidateErased", "B#INT#"+id
	})
}

// copies stores copies of an item, each with another ULID in its keys.
func (h *meteredStore) copies(of kv.Item, n int, change func(i *kv.Item, id string)) {
	for n > 0 {
		some := min(n, 100)
		writes := make([]kv.Write, some)
		for k := range writes {
			i := of
			i.Rev = 1
			change(&i, ulid.Make().String())
			writes[k] = kv.Write{Put: &i, If: kv.Condition{Absent: true}}
		}
		if err := h.meter.look.Commit(h.Context(), writes...); err != nil {
			h.Fatal(err)
		}
		n -= some
	}
}

// TestOperations holds figure 4: requests and units of each operation, equal to the target.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, o := range operations(onDynamo(t)) {
		if bill := o.do(); total(bill) != o.target || written(bill) != o.writes {
			t.Errorf("%s (-want +got):\n%s", o.name,
				cmp.Diff(o.target, total(bill))+cmp.Diff(o.writes, written(bill)))
		}
	}
}

// traceparent is a trace context.
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// tracedExtra are the units that a trace context adds to writes, where it takes items over the end
// of a KB.
var tracedExtra = map[string]int{"validate by hand: the job opened, done and read": 4}

// TestOperationsTraced holds what each operation costs when every request has a trace context,
// which tasks and events keep: what it costs without, and tracedExtra.
func TestOperationsTraced(t *testing.T) {
	t.Parallel()
	h := onDynamo(t)
	h.traceparent = traceparent
	for _, o := range operations(h) {
		want := o.target
		want.Write += tracedExtra[o.name]
		if bill := o.do(); total(bill) != want || written(bill) != o.writes {
			t.Errorf("%s (-want +got):\n%s", o.name,
				cmp.Diff(want, total(bill))+cmp.Diff(o.writes, written(bill)))
		}
	}
}

// BenchmarkFigure4 prints what each operation costs beside the target.
func BenchmarkFigure4(b *testing.B) {
	title(
		"figure 4: DynamoDB requests and units per operation, on DynamoDB Local (transactions computed from item sizes)")
	fmt.Printf("%-52s %-62s %s\n", "", "", "target")
	for _, o := range operations(onDynamo(b)) {
		bill := o.do()
		fmt.Printf("%-52s %-62v %-31s %s\n", o.name, total(bill), o.design, written(bill))
	}
}

// title begins the table of a figure.
func title(text string) { fmt.Printf("\n%s\n", text) }
