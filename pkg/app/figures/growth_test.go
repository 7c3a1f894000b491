package figures

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// grown holds the costs of operations in a company of some size.
type grown struct {
	candidates, integrations int
	rows                     map[string]cost
	names                    []string // of the rows, in order
}

// grow measures a company with so many candidates and so many integrations of other events. Every
// request has a trace context.
func grow(tb testing.TB, candidates, integrations, lastPage int) *grown {
	h := onBolt(tb)
	h.traceparent = traceparent
	g := &grown{candidates: candidates, integrations: integrations, rows: map[string]cost{}}
	row := func(name string, bill []charge) {
		g.rows[name], g.names = total(bill), append(g.names, name)
	}
	h.listeners(10)
	h.others(integrations)
	dt := h.documentType("Driving licence", "")
	h.more(candidates, dt)
	id, request := h.candidate(dt)
	// The lists first, while each item of them has the same size.
	row("candidates, page 1", h.get("/candidates?page[size]=5")())
	row("candidates of a status, page 1",
		h.get("/candidates?page[size]=5&filter[status][]=collecting")())
	row("candidate document types, page 1", h.get("/candidateDocumentTypes?page[size]=5")())
	const search, byName = "/candidates?page[size]=5&filter[search]=love",
		"/candidates?page[size]=5&sort=name"
	missing, ofType := "/candidates?page[size]=5&filter[missing]="+dt,
		"/candidateDocumentTypes?page[size]=5&filter[documentTypeId]="+dt
	h.do(200, "GET", search, "") // the first of a company opens a task
	h.do(200, "GET", missing, "")
	row("missing from candidates, page 1", h.get(missing)())
	row("candidate document types of a type, page 1", h.get(ofType)())
	row("search of candidates, page 1", h.get(search)())
	row("candidates by name, page 1", h.get(byName)())
	if lastPage > 0 {
		const list = "/candidates?page[size]=5"
		row(fmt.Sprintf("candidates, page %d", lastPage), h.page(list, lastPage))
		row(fmt.Sprintf("search of candidates, page %d", lastPage), h.page(search, lastPage))
		row(fmt.Sprintf("candidates by name, page %d", lastPage), h.page(byName, lastPage))
		row(fmt.Sprintf("missing from candidates, page %d", lastPage), h.page(missing, lastPage))
		row(fmt.Sprintf("candidate document types of a type, page %d", lastPage),
			h.page(ofType, lastPage))
	}
	row("upload accepted", h.upload(request)())
	row("upload refused", h.request(409, "POST", "/candidateDocumentTypes/"+request+"/upload",
		partOfUpload)())
	row("send message", h.request(200, "POST", "/candidates/"+id+"/messages",
		`{"text":"Good morning."}`)())
	row("integrations for an event", h.lookUp(id))
	return g
}

// more adds candidates: copies of a stored one, with what it is asked for.
func (h *meteredStore) more(n int, dt string) {
	id, _ := h.candidate(dt)
	pk := h.company[4:] + "#CAND#" + id[4:]
	var items []kv.Item
	for _, kind := range []string{"A#CAND", "B#CDT#", "FND#"} {
		page, err := h.meter.look.Query(h.Context(),
			kv.Query{Partition: pk, From: kind, To: kind + "~"})
		if err != nil {
			h.Fatal(err)
		}
		items = append(items, page.Items...)
	}
	if len(items) != 4 {
		h.Fatalf("%d items", len(items))
	}
	ulids := make([]string, n)
	for k := range ulids {
		ulids[k] = ulid.Make().String()
	}
	for _, i := range items {
		k := 0
		h.copies(i, n, func(i *kv.Item, _ string) {
			own := func(text string) string { return strings.Replace(text, id[4:], ulids[k], 1) }
			i.PK, i.ListSort, i.LookupSort = own(i.PK), own(i.ListSort), own(i.LookupSort)
			i.GroupSort = own(i.GroupSort)
			if i.SK == "A#CAND" || strings.HasPrefix(i.SK, "B#CDT#") {
				i.Doc = []byte(own(string(i.Doc)))
			}
			k++
		})
	}
}

var nextPage = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

// page follows the links from the first page of five candidates, and is the bill of the last.
func (h *meteredStore) page(target string, last int) (bill []charge) {
	for range last {
		r := httptest.NewRequest("GET", target, nil).WithContext(h.Context())
		r.Header.Set("Authorization", "Bearer "+h.key)
		w := httptest.NewRecorder()
		bill = h.bill(target, func() { h.api.ServeHTTP(w, r) })
		next := nextPage.FindStringSubmatch(w.Header().Get("Link"))
		if w.Code != 200 || next == nil {
			h.Fatalf("%s: %d, Link %q", target, w.Code, w.Header().Get("Link"))
		}
		target = next[1]
	}
	return bill
}

// actions is the bill of a rules job with so many actions.
func actions(tb testing.TB, n int) []charge {
	h := onBolt(tb)
	request := h.ruled(n)
	h.reviewed(request)
	if _, err := h.store.ValidateByHand(h.Context(), h.company, request,
		dossier.ValidationInput{}); err != nil {
		tb.Fatal(err)
	}
	return h.rules()
}

// TestGrowth holds figure 5: an operation costs the same however much else there is.
func TestGrowth(t *testing.T) {
	t.Parallel()
	few, many := grow(t, 10, 30, 0), grow(t, 2_000, 3_000, 300)
	for name, want := range few.rows {
		if got := many.rows[name]; got != want {
			t.Errorf("%s: %v in a large company, %v in a small one", name, got, want)
		}
	}
	for _, list := range []string{"candidates", "search of candidates", "candidates by name",
		"missing from candidates", "candidate document types of a type"} {
		if first, last := many.rows[list+", page 1"], many.rows[list+", page 300"]; first != last {
			t.Errorf("%s: page 1 costs %v, page 300 %v", list, first, last)
		}
	}
}

// TestActions holds figure 5: an action writes its document type and its event, 2 units each, and
// nothing is read for it.
func TestActions(t *testing.T) {
	t.Parallel()
	few, many := actions(t, 1), actions(t, 4)
	if a, b := total(few), total(many); a.Requests != b.Requests || a.Read != b.Read ||
		b.Write-a.Write != 3*(2+2) {
		t.Errorf("1 action: %v %s, 4 actions: %v %s", a, written(few), b, written(many))
	}
}

// BenchmarkFigure5 prints what operations cost in a small and in a large company.
func BenchmarkFigure5(b *testing.B) {
	few, many := grow(b, 10, 300, 0), grow(b, 100_000, 30_000, 1_000)
	title(
		fmt.Sprintf(
			"figure 5: growth, target: slope 0; %d and %d candidates, %d and %d other integrations (embedded store, units computed)",
			few.candidates, many.candidates, few.integrations, many.integrations))
	for _, name := range many.names {
		small, ok := few.rows[name]
		if !ok {
			small = few.rows["candidates, page 1"]
		}
		fmt.Printf("%-34s %v  |  %v\n", name, small, many.rows[name])
	}
	for _, n := range []int{1, 4} {
		bill := actions(b, n)
		fmt.Printf("%-34s %v  %s\n", fmt.Sprintf("validate, %d actions", n), total(bill),
			written(bill))
	}
	fmt.Println("target: 2 WCU for each item of an action: its document type and its event")
}
