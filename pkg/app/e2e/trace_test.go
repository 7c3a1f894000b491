//go:build e2e

package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTrace follows an upload by the trace id in the log lines of all functions, to the webhook
// that carries the client's trace context.
func TestTrace(t *testing.T) {
	t.Parallel()
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	const sent = "00-" + id + "-00f067aa0ba902b7-01"
	c, box := provision(t), &mailbox{}
	s := begin(c, stack.hooks.handle("/trace", box.ServeHTTP))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		stack.api+"/candidateDocumentTypes/"+s.request+"/upload",
		strings.NewReader(inline(file(t, "chromium-plain.pdf"))))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("traceparent", sent)
	response, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("upload: %d", response.StatusCode)
	}
	c.until("the webhook came", time.Minute, func() bool { return len(box.all()) > 0 })
	if got := box.all()[0].header.Get("traceparent"); got != sent {
		t.Errorf("the webhook has the traceparent %q", got)
	}
	for _, function := range []string{"documents", "check", "rules", "dispatch", "deliver"} {
		c.until("the log of "+function+" has the trace id", time.Minute, func() bool {
			lines, err := stack.logged(function, `"traceId":"`+id+`"`)
			if err != nil {
				t.Fatal(err)
			}
			return len(lines) > 0
		})
	}
}
