package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/client"
)

// received is a webhook as it came.
type received struct {
	body   []byte
	header http.Header
}

// TestWebhook verifies what the service sends, and refuses the same with another byte.
func TestWebhook(t *testing.T) {
	t.Parallel()
	came := make(chan received, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- received{body, r.Header}
	}))
	t.Cleanup(receiver.Close)
	c := connect(t,
		"DOSSIER_ALLOW_TARGETS="+strings.TrimPrefix(receiver.URL, "http://"))
	integration := must[client.Integration](t)(c.CreateIntegration(t.Context(), nil,
		client.IntegrationCreate{Name: "HR", TriggerEvent: "candidateCreated",
			Target: client.Target{Type: "webhook", Url: receiver.URL}}))
	candidate := must[client.Candidate](t)(c.CreateCandidate(t.Context(), nil,
		client.CandidateCreate{FirstName: new("Ada")}))
	var got received
	select {
	case got = <-came:
	case <-time.After(time.Minute):
		t.Fatal("no webhook came")
	}
	webhook, err := client.NewWebhook(*integration.Value.Secret)
	if err != nil {
		t.Fatal(err)
	}
	delivery, err := webhook.Verify(got.body, got.header)
	if err != nil {
		t.Fatal(err)
	}
	event, err := delivery.ValueByDiscriminator()
	if created, ok := event.(client.CandidateCreatedDelivery); err != nil || !ok ||
		created.CandidateId != candidate.Value.Id {
		t.Errorf("%T %v", event, err)
	}
	if _, err := webhook.Verify(append(got.body, ' '), got.header); err == nil {
		t.Error("a changed body is accepted")
	}
	if _, err := client.NewWebhook("whsec_!"); err == nil {
		t.Error("a secret that is none is accepted")
	}
}
