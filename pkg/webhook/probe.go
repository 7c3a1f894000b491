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

// Probe makes one attempt like Send and reports the whole of it. challenge is the value of the member "challenge" that the
// caller put into the body; it is echoed when the answer is that text, or a JSON object with the same member.
func (s *Sender) Probe(ctx context.Context, r Request, challenge string) dossier.DeliveryReport {
	sent, a := s.exchange(ctx, r, maxReadBytes)
	echoed := challenge != "" && a.failure == "" && echoes(a.body, challenge)
	a.body = a.body[:min(len(a.body), maxKeptBytes)]
	o := outcome(a, time.Now())
	report := dossier.DeliveryReport{
		Delivered:       o.Result == Delivered,
		StatusCode:      o.StatusCode,
		DurationMS:      o.DurationMS,
		Request:         dossier.DeliveryReportRequest{URL: r.URL, Headers: reportHeaders(sent), Body: text(string(r.Body))},
		ChallengeEchoed: echoed,
		Error:           o.Error,
	}
	if a.status != 0 {
		report.Response = &dossier.DeliveryReportResponse{Headers: reportHeaders(a.header), Body: text(string(a.body))}
	}
	return report
}

func echoes(body []byte, challenge string) bool {
	if strings.TrimSpace(string(body)) == challenge {
		return true
	}
	var answer struct {
		Challenge string `json:"challenge"`
	}
	return json.Unmarshal(body, &answer) == nil && answer.Challenge == challenge
}

// reportHeaders joins values and keeps the first names in order, so that the same answer gives the same report.
func reportHeaders(header http.Header) map[string]string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	shown := make(map[string]string, min(len(names), maxReportedHeaders))
	for _, name := range names[:min(len(names), maxReportedHeaders)] {
		shown[strings.ToLower(name[:min(len(name), maxReportedValue)])] = text(clip(strings.Join(header[name], ", ")))
	}
	return shown
}

func clip(value string) string { return value[:min(len(value), maxReportedValue)] }

// text makes what came from outside valid UTF-8.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
