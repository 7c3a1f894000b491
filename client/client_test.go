package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dossierhq/dossier/client"
)

// TestRefused reads the code, the fields and the request id of a refused request.
func TestRefused(t *testing.T) {
	t.Parallel()
	c := connect(t)
	_, err := c.CreateForm(t.Context(), nil, client.FormCreate{
		Fields: &[]client.FormFieldInput{{Reference: "a", Label: "A", Type: "txt"}}})
	var refused *client.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%v is no *client.Error", err)
	}
	if name, ok := refused.Field("/name"); refused.Code != "VALIDATION_FAILED" || !ok ||
		name.Code != "required" || refused.Status != 422 || refused.RequestId == "" {
		t.Errorf("%+v", refused)
	}
	for _, want := range []string{"VALIDATION_FAILED", "/name", "/fields/0/type",
		refused.RequestId} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %s", want, err)
		}
	}
	if _, found := refused.Field("/nothing"); found {
		t.Error("a field is named that is right")
	}
	if _, err := c.GetForm(t.Context(), ".."); err == nil || !strings.Contains(err.Error(), "id") {
		t.Errorf("the id ..: %v", err)
	}
	for _, base := range []string{"", "example.com", "ftp://example.com", "http://"} {
		if _, err := client.New(base, "k"); err == nil {
			t.Errorf("%q is taken for an address", base)
		}
	}
}

// TestVersions changes a resource at its version, clears a member with null, and refuses a change
// of another version.
func TestVersions(t *testing.T) {
	t.Parallel()
	c := connect(t)
	made := must[client.DocumentType](t)(c.CreateDocumentType(t.Context(), nil,
		client.DocumentTypeCreate{Name: "Permit", Description: new("A permit.")}))
	if made.ETag == "" || made.RequestID == "" {
		t.Errorf("no version: %+v", made)
	}
	var patch client.DocumentTypePatch
	patch.Description.SetNull()
	changed := must[client.DocumentType](t)(c.UpdateDocumentType(t.Context(), made.Value.Id,
		&client.UpdateDocumentTypeParams{IfMatch: &made.ETag}, patch))
	if changed.Value.Description != nil || changed.ETag == made.ETag {
		t.Errorf("%+v", changed)
	}
	_, err := c.UpdateDocumentType(t.Context(), made.Value.Id,
		&client.UpdateDocumentTypeParams{IfMatch: &made.ETag}, patch)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != "PRECONDITION_FAILED" {
		t.Errorf("a change of an old version: %v", err)
	}
	if got := must[client.DocumentType](t)(c.GetDocumentType(t.Context(),
		made.Value.Id)); got.ETag != changed.ETag {
		t.Errorf("version %s, want %s", got.ETag, changed.ETag)
	}
}

// TestPages reads every item of a list of several pages once, with its filters.
func TestPages(t *testing.T) {
	t.Parallel()
	c := connect(t)
	for n := range 7 {
		must[client.Candidate](t)(c.CreateCandidate(t.Context(), nil,
			client.CandidateCreate{FirstName: new(fmt.Sprint("N", n))}))
	}
	params := client.ListCandidatesParams{PageSize: new(2),
		FilterStatus: &[]client.CandidateStatus{"collecting", "approved"}}
	seen := map[string]bool{}
	for range 2 { // an iterator can be read again, and left early
		clear(seen)
		for candidate, err := range c.ListCandidates(t.Context(), &params) {
			if err != nil || seen[candidate.Id] {
				t.Fatalf("%s again, or %v", candidate.Id, err)
			}
			if seen[candidate.Id] = true; len(seen) == 7 {
				break
			}
		}
		if len(seen) != 7 {
			t.Errorf("%d of 7 candidates", len(seen))
		}
	}
	params.FilterStatus = &[]client.CandidateStatus{"nonsense"}
	count := 0
	for _, err := range c.ListCandidates(t.Context(), &params) {
		if count++; err == nil {
			t.Error("a filter that is not one is accepted")
		}
	}
	if count != 1 {
		t.Errorf("%d errors", count)
	}
}

// TestAnswerLost loses answers after the service did its work. A request that can be repeated has
// its effect once; one that can't be is not repeated.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	base, key := serve(t)
	var lost atomic.Int32
	c := newClient(t, lossy(t, base, func(*http.Request, *http.Response) bool {
		return lost.Add(1) > 3
	}), key)
	// a connection that is used again would be retried below the client too
	c.HTTP = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	must[client.Candidate](t)(c.CreateCandidate(t.Context(), nil,
		client.CandidateCreate{FirstName: new("Ada")}))
	if lost.Load() != 4 {
		t.Errorf("%d attempts, want 4", lost.Load())
	}
	count := 0
	for _, err := range c.ListCandidates(t.Context(), nil) {
		if count++; err != nil {
			t.Fatal(err)
		}
	}
	if count != 1 {
		t.Errorf("%d candidates of one request", count)
	}
	lost.Store(0)
	if _, err := c.CreateSession(t.Context(), client.SessionCreate{}); err == nil {
		t.Error("a lost answer is no error")
	}
	if lost.Load() != 1 {
		t.Errorf("a request that can't be repeated was sent %d times", lost.Load())
	}
	lost.Store(-10)
	if _, err := c.GetOverview(t.Context()); err == nil || lost.Load() != -5 {
		t.Errorf("after %d attempts: %v", lost.Load()+10, err)
	}
}

// TestRetryAfter waits as the answer says, and returns the refusal once the attempts are used up.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	base, key := serve(t)
	var asked atomic.Int32
	limit := func(_ *http.Request, r *http.Response) bool {
		if asked.Add(1) > 2 {
			return true
		}
		text := `{"type":"about:blank","title":"T","status":429,"code":"RATE_LIMITED","detail":"D","requestId":"R","errors":[]}`
		r.StatusCode, r.Body = http.StatusTooManyRequests, io.NopCloser(strings.NewReader(text))
		r.ContentLength = int64(len(text))
		r.Header.Set("Content-Length", fmt.Sprint(len(text)))
		r.Header.Set("Retry-After", "0")
		return true
	}
	c := newClient(t, lossy(t, base, limit), key)
	c.SetPause(time.Hour) // the answer's time counts, not the client's
	must[client.Overview](t)(c.GetOverview(t.Context()))
	asked.Store(0)
	c.Attempts = 2
	_, err := c.GetOverview(t.Context())
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != "RATE_LIMITED" || refused.RequestId != "R" {
		t.Errorf("after the last attempt: %v", err)
	}
	if asked.Load() != 2 {
		t.Errorf("%d attempts", asked.Load())
	}
}

// TestForeignAnswer names the status where something else than the service answers.
func TestForeignAnswer(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(proxy.Close)
	_, err := newClient(t, proxy.URL, "").GetHealth(t.Context())
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 404 || refused.Code != "" ||
		!strings.HasPrefix(err.Error(), "GET /healthz was answered 404") {
		t.Errorf("%v", err)
	}
}
