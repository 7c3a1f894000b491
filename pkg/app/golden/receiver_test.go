package golden

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// receiver stands for the systems of a customer: integrations and parser services.
type receiver struct {
	*httptest.Server
	end chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{end: make(chan struct{})}
	parsed := `{"parsed":{"number":"P-17","points":12,"valid":true},"confidence":0.75,"reasons":[]}`
	mux := http.NewServeMux()
	for path, status := range map[string]int{
		"/ok": http.StatusOK, "/fail": http.StatusInternalServerError, "/gone": http.StatusGone,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			w.WriteHeader(status)
		})
	}
	mux.HandleFunc("/parse", func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, parsed)
	})
	mux.HandleFunc("/hang", func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		select {
		case <-r.end:
		case <-q.Context().Done():
		}
	})
	r.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		close(r.end)
		r.Close()
	})
	return r
}

// host is the host and port of an address.
func host(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}
