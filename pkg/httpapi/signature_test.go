package httpapi

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// oneDelivered makes an integration that one event was delivered to, and returns its id and the log
// entry.
func oneDelivered(t *testing.T, h *testAPI) (integration string, entry dossier.LogEntry) {
	t.Helper()
	integration = ok[dossier.Integration](t, h, "POST", "/integrations",
		`{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://example.com/hook"}}`).ID
	h.candidate(t)
	h.dispatchEvents(t)
	h.attemptDeliveries(t, "")
	return integration, ok[[]dossier.LogEntry](t, h, "GET",
		"/integrations/logs?filter[integrationId]="+integration, "")[0]
}

// TestDeliveryRequest holds that the request of a log entry verifies, to those only who may read
// what it holds.
func TestDeliveryRequest(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, entry := oneDelivered(t, h)
	target := "/integrations/logs/" + entry.ID + "/request"
	got := ok[dossier.DeliveryReportRequest](t, h, "GET", target, "")
	in := signatureInput{ID: got.Headers["webhook-id"], Timestamp: got.Headers["webhook-timestamp"],
		Signature: got.Headers["webhook-signature"], Body: got.Body}
	if got.URL != "https://example.com/hook" || in.ID != entry.EventID ||
		!strings.Contains(got.Body, entry.EventID) ||
		!in.verifies([]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}) {
		t.Errorf("%+v", got)
	}
	h.refused(t, call{method: "GET", target: "/integrations/logs/log_x/request"},
		dossier.CodeNotFound)
	key := ok[dossier.Key](t, h, "POST", "/keys",
		`{"name":"k","kind":"integration","scopes":["settings:write"]}`)
	h.refused(t, call{method: "GET", target: target, key: key.Secret}, dossier.CodeForbidden)
}

// signatureCase is a change to a good request, and what the API says then.
type signatureCase struct {
	change func(*signatureInput)
	want   signatureReport
}

func signatureCases(now int64) map[string]signatureCase {
	own, other := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	return map[string]signatureCase{
		"right": {func(*signatureInput) {}, signatureReport{Valid: true, Known: true}},
		"secret": {func(in *signatureInput) {
			in.Secret = &own
		}, signatureReport{Valid: true, Known: true}},
		"another secret at the receiver": {func(in *signatureInput) { in.Secret = &other },
			signatureReport{Known: true, Wrong: []string{partSecret}}},
		"id": {func(in *signatureInput) { in.ID = "evt_x" },
			signatureReport{Known: true, Wrong: []string{partID}}},
		"body written anew": {func(in *signatureInput) { in.Body += " " },
			signatureReport{Known: true, Wrong: []string{partBody}}},
		"time": {func(in *signatureInput) { in.Timestamp = strconv.FormatInt(now-1, 10) },
			signatureReport{Known: true, Wrong: []string{partTime}}},
		"id and body": {func(in *signatureInput) {
			in.ID, in.Body = "evt_x", strings.Replace(in.Body, "{", "{ ", 1)
		}, signatureReport{Known: true, Wrong: []string{partID, partBody}}},
		"no time": {func(in *signatureInput) { in.Timestamp = "today" },
			signatureReport{Known: true, Wrong: []string{partTime}}},
		"no signature": {func(in *signatureInput) { in.Signature = "v2,abc v1,abc" },
			signatureReport{Known: true, Wrong: []string{partSignature}}},
		"signed by another secret": {func(in *signatureInput) {
			in.Signature = "v1," + strings.Repeat("A", 43) + "="
		}, signatureReport{Known: true, Wrong: []string{partSecret}}},
		"of no delivery": {func(in *signatureInput) { in.ID, in.Body = "evt_x", "{}" },
			signatureReport{Wrong: []string{partSecret}}},
	}
}

// TestVerifySignature names the part of a signed request that is wrong.
func TestVerifySignature(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	integration, entry := oneDelivered(t, h)
	sent := ok[dossier.DeliveryReportRequest](t, h, "GET",
		"/integrations/logs/"+entry.ID+"/request", "")
	good := signatureInput{ID: sent.Headers["webhook-id"],
		Timestamp: sent.Headers["webhook-timestamp"],
		Signature: sent.Headers["webhook-signature"], Body: sent.Body}
	for name, c := range signatureCases(h.clock.now().Unix()) {
		t.Run(name, func(t *testing.T) {
			in := good
			c.change(&in)
			if c.want.Wrong == nil {
				c.want.Wrong = []string{}
			}
			body, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			got := ok[signatureReport](t, h, "POST",
				"/integrations/"+integration+"/verify-signature", string(body))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	h.refused(t, call{method: "POST", target: "/integrations/" + integration + "/verify-signature",
		body: `{"webhookId":"e"}`}, dossier.CodeValidation, "/webhookTimestamp required",
		"/webhookSignature required", "/body required")
	h.clock.forward(6 * time.Minute)
	body, _ := json.Marshal(good)
	if got := ok[signatureReport](t, h, "POST",
		"/integrations/"+integration+"/verify-signature", string(body)); !got.Expired ||
		!got.Valid {
		t.Errorf("after six minutes: %+v", got)
	}
}

// TestCountReplay counts without delivering.
func TestCountReplay(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	integration, entry := oneDelivered(t, h)
	type count struct {
		Replayed int  `json:"replayed"`
		Matching int  `json:"matching"`
		More     bool `json:"more"`
	}
	for body, want := range map[string]int{
		`"status":["delivered"]`: 1, `"status":["failed"]`: 0, `"until":"2021-01-01T00:00:00Z"`: 0,
	} {
		got := ok[count](t, h, "POST", "/integrations/"+integration+"/replay",
			fmt.Sprintf(`{"since":"2020-01-01T00:00:00Z","dryRun":true,%s}`, body))
		if got.Matching != want || got.Replayed != 0 || got.More {
			t.Errorf("%s: %+v", body, got)
		}
	}
	if got := ok[[]dossier.LogEntry](t, h, "GET", "/integrations/logs", "")[0]; got.Status !=
		entry.Status {
		t.Errorf("the delivery is %s after counting", got.Status)
	}
	h.refused(t, call{method: "POST", target: "/integrations/int_x/replay",
		body: `{"since":"2020-01-01T00:00:00Z","dryRun":true}`}, dossier.CodeNotFound)
}
