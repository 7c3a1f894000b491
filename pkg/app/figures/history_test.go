package figures

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// BenchmarkFigureHistory prints how long it takes to compare ten proposed rules with ten saved ones
// over 500 past documents, standalone, through the API.
func BenchmarkFigureHistory(b *testing.B) {
	h := onBolt(b)
	rules := func(name string) string {
		list := make([]string, 10)
		for n := range list {
			list[n] = fmt.Sprintf(`{"conditionsType":"and","conditions":[
				{"type":"context","reference":"firstName","operator":"isEqual","value":[%q]},
				{"type":"context","reference":"lastName","operator":"isNotEmpty"}],
				"actions":[{"type":"addDocumentType","value":%q}]}`, name,
				h.documentType(fmt.Sprint(name, n), ""))
		}
		return strings.Join(list, ",")
	}
	dt := h.documentType("Permit", rules("Ada"))
	id, request := h.candidate(dt)
	h.reviewed(request)
	h.do(200, "POST", "/candidateDocumentTypes/"+request+"/validate", "")
	page, err := h.meter.look.Query(h.Context(), kv.Query{
		Partition: h.company[4:] + "#CAND#" + id[4:], From: "RUN#", To: "RUN#~"})
	if err != nil || len(page.Items) != 1 {
		b.Fatalf("runs: %v %v", page.Items, err)
	}
	h.copies(page.Items[0], dossier.MaxHistory-1, func(i *kv.Item, id string) {
		i.SK, i.LookupSort = i.SK+id, i.LookupSort+id
	})
	body := fmt.Sprintf(`{"over":{"from":"2000-01-01T00:00:00Z","to":"2100-01-01T00:00:00Z"},
		"submission":{"rules":[%s]}}`, rules("Ida"))
	start := time.Now()
	answer := h.do(200, "POST", "/documentTypes/"+dt+"/submission/simulate", body)
	took := time.Since(start)
	over := answer.(map[string]any)["over"].(map[string]any)
	if over["compared"] != float64(dossier.MaxHistory) || over["different"] != over["compared"] {
		b.Fatalf("compared: %v", answer)
	}
	title("rules over past documents: 10 saved and 10 proposed rules, embedded store")
	fmt.Printf("%v documents  %v  target 2s; a run is %d bytes\n", over["compared"],
		took.Round(time.Millisecond), len(page.Items[0].Doc))
}
