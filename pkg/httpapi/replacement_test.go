package httpapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

// licence is a candidate with one validated document, which expires in 40 days.
type licence struct {
	*testAPI
	documentType, candidate, path string
	first                         *dossier.Document
}

func newLicence(t *testing.T, h *testAPI, more string) *licence {
	t.Helper()
	l := &licence{testAPI: h, documentType: h.documentType(t, "Licence", `,"check":{"parser":"none",
		"expiryReference":"until","fields":[{"reference":"number","label":"N","type":"text"},
		{"reference":"until","label":"U","type":"date"}]},
		"writeBack":[{"from":"number","to":"phone"}]`+more)}
	l.candidate = h.candidate(t, l.documentType)
	l.path = "/candidateDocumentTypes/" + h.requests(t, l.candidate)[0].ID
	l.upload(t, dossier.StateInReview)
	l.first = l.validate(t, "first", 40).Document
	l.is(t, dossier.StateValidated, "", dossier.StatusApproved)
	return l
}

// upload sends a document, as the candidate, and ends its check.
func (l *licence) upload(t *testing.T, state string) dossier.CandidateDocumentType {
	t.Helper()
	answer, _ := okWith[dossier.CandidateDocumentType](t, l.testAPI, call{method: "POST",
		target: l.path + "/upload", body: parts("front", pdf), key: l.token(t, l.candidate)})
	if answer.Lock == nil {
		t.Errorf("no lock: %+v", answer)
	}
	l.finishChecks(t, store.CheckResult{State: state})
	return answer
}

// validate validates the newest document, with a number and the days until it expires.
func (l *licence) validate(t *testing.T, number string, days int) dossier.CandidateDocumentType {
	t.Helper()
	return ok[dossier.CandidateDocumentType](t, l.testAPI, "POST", l.path+"/validate",
		fmt.Sprintf(`{"parsed":{"number":%q,"until":%q}}`, number, l.day(days)))
}

func (l *licence) reject(t *testing.T, more string) dossier.CandidateDocumentType {
	t.Helper()
	return ok[dossier.CandidateDocumentType](t, l.testAPI, "POST", l.path+"/reject",
		`{"reason":"not legible"`+more+`}`)
}

func (l *licence) day(days int) string {
	return l.clock.now().UTC().AddDate(0, 0, days).Format(dossier.DateLayout)
}

func (l *licence) get(t *testing.T) dossier.CandidateDocumentType {
	t.Helper()
	return ok[dossier.CandidateDocumentType](t, l.testAPI, "GET", l.path, "")
}

// is compares the state, that of the replacement, and the status of the candidate.
func (l *licence) is(t *testing.T, state, replacement, status string) {
	t.Helper()
	c, newer := l.get(t), ""
	if c.Replacement != nil {
		newer = c.Replacement.State
		if r := c.Replacement; r.DocumentID != r.Document.ID || r.State != r.Document.State ||
			r.Since.IsZero() {
			t.Errorf("replacement %+v", r)
		}
	}
	is := ok[dossier.Candidate](t, l.testAPI, "GET", "/candidates/"+l.candidate, "").Status
	if c.State != state || newer != replacement || is != status {
		t.Errorf("%s, replacement %q, candidate %s", c.State, newer, is)
	}
}

// inForce holds that the first document is in force, with its values.
func (l *licence) inForce(t *testing.T) {
	t.Helper()
	c := l.get(t)
	if c.State != dossier.StateValidated || c.Document.ID != l.first.ID ||
		c.Document.State != dossier.StateValidated || c.ExpiresAt != l.day(40) ||
		c.Document.Parsed["number"] != "first" || len(c.MissingParts) != 0 {
		t.Errorf("in force: %+v %+v", c, c.Document)
	}
	who := ok[dossier.Candidate](t, l.testAPI, "GET", "/candidates/"+l.candidate, "")
	if who.Phone != "first" || who.Status != dossier.StatusApproved {
		t.Errorf("candidate: %+v", who)
	}
}

// listed returns the number of candidate document types in a list.
func (l *licence) listed(t *testing.T, query string) int {
	t.Helper()
	return len(ok[[]identified](t, l.testAPI, "GET", "/candidateDocumentTypes?"+query, ""))
}

// events returns the names of the candidate's events about documents and status.
func (l *licence) events(t *testing.T) string {
	t.Helper()
	var names []string
	for _, e := range ok[[]event.Event](t, l.testAPI, "GET",
		"/candidates/"+l.candidate+"/events?page[size]=100", "") {
		names = append(names, strings.TrimPrefix(e.Type, "candidate"))
	}
	return strings.Join(names, " ")
}

// A candidate who replaces a validated document by mistake stays approved.
func TestReplaceByMistake(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		l := newLicence(t, h, "")
		before := l.events(t)
		own := call{method: "POST", target: l.path + "/upload", body: parts("front", pdf),
			key: l.token(t, l.candidate)}
		answer, _ := okWith[dossier.CandidateDocumentType](t, h, own)
		if answer.State != dossier.StateValidated || answer.Lock == nil ||
			answer.Document.ID != l.first.ID || len(answer.Document.Parsed) != 0 ||
			answer.Replacement.State != dossier.StateProcessing ||
			answer.Replacement.Document.Version != 2 {
			t.Errorf("%+v %+v", answer, answer.Replacement)
		}
		l.is(t, dossier.StateValidated, dossier.StateProcessing, dossier.StatusApproved)
		for target, body := range map[string]string{"upload": own.body, "validate": "",
			"reject": `{"reason":"r"}`} {
			locked := call{method: "POST", target: l.path + "/" + target, body: body}
			if w := h.refused(t, locked, dossier.CodeLocked); w.Header().Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", target)
			}
		}
		h.finishChecks(t, store.CheckResult{State: dossier.StateInReview,
			Parsed: map[string]any{"number": "wrong"}})
		l.is(t, dossier.StateValidated, dossier.StateInReview, dossier.StatusApproved)
		l.inForce(t)
		byToken, _ := okWith[dossier.CandidateDocumentType](t, h, call{method: "GET",
			target: l.path, key: own.key})
		if newer := byToken.Replacement; newer == nil || len(newer.Document.Parsed) != 0 {
			t.Errorf("what the candidate sees: %+v", byToken)
		}
		if rejected := l.reject(t, ""); rejected.Replacement.State != dossier.StateRejected ||
			rejected.Replacement.Document.Reasons[0].Message != "not legible" {
			t.Errorf("%+v", rejected.Replacement)
		}
		l.inForce(t)
		h.refused(t, call{method: "POST", target: l.path + "/reject", body: `{"reason":"again"}`},
			dossier.CodeTransition)
		l.inForce(t)
		if after := strings.TrimPrefix(l.events(t), before); after !=
			" DocumentUploaded DocumentRejected" {
			t.Errorf("events: %s", after)
		}
	})
}

// The newer document takes over when it is validated, whichever of several it is.
func TestReplacementTakesOver(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		l := newLicence(t, h, "")
		l.upload(t, dossier.StateInReview)
		l.upload(t, dossier.StateNeedsResubmission)
		l.inForce(t)
		l.upload(t, dossier.StateCheckFailed)
		l.inForce(t)
		l.upload(t, dossier.StateInReview)
		l.inForce(t)
		after := l.validate(t, "second", 100)
		if after.Document.Version != 5 || after.Replacement != nil ||
			after.ExpiresAt != l.day(100) {
			t.Errorf("%+v", after)
		}
		who := ok[dossier.Candidate](t, h, "GET", "/candidates/"+l.candidate, "")
		if who.Phone != "second" || who.Status != dossier.StatusApproved {
			t.Errorf("%+v", who)
		}
		l.upload(t, dossier.StateInReview)
		if again := l.get(t); again.Document.ID != after.Document.ID ||
			again.ExpiresAt != l.day(100) {
			t.Errorf("%+v", again)
		}
	})
}

// Lists have it by its state and by that of the replacement, each once.
func TestReplacementInLists(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		l := newLicence(t, h, "")
		l.upload(t, dossier.StateInReview)
		ofType := "filter[documentTypeId]=" + l.documentType
		counts := func(validated, inReview int) {
			t.Helper()
			for _, of := range []string{"", ofType + "&",
				"filter[candidateId]=" + l.candidate + "&"} {
				for query, want := range map[string]int{"": 1,
					"filter[state][]=validated": validated,
					"filter[state][]=inReview":  inReview, "filter[state][]=requested": 0,
					"filter[state][]=inReview&filter[state][]=validated": max(validated,
						inReview)} {
					if n := l.listed(t, of+query); n != want {
						t.Errorf("%s%s: %d, not %d", of, query, n, want)
					}
				}
			}
		}
		counts(1, 1)
		for _, query := range []string{"filter[expiresBefore]=" + l.day(41), "sort=expiresAt",
			"filter[state][]=inReview&sort=since"} {
			if n := l.listed(t, query); n != 1 {
				t.Errorf("%s: %d", query, n)
			}
		}
		missing := "/candidates?filter[missing]=" + l.documentType
		overview := ok[dossier.Overview](t, h, "GET", "/overview", "")
		if overview.ToReview.Count != 1 || overview.Expiring.In60Days.Count != 1 ||
			overview.OldestToReview.CandidateID != l.candidate {
			t.Errorf("%+v", overview)
		}
		l.reject(t, `,"resubmit":true`)
		if n := len(ok[[]identified](t, h, "GET", missing, "")); n != 0 {
			t.Errorf("%d missing", n)
		}
		if n := l.listed(t, "filter[state][]=needsResubmission"); n != 1 {
			t.Errorf("%d need another document", n)
		}
		counts(1, 0)
		l.upload(t, dossier.StateInReview)
		l.validate(t, "second", 100)
		counts(1, 0)
		l.upload(t, dossier.StateInReview)
		counts(1, 1)
		ok[dossier.CandidateDocumentType](t, h, "DELETE", l.path, "")
		l.is(t, dossier.StateRemoved, "", dossier.StatusCollecting)
		counts(0, 0)
		again := ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes",
			`{"candidateId":"`+l.candidate+`","documentTypeId":"`+l.documentType+`"}`)
		if again.State != dossier.StateRequested || again.Replacement != nil {
			t.Errorf("asked for again: %+v", again)
		}
	})
}

// reportDates does what is due by date.
func (h *testAPI) reportDates(t *testing.T) {
	t.Helper()
	due, _, err := h.store.Due(t.Context(), 100, &store.SweepCursors{})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range due {
		if task.Kind == store.TaskDate {
			if err := h.store.ReportDates(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// expiring is the state of a newer document when the one in force expires, and what follows.
type expiring struct{ newest, status, last string }

// The document in force is reported before it expires. When it does, the newer one counts.
func TestInForceExpires(t *testing.T) {
	t.Parallel()
	for _, c := range []expiring{
		{dossier.StateInReview, dossier.StatusInReview, "DocumentExpired StatusChanged"},
		{dossier.StateNeedsResubmission, dossier.StatusCollecting,
			"DocumentExpired StatusChanged"},
	} {
		t.Run(c.newest, func(t *testing.T) {
			onBothEngines(t, func(t *testing.T, h *testAPI) { inForceExpires(t, h, c) })
		})
	}
}

func inForceExpires(t *testing.T, h *testAPI, c expiring) {
	l := newLicence(t, h, "")
	l.upload(t, c.newest)
	until := l.day(40)
	h.clock.forward(34 * 24 * time.Hour)
	h.reportDates(t)
	if got := l.events(t); !strings.HasSuffix(got, "DocumentExpiring DocumentExpiring") {
		t.Errorf("events: %s", got)
	}
	if is := l.get(t); is.ExpiresAt != until || is.State != dossier.StateValidated {
		t.Errorf("%+v", is)
	}
	h.clock.forward(7 * 24 * time.Hour)
	h.reportDates(t)
	l.is(t, c.newest, "", c.status)
	if got := l.events(t); !strings.HasSuffix(got, c.last) {
		t.Errorf("events: %s", got)
	}
	versions := ok[[]dossier.Document](t, h, "GET", l.path+"/documents", "")
	if versions[1].State != dossier.StateExpired || versions[1].ID != l.first.ID {
		t.Errorf("%+v", versions)
	}
	if c.newest == dossier.StateInReview {
		l.validate(t, "second", 100)
		l.is(t, dossier.StateValidated, "", dossier.StatusApproved)
	}
}
