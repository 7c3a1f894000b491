package webhook

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const (
	maxReportedHeaders = 50
	maxReportedValue   = 256
)

// Probe makes one attempt like Send and reports all of it. challenge is the value of the member
// "challenge" in the body; it counts as echoed if the response is that text, or a JSON object with
// the same member.
func (s *Sender) Probe(ctx context.Context, d dossier.Delivery,
	challenge string) dossier.DeliveryReport {
	sent, r := s.exchange(ctx, d, maxReadBytes)
	echoed := challenge != "" && r.failure == "" && echoes(r.body, challenge)
	r.body = r.body[:min(len(r.body), maxKeptBytes)]
	o := outcome(r, d.At, time.Now())
	report := dossier.DeliveryReport{
		Delivered:  o.Result == dossier.Delivered,
		StatusCode: o.StatusCode,
		DurationMS: o.DurationMS,
		Request: dossier.DeliveryReportRequest{URL: d.URL, Headers: reportHeaders(sent),
			Body: text(string(d.Body))},
		ChallengeEchoed: echoed,
		Error:           o.Error,
	}
	if r.status != 0 {
		report.Response = &dossier.DeliveryReportResponse{Headers: reportHeaders(r.header),
			Body: text(string(r.body))}
	}
	return report
}

func echoes(body []byte, challenge string) bool {
	if strings.TrimSpace(string(body)) == challenge {
		return true
	}
	var object struct {
		Challenge string `json:"challenge"`
	}
	return json.Unmarshal(body, &object) == nil && object.Challenge == challenge
}

// reportHeaders joins values and keeps the first names in order, so that the same response gives
// the same report.
func reportHeaders(header http.Header) map[string]string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	shown := make(map[string]string, min(len(names), maxReportedHeaders))
	for _, name := range names[:min(len(names), maxReportedHeaders)] {
		shown[strings.ToLower(name[:min(len(name), maxReportedValue)])] = text(
			clip(strings.Join(header[name], ", ")))
	}
	return shown
}

func clip(value string) string { return value[:min(len(value), maxReportedValue)] }

// text makes what came from outside valid UTF-8.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
