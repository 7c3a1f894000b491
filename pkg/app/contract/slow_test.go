package contract

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// connect opens a connection and sends the head of a request whose body comes later.
func (s *service) connect(path string, length int, key string) (net.Conn, *bufio.Reader) {
	s.Helper()
	conn := s.dial()
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{", path, key, length)
	if err != nil {
		s.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

// dial opens a connection that ends with the test.
func (s *service) dial() net.Conn {
	s.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = conn.Close() })
	return conn
}

// status reads a response and returns its status and body.
func (s *service) status(from *bufio.Reader) (int, string) {
	s.Helper()
	response, err := http.ReadResponse(from, nil)
	if err != nil {
		s.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A body that comes byte by byte is given up when its time is over; an upload has more time.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	s := newService(t, engines["bolt"](t), func(cfg *httpapi.Config) {
		cfg.BodyTime, cfg.UploadTime = 100*time.Millisecond, time.Hour
	})
	_, cdt := s.requested()
	const rest = `"parts":[]}`
	upload, answered := s.connect("/candidateDocumentTypes/"+cdt+"/upload", len(rest)+1, s.key)
	_, given := s.connect("/candidates", 1000, s.key)
	if status, body := s.status(given); status != http.StatusBadRequest ||
		!strings.Contains(body, "did not arrive within 100ms") {
		t.Errorf("a slow body: %d %s", status, body)
	}
	// The upload began before that one, so its body is late by the same measure.
	if _, err := io.WriteString(upload, rest); err != nil {
		t.Fatal(err)
	}
	if status, body := s.status(answered); status != http.StatusUnprocessableEntity {
		t.Errorf("a slow upload: %d %s", status, body)
	}
}

// The response that a body is too large comes while the client still sends it.
func TestTooLargeComesEarly(t *testing.T) {
	t.Parallel()
	s := newService(t, engines["bolt"](t), func(cfg *httpapi.Config) {
		cfg.BodyTime, cfg.UploadTime = time.Hour, time.Hour
	})
	_, cdt := s.requested()
	upload := "/candidateDocumentTypes/" + cdt + "/upload"
	for path, way := range map[string]string{upload: "Announce large files with size and sha256",
		"/candidates": "more than 1048576 bytes"} {
		_, announced := s.connect(path, 100<<20, s.key)
		if status, body := s.status(announced); status != http.StatusRequestEntityTooLarge ||
			!strings.Contains(body, way) {
			t.Errorf("%s, announced: %d %s", path, status, body)
		}
		chunked, answer := s.chunks(path)
		if status, body := s.status(answer); status != http.StatusRequestEntityTooLarge ||
			!strings.Contains(body, way) {
			t.Errorf("%s, in chunks: %d %s", path, status, body)
		}
		_ = chunked.Close()
	}
	// A client that reads no response before it has sent everything gets it too.
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/candidates",
		strings.NewReader(strings.Repeat(" ", 20<<20)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	s.equal("status", response.StatusCode, http.StatusRequestEntityTooLarge)
}

// chunks sends 7 MB of a body of unknown length, and leaves it open.
func (s *service) chunks(path string) (net.Conn, *bufio.Reader) {
	s.Helper()
	conn := s.dial()
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", path, s.key)
	for range 7 {
		if err == nil {
			_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", 1<<20, strings.Repeat(" ", 1<<20))
		}
	}
	if err != nil {
		s.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

// A company has two samples under way at once, whatever another company does.
func TestSamplesAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t, engines["bolt"](t), func(cfg *httpapi.Config) {
		cfg.Prober = webhook.NewSender(cfg.Targets.(*webhook.Guard),
			webhook.Config{Timeout: time.Hour})
	})
	partner, _ := s.partner()
	url, free := s.receiver.hang()
	t.Cleanup(free)
	sample := object{"url": url, "triggerEvent": "candidateCreated"}
	answers := make(chan int, 3)
	send := func(from *service) {
		status, _, _ := from.send("POST", "/integrations/send-init-request", sample)
		answers <- status
	}
	go send(s)
	go send(s)
	<-s.receiver.arrived
	<-s.receiver.arrived
	problem := s.refuse("POST", "/integrations/send-init-request", sample,
		http.StatusTooManyRequests, "RATE_LIMITED")
	s.equal("detail", problem["detail"], "A company sends at most 2 samples at once.")
	go send(partner)
	<-s.receiver.arrived
	free()
	for range 3 {
		s.equal("status", <-answers, http.StatusOK)
	}
	s.one("POST", "/integrations/send-init-request", sample)
}
