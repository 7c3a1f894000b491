package command_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collecting is a stand-in for an OpenTelemetry collector: it takes OTLP over HTTP.
type collecting struct {
	*httptest.Server
	mu        sync.Mutex
	spans     []*otlp.Span
	resources []string
	bad       []error
}

func startCollector(t *testing.T) *collecting {
	t.Helper()
	c := &collecting{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			err = fmt.Errorf("%s of %s", r.URL.Path, r.Header.Get("Content-Type"))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil {
			c.bad = append(c.bad, err)
		}
		for _, of := range sent.ResourceSpans {
			c.resources = append(c.resources, of.Resource.String())
			for _, scope := range of.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// of returns the spans of a name in the order of their beginning, without those of workers that
// came second.
func (c *collecting) of(name string) (found []*otlp.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name == name && !strings.Contains(fmt.Sprint(s.Attributes), `"conflict"`) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *otlp.Span) int {
		return int(a.StartTimeUnixNano) - int(b.StartTimeUnixNano)
	})
	return found
}

// asked is a server of a customer's: a parser service at /parse, and a receiver of webhooks that
// fails them until it is mended.
type asked struct {
	*httptest.Server
	mu      sync.Mutex
	parents map[string][]string // traceparent headers by path
	mended  bool
}

func startAsked(t *testing.T) *asked {
	t.Helper()
	a := &asked{parents: map[string][]string{}}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only its coming counts
		a.mu.Lock()
		defer a.mu.Unlock()
		a.parents[r.URL.Path] = append(a.parents[r.URL.Path], r.Header.Get("traceparent"))
		switch {
		case r.URL.Path == "/parse":
			_, _ = io.WriteString(w, `{"parsed":{"number":"NL-204-secret"}}`)
		case !a.mended:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *asked) mend() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mended = true
}

func (a *asked) sent(path string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.parents[path])
}

const (
	clientsTrace = "0af7651916cd43dd8448eb211c80319c"
	clientsSpan  = "b7ad6b7169203331"
)

// uploadTraced uploads a document for a new candidate as a client does that has a trace.
func (s *server) uploadTraced(customer string) {
	s.t.Helper()
	dt := s.create("/documentTypes", fmt.Sprintf(`{"name":"Permit","check":{"parser":"http",
		"decision":"automatic","http":{"url":%q}}}`, customer+"/parse"))
	s.create("/integrations", fmt.Sprintf(`{"name":"HR","triggerEvent":"candidateDocumentValidated",
		"target":{"type":"webhook","url":%q}}`, customer+"/hook"))
	candidate := s.create("/candidates", fmt.Sprintf(
		`{"firstName":"Ada-secret","email":"secret@example.com","documentTypeIds":[%q]}`, dt))
	request := "cdt_" + strings.TrimPrefix(candidate, "cnd_") + strings.TrimPrefix(dt, "dty_")
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost,
		s.base+"/candidateDocumentTypes/"+request+"/upload", strings.NewReader(
			strings.Replace(upload, "a.json", "secret.json", 1)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "secret")
	r.Header.Set("traceparent", "00-"+clientsTrace+"-"+clientsSpan+"-01")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("upload: %d", response.StatusCode)
	}
}

// TestTraces follows an upload to its webhook, by what a collector receives: one trace, also when
// the process is killed before the webhook is delivered and started again. Variables that
// OpenTelemetry does not know or can't read fail nothing.
func TestTraces(t *testing.T) {
	t.Parallel()
	c, customer, data := startCollector(t), startAsked(t), t.TempDir()
	environ := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_SERVICE_NAME=papers",
		"OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_TRACES_SAMPLER=sometimes", "OTEL_TRACE_SAMPLER=off",
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_BSP_MAX_QUEUE_SIZE=many",
		"OTEL_RESOURCE_ATTRIBUTES=no-value", "DOSSIER_SWEEP=200ms",
		"DOSSIER_ALLOW_TARGETS=" + strings.TrimPrefix(customer.URL, "http://")}
	killed, s := serveAlone(t, data, "", environ...)
	s.uploadTraced(customer.URL)
	within(t, "the first attempt to deliver, exported", func() bool {
		return len(c.of("deliver")) > 0 && len(c.of("rules")) > 0 && len(c.of("check")) > 0
	})
	killed.kill()
	customer.mend()
	again, _ := serveAlone(t, data, s.key, environ...)
	within(t, "a delivery, exported", func() bool {
		all := c.of("deliver")
		return !failed(all[len(all)-1])
	})
	c.follows(t, customer)
	for _, kind := range []string{"check", "rules", "dispatch", "deliver"} {
		line := regexp.MustCompile(`"msg":"task","kind":"` + kind + `"[^\n]*"traceId":"` +
			clientsTrace + `"`)
		if !line.MatchString(killed.out.String() + again.out.String()) {
			t.Errorf("no line of the log names the trace of %s", kind)
		}
	}
	if !strings.Contains(killed.out.String(), "http/protobuf") {
		t.Errorf("nothing is said of the protocol:\n%s", killed.out.String())
	}
}

// failed reports whether a span ended with an error.
func failed(s *otlp.Span) bool { return s.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR }

// below checks that a span is of the client's trace, has a parent, and began after it.
func below(t *testing.T, s *otlp.Span, kind otlp.Span_SpanKind, parent string, began uint64) {
	t.Helper()
	if hex.EncodeToString(s.TraceId) != clientsTrace || s.Kind != kind ||
		hex.EncodeToString(s.ParentSpanId) != parent || s.StartTimeUnixNano < began ||
		s.EndTimeUnixNano < s.StartTimeUnixNano {
		t.Errorf("%s: trace %x, parent %x, want %s; %v", s.Name, s.TraceId, s.ParentSpanId, parent,
			s)
	}
}

// follows checks the spans of the upload: their trace, parents, kinds and order.
func (c *collecting) follows(t *testing.T, customer *asked) {
	t.Helper()
	const route = "POST /candidateDocumentTypes/{candidateDocumentTypeId}/upload"
	parent, began := clientsSpan, uint64(0)
	validated := slices.DeleteFunc(c.of("dispatch"), func(s *otlp.Span) bool {
		return !strings.Contains(fmt.Sprint(s.Attributes), "candidateDocumentValidated")
	})
	for _, step := range []struct {
		kind  otlp.Span_SpanKind
		spans []*otlp.Span
	}{
		{otlp.Span_SPAN_KIND_SERVER, c.of(route)}, {otlp.Span_SPAN_KIND_CONSUMER, c.of("check")},
		{otlp.Span_SPAN_KIND_CONSUMER, c.of("rules")}, {otlp.Span_SPAN_KIND_CONSUMER, validated},
	} {
		if len(step.spans) != 1 {
			t.Fatalf("there are the spans %v", step.spans)
		}
		s := step.spans[0]
		below(t, s, step.kind, parent, began)
		began, parent = s.StartTimeUnixNano, hex.EncodeToString(s.SpanId)
	}
	deliveries := c.of("deliver")
	for n, s := range deliveries {
		below(t, s, otlp.Span_SPAN_KIND_CLIENT, parent, began)
		if failed(s) != (n < len(deliveries)-1) {
			t.Errorf("attempt %d of %d: %v", n+1, len(deliveries), s)
		}
	}
	if len(deliveries) < 2 {
		t.Errorf("%d attempts", len(deliveries))
	}
	asks := c.of("ask parser")
	if len(asks) != 1 || string(asks[0].ParentSpanId) != string(c.of("check")[0].SpanId) {
		t.Fatalf("the parser service was asked by %v", asks)
	}
	for path, spans := range map[string][]*otlp.Span{"/parse": asks, "/hook": deliveries} {
		for _, s := range spans {
			if want := fmt.Sprintf("00-%s-%x-01", clientsTrace, s.SpanId); !slices.Contains(
				customer.sent(path), want) {
				t.Errorf("%s got no traceparent %q, but %q", path, want, customer.sent(path))
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if text := fmt.Sprint(c.spans, c.resources); strings.Contains(text, "secret") ||
		!strings.Contains(text, "papers") || len(c.bad) > 0 {
		t.Errorf("errors %v; the spans are\n%s", c.bad, text)
	}
}

// A collector that is not there, and an address that is none, cost no request and no task.
func TestTracesNotSent(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"http://127.0.0.1:1", "::not an address::"} {
		_, s := serveAlone(t, t.TempDir(), "", "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint,
			"OTEL_BSP_SCHEDULE_DELAY=10")
		dt := s.create("/documentTypes",
			`{"name":"Letter","check":{"parser":"json","decision":"automatic"}}`)
		part := s.document(dt)
		request, _, _ := strings.Cut(part, "/documents/")
		within(t, "the check", func() bool {
			_, document := s.send(http.MethodGet, request, "")
			return document["state"] == "validated"
		})
	}
}
