package httpapi

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

const permitByHand = `,"check":{"parser":"none","decision":"manual","required":["permit.number"],"expiryReference":"permit.expires","fields":[
	{"reference":"permit.number","label":"Number","type":"text"},{"reference":"permit.class","label":"Class","type":"text"},
	{"reference":"permit.points","label":"Points","type":"number"},{"reference":"permit.expires","label":"Expires","type":"date"}]},
	"writeBack":[{"from":"permit.number","to":"cf_permitNumber"}],"submission":{"rules":[{"conditionsType":"and",
	"conditions":[{"type":"fields","reference":"permit.class","operator":"isEqual","value":["CE"]}],"actions":[{"type":"addDocumentType","value":%q}]}]}`

// inReview creates a candidate whose document, of a type with fields, waits for a reviewer; read
// has the values that the check read.
func (h *testAPI) inReview(t *testing.T, read map[string]any) (candidate, request string) {
	t.Helper()
	ok[dossier.CustomField](t, h, "POST", "/customFields",
		`{"entity":"candidate","reference":"permitNumber","label":"P","type":"text"}`)
	card := h.documentType(t, "Card", "")
	candidate, request = h.candidateWithRequest(t, fmt.Sprintf(permitByHand, card))
	ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes/"+request+"/upload",
		parts("front", pdf))
	h.finishChecks(t, store.CheckResult{State: dossier.StateInReview, Parsed: read})
	return candidate, request
}

func TestValidateWithValues(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		candidate, request := h.inReview(t,
			map[string]any{"permit": map[string]any{"number": "NL-2O4", "points": 3.0}})
		got := ok[dossier.CandidateDocumentType](t, h, "POST",
			"/candidateDocumentTypes/"+request+"/validate",
			`{"parsed":{"permit":{"number":"NL-204","class":"CE","points":null,"expires":"2099-05-01"}},"comment":"An O for a 0."}`)
		ann := dossier.Actor{Kind: dossier.KindAdministrator, ID: h.company.Key.ID,
			Name: h.company.Key.Name}
		want := &dossier.Document{
			State: dossier.StateValidated, Comment: "An O for a 0.", DecidedBy: &ann,
			Parsed: map[string]any{"permit": map[string]any{"number": "NL-204", "class": "CE",
				"expires": "2099-05-01"}},
			Corrections: []dossier.Correction{
				{Reference: "permit.class", Value: "CE", ChangedBy: ann},
				{Reference: "permit.expires", Value: "2099-05-01", ChangedBy: ann},
				{Reference: "permit.number", Read: "NL-2O4", Value: "NL-204", ChangedBy: ann},
				{Reference: "permit.points", Read: 3.0, ChangedBy: ann}},
		}
		if diff := cmp.Diff(want, got.Document,
			cmpopts.IgnoreFields(dossier.Document{}, "ID", "Version", "Parts", "Reasons",
				"CheckedAt",
				"CreatedAt", "DecidedAt"), cmpopts.IgnoreFields(dossier.Correction{},
				"ChangedAt")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if got.Document.DecidedAt.IsZero() {
			t.Error("nobody knows when it was decided")
		}
		c := ok[dossier.Candidate](t, h, "GET", "/candidates/"+candidate, "")
		if c.CustomFields["permitNumber"] != "NL-204" || len(h.requests(t, candidate)) != 2 {
			t.Errorf("written back %v, and %d document types", c.CustomFields,
				len(h.requests(t, candidate)))
		}
		for _, e := range ok[[]event.Event](t, h, "GET", "/candidates/"+candidate+"/events", "") {
			if e.Type == event.CandidateDocumentValidated &&
				(e.Cause.Principal == nil || *e.Cause.Principal != ann) {
				t.Errorf("the cause is %+v", e.Cause)
			}
		}
		own, _ := okWith[dossier.CandidateDocumentType](t, h,
			call{method: "GET", target: "/candidateDocumentTypes/" + request,
				key: h.token(t, candidate)})
		if d := own.Document; d.Corrections != nil || d.DecidedBy != nil || d.Comment != "" ||
			len(d.Parsed) > 0 {
			t.Errorf("a candidate is shown %+v", d)
		}
	})
}

func TestValidateWithWrongValues(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.inReview(t, nil)
	target := "/candidateDocumentTypes/" + request + "/validate"
	for body, named := range map[string]string{
		`{}`:                                  "/parsed/permit/number required",
		`{"parsed":{"permit":{"number":""}}}`: "/parsed/permit/number tooShort",
		`{"parsed":{"permit":{"number":"1","expires":"1.2.2030"}}}`: "/parsed/permit/expires malformed",
		`{"parsed":{"permit":{"number":"1","points":"3"}}}`:         "/parsed/permit/points wrongType",
		`{"parsed":{"permit":{"number":"1","colour":"red"}}}`:       "/parsed/permit/colour unknown",

		`{"parsed":{"permit.number":"1"}}`:            "/parsed/permit.number malformed",
		`{"parsed":{"permit":"1"}}`:                   "/parsed/permit unknown",
		`{"parsed":{"permit":{"number":{"of":"1"}}}}`: "/parsed/permit/number/of unknown",
		`{"parsed":{"permit":{"number":["1"]}}}`:      "/parsed/permit/number wrongType",

		`{"parsed":{"permit":{"number":"1"}},"comment":"` + long(4001) + `"}`: "/comment tooLong",
	} {
		h.refused(t, call{method: "POST", target: target, body: body}, dossier.CodeValidation,
			named)
	}
	if got := ok[dossier.CandidateDocumentType](t, h, "GET", "/candidateDocumentTypes/"+request,
		""); got.State != dossier.StateInReview {
		t.Errorf("it is %s", got.State)
	}
}

func long(n int) string { return fmt.Sprintf("%0*d", n, 0) }

// Of two concurrent reviewers the first decides, and the second is told by whom. A rejection can
// be withdrawn.
func TestSomebodyDecidedFirst(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		_, request := h.inReview(t, nil)
		bob := ok[dossier.Key](t, h, "POST", "/keys",
			`{"name":"Bob","kind":"administrator","scopes":["documents:write"]}`)
		path := "/candidateDocumentTypes/" + request
		okWith[dossier.CandidateDocumentType](t, h,
			call{method: "POST", target: path + "/reject", body: `{"reason":"Blurred."}`,
				key: bob.Secret})
		w := h.refused(t, call{method: "POST", target: path + "/reject",
			body: `{"reason":"Dark."}`}, dossier.CodeTransition)
		if d := problemOf(t, w).Decision; d == nil || d.State != dossier.StateRejected ||
			d.DecidedBy.Name != "Bob" || d.DecidedAt.IsZero() {
			t.Errorf("who decided: %s", w.Body)
		}
		h.clock.forward(time.Minute)
		got := ok[dossier.CandidateDocumentType](t, h, "POST", path+"/validate",
			`{"parsed":{"permit":{"number":"7"}}}`)
		if got.State != dossier.StateValidated || got.Document.DecidedBy.ID != h.company.Key.ID ||
			len(got.Document.Reasons) != 0 {
			t.Errorf("validated after all: %+v", got.Document)
		}
		w = h.refused(t, call{method: "POST", target: path + "/validate", key: bob.Secret},
			dossier.CodeTransition)
		if d := problemOf(t, w).Decision; d == nil || d.State != dossier.StateValidated ||
			d.DecidedBy.ID != h.company.Key.ID {
			t.Errorf("who decided: %s", w.Body)
		}
	})
}

func TestCandidatesAreNamedAsAuthors(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	c := ok[dossier.Candidate](t, h, "POST", "/candidates",
		`{"firstName":"Ada","lastName":"Lovelace"}`)
	sent, _ := okWith[dossier.Message](t, h,
		call{method: "POST", target: "/candidates/" + c.ID + "/messages", body: `{"text":"Hi"}`,
			key: h.token(t, c.ID)})
	if want := (dossier.Author{Type: dossier.KindCandidate, ID: c.ID,
		Name: "Ada Lovelace"}); sent.Author != want {
		t.Errorf("the author is %+v", sent.Author)
	}
}

// Reviewers' values are erased with the candidate.
func TestErasureTakesCorrections(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		candidate, request := h.inReview(t,
			map[string]any{"permit": map[string]any{"number": "cnry-read"}})
		ok[dossier.CandidateDocumentType](t, h, "POST",
			"/candidateDocumentTypes/"+request+"/validate",
			`{"parsed":{"permit":{"number":"cnry-entered"}},"comment":"cnry-said"}`)
		if !h.holds(t, candidate, "cnry") {
			t.Fatal("nothing was kept")
		}
		ok[struct{}](t, h, "DELETE", "/candidates/"+candidate, "")
		if h.holds(t, candidate, "cnry") {
			t.Error("something is left")
		}
	})
}
