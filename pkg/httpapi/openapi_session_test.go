package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
	"github.com/dossierhq/dossier/pkg/store"
)

const exampleRequestID = "01JD7QE5F7G9H1J3K5M7N9P1QR"

// exampleTime is a moment of the day on which all examples happen.
func exampleTime(seconds int) dossier.Time {
	return dossier.NewTime(time.Date(2026, 11, 20, 8, 0, seconds, 0, time.UTC))
}

// session is requests to the handlers and their answers, which become the examples of the document.
// A second passes between two of them. Ids and moments are made the same for every run at the end.
type session struct {
	*testAPI
	t        *testing.T
	ids      map[string]string // by the name that bodies and paths have for them, after a $
	examples map[string][]spec.Example
	paths    map[string]string // of the first request to a route
	ulids    map[string]string // as they are shown, by how they were
	start    time.Time
	pending  pendingUpload
	key      string // of the caller; empty: the administrator
}

func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{testAPI: newTestAPI(t), t: t, ids: map[string]string{},
		examples: map[string][]spec.Example{}, paths: map[string]string{},
		ulids: map[string]string{}}
	// the document that they would be held against is being made
	s.unchecked = true
	s.ids["com"] = s.company.ID
	// what is cut to the second stays the same
	s.clock.forward(time.Until(time.Now().Truncate(time.Second).Add(2 * time.Second)))
	s.start = s.clock.now().Round(time.Second)
	s.clock.forward(s.start.Sub(s.clock.now()))
	s.cfg.Prober = echo{}
	return s
}

// expand puts ids where a text has their names.
func (s *session) expand(text string) string {
	return os.Expand(text, func(name string) string {
		if s.ids[name] == "" {
			s.t.Fatalf("no example has made $%s", name)
		}
		return s.ids[name]
	})
}

// quiet sends a request without recording it, keeps the id in the response under a name, and
// returns the response.
func (s *session) quiet(route, target, body, as string) []byte {
	s.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	if target == "" {
		target = path
	}
	s.clock.forward(time.Second)
	c := call{method: method, target: s.expand(target), body: s.expand(body), key: s.key,
		header: []string{"X-Request-Id", exampleRequestID}}
	w := s.do(s.t, c)
	if w.Code != 200 {
		s.t.Fatalf("the example of %s: %s %s: %d %s", route, c.target, c.body, w.Code, w.Body)
	}
	if as != "" {
		s.ids[as] = idOf(w.Body.Bytes())
	}
	s.tidy(w.Body.String()) // numbers what is new in the order of the session
	return w.Body.Bytes()
}

// idOf returns the id in a response, or of the first item of a list.
func idOf(answer []byte) string {
	var one struct {
		ID       string `json:"id"`
		UploadID string `json:"uploadId"`
	}
	var list []jsontext.Value
	if json.Unmarshal(answer, &list) == nil && len(list) > 0 {
		answer = list[0]
	}
	_ = json.Unmarshal(answer, &one) // what has no id has none
	return one.ID + one.UploadID
}

// record sends a request that is an example of a route, under the name "example" unless another is
// given, and returns the id in the response. as keeps it for later requests.
func (s *session) record(route, target, body, as string, name ...string) string {
	s.t.Helper()
	answer := s.quiet(route, target, body, as)
	if s.paths[route] == "" {
		s.paths[route] = s.expand(target)
	}
	if strings.HasSuffix(route, "/upload") {
		_ = json.Unmarshal(answer, &s.pending)
	}
	s.keep(route, spec.Example{Name: append(name, "example")[0], Body: []byte(s.expand(body)),
		Response: short(answer)})
	return idOf(answer)
}

func (s *session) keep(route string, e spec.Example) {
	s.examples[route] = append(s.examples[route], e)
}

// told is an example of an answer that is not recorded, because it is too long.
func (s *session) told(route, answer string) {
	s.keep(route, spec.Example{Name: "example", Response: []byte(answer)})
}

// resource records the five usual routes of a resource and keeps its id under a name. Another of
// the kind is created to be deleted.
func (s *session) resource(path, as, create, patch string) {
	s.t.Helper()
	other := regexp.MustCompile(`"(name|reference|slug)":"([A-Za-z ]+)"`).ReplaceAllString(create,
		`"$1":"Other$2"`)
	s.quiet("POST "+path, path, strings.ReplaceAll(
		strings.ReplaceAll(other, "Otherdrivers", "other"), "O", "o"), "deleted")
	s.record("DELETE "+path+"/{id}", path+"/$deleted", "", "")
	s.record("POST "+path, path, create, as)
	s.record("GET "+path, path, "", "")
	s.record("GET "+path+"/{id}", path+"/$"+as, "", "")
	s.record("PATCH "+path+"/{id}", path+"/$"+as, patch, "")
}

// as sends what is recorded meanwhile with a token of a candidate.
func (s *session) as(candidate string, do func()) {
	s.key = s.token(s.t, s.expand(candidate))
	do()
	s.key = ""
}

// finishChecks carries out the checks that are due, with what they find.
func (s *session) finishChecks(found store.CheckResult) { s.testAPI.finishChecks(s.t, found) }

// send posts the bytes of the announced part.
func (s *session) send(content string) { s.testAPI.send(s.t, s.pending.Forms[0], content) }

func sumOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// short leaves two elements of a list.
func short(answer []byte) []byte {
	var list []jsontext.Value
	if json.Unmarshal(answer, &list) != nil || len(list) <= 2 {
		return answer
	}
	text, _ := json.Marshal(list[:2])
	return text
}

// of returns the examples of a route.
func (s *session) of(route string) []spec.Example {
	list := slices.Clone(s.examples[route])
	for n := range list {
		list[n].Body, list[n].Response = []byte(s.tidy(string(list[n].Body))),
			[]byte(s.tidy(string(list[n].Response)))
	}
	return list
}

// path returns the value of a parameter of the path in the example of a route.
func (s *session) path(route, name string) string {
	_, pattern, _ := strings.Cut(route, " ")
	path, _, _ := strings.Cut(s.paths[route], "?")
	values := strings.Split(path, "/")
	for n, segment := range strings.Split(pattern, "/") {
		if segment == "{"+name+"}" && n < len(values) {
			return s.tidy(values[n])
		}
	}
	return ""
}

var (
	anULID    = regexp.MustCompile(`\b((?:[a-z]{3}_)?)((?:0[0-9A-HJKMNP-TV-Z]{25})+)`)
	aSecret   = regexp.MustCompile(`(ds[arst]_[0-9A-Z]+_)[A-Za-z0-9-]+`)
	aDay      = regexp.MustCompile(`("lastUsedAt": ?")[^"]+`)
	aTime     = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	aForm     = regexp.MustCompile(`("expires":")\d+(".*"signature":")[0-9a-f]+`)
	aHeader   = regexp.MustCompile(`("webhook-(?:timestamp|signature)":")(v1,)?[^"]+`)
	anAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[^"]*`)
)

// tidy makes a text the same for every run of the session: the time of day, ULIDs in the order in
// which they appear, secrets and addresses.
func (s *session) tidy(text string) string {
	text = anAddress.ReplaceAllStringFunc(text, func(address string) string {
		u, err := url.Parse(address)
		if err != nil || u.RawQuery != "" {
			return "https://files.example.com/front?expires=1795162802&signature=5f0e2c9d"
		}
		return "https://files.example.com/upload"
	})
	text = aForm.ReplaceAllString(text,
		"${1}1795162802${2}4ddd758e5d35d560382097016571f6ff34caa9301e95b2fbce2f1cba020a7642")
	text = aHeader.ReplaceAllStringFunc(text, func(header string) string {
		if name, _, signed := strings.Cut(header, "v1,"); signed {
			return name + "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
		}
		return `"webhook-timestamp":"1795162802`
	})
	text = aSecret.ReplaceAllString(text, "${1}s3cr3tZ9Y8X7W6V5U4T3S2R1Q0")
	text = anULID.ReplaceAllStringFunc(text, func(id string) string {
		prefix := id[:len(id)%26]
		shown := prefix
		for rest := id[len(prefix):]; rest != ""; rest = rest[26:] {
			if rest[:26] != exampleRequestID && s.ulids[rest[:26]] == "" {
				s.ulids[rest[:26]] = fmt.Sprintf("01JD7Q8ZK4M2X9RBTV5N3C%04d", 7*len(s.ulids)+1)
			}
			shown += cmp.Or(s.ulids[rest[:26]], rest[:26])
		}
		return shown
	})
	text = aDay.ReplaceAllString(text, "${1}2026-11-20T00:00:00.000Z")
	return aTime.ReplaceAllStringFunc(text, func(at string) string {
		moment, err := time.Parse("2006-01-02T15:04:05.000Z", at)
		if passed := moment.Sub(s.start); err == nil && passed > -time.Minute &&
			passed < 48*time.Hour {
			passed = max(0, passed)
			return exampleTime(int(passed.Round(time.Second) / time.Second)).String()
		}
		return at
	})
}

// echo is a target that takes every sample and echoes its challenge.
type echo struct{}

// Probe implements Prober.
func (echo) Probe(_ context.Context, d dossier.Delivery, challenge string) dossier.DeliveryReport {
	return dossier.DeliveryReport{Delivered: true, StatusCode: 200, DurationMS: 41,
		ChallengeEchoed: true,
		Request: dossier.DeliveryReportRequest{URL: d.URL,
			Body: strings.ReplaceAll(string(d.Body), challenge, "4vJ9nT2c"),
			Headers: map[string]string{
				"content-type": "application/json", "webhook-id": d.ID,
				"webhook-timestamp": "1795162802",
				"webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="}},
		Response: &dossier.DeliveryReportResponse{
			Headers: map[string]string{"content-type": "application/json"},
			Body:    `{"challenge":"4vJ9nT2c"}`,
		}}
}
