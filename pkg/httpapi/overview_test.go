package httpapi

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// requestDue asks a candidate for a document type by a moment.
func (h *testAPI) requestDue(t *testing.T, candidate, documentType string, due time.Time) string {
	t.Helper()
	return ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes", fmt.Sprintf(
		`{"candidateId":%q,"documentTypeId":%q,"dueAt":%q}`, candidate, documentType,
		due.UTC().Format(time.RFC3339))).ID
}

func (h *testAPI) uploaded(t *testing.T, request string, found store.CheckResult) {
	t.Helper()
	ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes/"+request+"/upload",
		parts("front", pdf))
	h.finishChecks(t, found)
}

func ids(list []dossier.CandidateDocumentType) []string {
	out := []string{}
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}

func TestOverview(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		day := 24 * time.Hour
		dated := h.documentType(t, "Licence",
			`,"check":{"parser":"none","expiryReference":"until","fields":[{"reference":"until","label":"U","type":"date"}]}`)
		plain, other := h.documentType(t, "Form", ""), h.documentType(t, "Photo", "")
		ada := ok[dossier.Candidate](t, h, "POST", "/candidates",
			`{"firstName":"Ada","lastName":"Lovelace","externalId":"E1"}`).ID
		bob := h.candidate(t)
		late := h.requestDue(t, ada, plain, h.clock.now().Add(day))
		later := h.requestDue(t, bob, plain, h.clock.now().Add(2*day))
		first := h.requestDue(t, bob, other, h.clock.now().Add(9*day))
		h.uploaded(t, first, store.CheckResult{State: dossier.StateInReview})
		h.clock.forward(time.Hour)
		second := h.requestDue(t, ada, other, h.clock.now().Add(9*day))
		h.uploaded(t, second, store.CheckResult{State: dossier.StateInReview})
		for n, candidate := range []string{ada, bob} {
			request := h.requestDue(t, candidate, dated, h.clock.now().Add(9*day))
			h.uploaded(t, request, store.CheckResult{State: dossier.StateInReview})
			until := h.clock.now().UTC().AddDate(0, 0, 80-60*n).Format(dossier.DateLayout)
			ok[dossier.CandidateDocumentType](t, h, "POST",
				"/candidateDocumentTypes/"+request+"/validate", `{"parsed":{"until":"`+until+`"}}`)
		}
		h.do(t, call{method: "POST", target: "/candidates/" + ada + "/messages",
			body: `{"text":"Hi"}`, key: h.token(t, ada)})
		h.clock.forward(36 * time.Hour)
		h.key = h.signIn(t, "key", h.key).Token
		n := func(c int) dossier.Count { return dossier.Count{Count: c} }
		got := ok[dossier.Overview](t, h, "GET", "/overview", "")
		if got.OldestToReview == nil || got.OldestToReview.CandidateDocumentTypeID != first ||
			got.OldestToReview.Since.IsZero() {
			t.Errorf("the oldest is %+v", got.OldestToReview)
		}
		got.OldestToReview = nil
		want := dossier.Overview{ToReview: n(2), Overdue: n(1), UnreadMessages: n(1),
			Expiring: dossier.ExpiringCount{In30Days: n(1), In60Days: n(1), In90Days: n(2)}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		h.checkDueLists(t, late, later, first, second)
	})
}

// checkDueLists checks the lists by state, due date and date of expiry.
func (h *testAPI) checkDueLists(t *testing.T, late, later, first, second string) {
	t.Helper()
	list := func(query string) []string {
		return ids(ok[[]dossier.CandidateDocumentType](t, h, "GET",
			"/candidateDocumentTypes?"+query, ""))
	}
	now := url.QueryEscape(h.clock.now().UTC().Format(time.RFC3339))
	for query, want := range map[string][]string{
		"filter[state][]=inReview": {first, second}, "filter[state][]=requested": {late, later},
		"filter[dueBefore]=" + now:                               {late},
		"filter[dueBefore]=2099-01-01T00:00:00Z":                 {late, later},
		"filter[dueBefore]=" + now + "&filter[state][]=uploaded": {},
	} {
		if diff := cmp.Diff(want, list(query)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", query, diff)
		}
	}
	if got := list("filter[expiresBefore]=" +
		h.clock.now().UTC().AddDate(0, 0, 30).Format(dossier.DateLayout)); len(got) != 1 {
		t.Errorf("expiring: %v", got)
	}
	named := ok[[]dossier.CandidateDocumentType](t, h, "GET",
		"/candidateDocumentTypes?include=candidate&filter[dueBefore]="+now, "")
	if len(named) != 1 || named[0].Candidate == nil ||
		*named[0].Candidate != (dossier.CandidateName{FirstName: "Ada", LastName: "Lovelace",
			ExternalID: "E1"}) {
		t.Errorf("named: %+v", named)
	}
}

// A page of requests in review continues after its last item, by urgency, and neither skips nor
// repeats one.
func TestPagesByUrgency(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	dt := h.documentType(t, "Form", "")
	want := []string{}
	for n := range 7 {
		c := h.candidate(t)
		want = append([]string{h.requestDue(t, c, dt,
			h.clock.now().Add(time.Duration(9-n)*time.Hour))}, want...)
	}
	var got []string
	target := "/candidateDocumentTypes?filter[state][]=requested&filter[state][]=uploaded&page[size]=3"
	for target != "" {
		w := h.do(t, call{method: "GET", target: target})
		got = append(got, ids(decoded[[]dossier.CandidateDocumentType](t, w))...)
		target, _ = nextOf(w.Header().Get("Link"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// nextOf returns the address in a Link header.
func nextOf(link string) (string, bool) {
	var target string
	_, err := fmt.Sscanf(link, "<%s", &target)
	if err != nil || len(target) < 2 {
		return "", false
	}
	return target[:len(target)-2], true
}

func TestFiltersThatDontGoTogether(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	for query, named := range map[string]string{
		"filter[dueBefore]=tomorrow":       "?filter[dueBefore] malformed",
		"filter[expiresBefore]=2026-13-01": "?filter[expiresBefore] malformed",

		"filter[expiresBefore]=2026-12-01&filter[dueBefore]=2026-12-01T00:00:00Z": "?filter[expiresBefore] notAllowed",
		"filter[expiresBefore]=2026-12-01&filter[state][]=inReview":               "?filter[expiresBefore] notAllowed",
		"filter[dueBefore]=2026-12-01T00:00:00Z&filter[state][]=validated":        "?filter[dueBefore] notAllowed",
		"filter[dueBefore]=2026-12-01T00:00:00Z&filter[candidateId]=cnd_" +
			otherULID: "?filter[dueBefore] notAllowed",
		"include=everything": "?include unknown",
	} {
		h.refused(t, call{method: "GET", target: "/candidateDocumentTypes?" + query},
			dossier.CodeValidation, named)
	}
}

func TestUnreadMessages(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		ada, bob := h.candidate(t), h.candidate(t)
		token := h.token(t, ada)
		say := func(candidate, key, text string) dossier.Message {
			h.clock.forward(time.Second)
			m, _ := okWith[dossier.Message](t, h,
				call{method: "POST", target: "/candidates/" + candidate + "/messages",
					body: `{"text":"` + text + `"}`, key: key})
			return m
		}
		first := say(ada, token, "one")
		say(ada, "", "two")
		say(bob, h.token(t, bob), "three")
		count := func(candidate, key string) int {
			n, _ := okWith[unread](t, h,
				call{method: "GET", target: "/candidates/" + candidate + "/unread", key: key})
			return n.Messages
		}
		texts := func() (all []string) {
			for _, m := range ok[[]dossier.Message](t, h, "GET", "/messages/unread", "") {
				all = append(all, m.Text)
			}
			return all
		}
		if got := texts(); !cmp.Equal(got, []string{"one", "three"}) {
			t.Errorf("unread: %v", got)
		}
		if a, b, c := count(ada, ""), count(bob, ""), count(ada, token); a != 1 || b != 1 ||
			c != 1 {
			t.Errorf("unread: %d, %d, and by the candidate %d", a, b, c)
		}
		ok[dossier.Message](t, h, "POST", "/candidates/"+ada+"/messages/"+first.ID+"/read", "")
		if got := ok[dossier.Message](t, h, "GET", "/candidates/"+ada+"/messages/"+first.ID,
			""); got.Text != "one" || got.State != dossier.MessageRead {
			t.Errorf("read: %+v", got)
		}
		if got := texts(); !cmp.Equal(got, []string{"three"}) || count(ada, "") != 0 {
			t.Errorf("unread after reading: %v, %d", got, count(ada, ""))
		}
		ok[struct{}](t, h, "DELETE", "/candidates/"+bob, "")
		if got := texts(); len(got) != 0 {
			t.Errorf("unread after an erasure: %v", got)
		}
	})
}
