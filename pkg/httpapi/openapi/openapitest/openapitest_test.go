package openapitest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const problem = `{"type":"urn:dossier:problem:not-found","title":"Not found","status":404,"code":"NOT_FOUND","detail":"There is nothing at this address.","requestId":"r1","errors":[]}`

const message = `{"id":"msg_1","candidateId":"cnd_1","text":"Hello","author":{"type":"administrator","id":"key_1","name":"Ann"},"state":"unread","createdAt":"2026-11-20T08:15:30.250Z"}`

var checkCases = []struct {
	name, method, target, request string
	status                        int
	header                        []string
	answer                        string
	want                          string // in the problem, empty: none
}{
	{"OK", "POST", "/candidates/cnd_1/messages", `{"text":"Hello"}`, 200, nil, message, ""},
	{"OK a list", "GET", "/candidates/cnd_1/messages?page[size]=1", "", 200, nil,
		"[" + message + "]", ""},
	{"OK an error", "GET", "/candidates/cnd_1", "", 404, nil, problem, ""},
	{"OK no such address", "GET", "/nothing/here", "", 404, nil, problem, ""},
	{"OK merge patch", "PATCH", "/forms/frm_1", `{"name":1}`, 404, nil, problem, ""},
	{"OK preflight", "OPTIONS", "/forms", "", 200, nil, "", ""},
	{"OK head", "HEAD", "/forms", "", 200, nil, "", ""},
	{"ErrHeadWithBody", "HEAD", "/forms", "", 200, nil, "[]", "HEAD has no body"},
	{"ErrField", "POST", "/candidates/cnd_1/messages", `{"text":"Hello"}`, 200, nil,
		strings.Replace(message, `"id"`, `"color":"red","id"`, 1), "color"},
	{"ErrMissing", "POST", "/candidates/cnd_1/messages", `{"text":"Hello"}`, 200, nil,
		strings.Replace(message, `"text":"Hello",`, "", 1), "text"},
	{"ErrEnum", "POST", "/candidates/cnd_1/messages", `{"text":"Hello"}`, 200, nil,
		strings.Replace(message, `unread`, "new", 1), "state"},
	{"ErrMoment", "POST", "/candidates/cnd_1/messages", `{"text":"Hello"}`, 200, nil,
		strings.Replace(message, `2026-11-20T`, "", 1), "createdAt"},
	{"ErrInList", "GET", "/candidates/cnd_1/messages", "", 200, nil,
		"[" + strings.Replace(message, `unread`, "new", 1) + "]", "state"},
	{"ErrStatus", "GET", "/candidates/cnd_1/messages", "", 201, nil, "[]", "201"},
	{"ErrRequest", "POST", "/candidates/cnd_1/messages", `{"text":""}`, 200, nil, message,
		"the request was taken"},
	{"ErrHeader", "GET", "/forms", "", 200, []string{"X-Request-Id", ""}, "[]", "X-Request-Id"},
	{"ErrEntityTag", "GET", "/candidates/cnd_1", "", 401, nil,
		strings.ReplaceAll(problem, "404", "401"), "WWW-Authenticate"},
	{"ErrType", "GET", "/forms", "", 200, []string{"Content-Type", "text/plain"}, "[]",
		"text/plain"},
	{"ErrNotJSON", "GET", "/forms", "", 200, nil, "[", "not JSON"},
	{"ErrNoBody", "GET", "/forms", "", 200, nil, "", "has a body"},
	{"ErrNoSuchOperation", "GET", "/nothing/here", "", 200, nil, "{}", "no such operation"},
	{"ErrShapeOfNoSuch", "GET", "/nothing/here", "", 404, nil, `{"message":"no"}`, "message"},
	{"ErrAllow", "PUT", "/forms", "", 405, nil, strings.ReplaceAll(problem, "404", "405"),
		"405 without Allow"},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range checkCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := httptest.NewRequest(tt.method, tt.target, strings.NewReader(tt.request))
			req.Header.Set("Content-Type", "application/json")
			resp := &http.Response{StatusCode: tt.status,
				Header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r1"}}}
			for i := 0; i+1 < len(tt.header); i += 2 {
				resp.Header.Del(tt.header[i])
				if tt.header[i+1] != "" {
					resp.Header.Set(tt.header[i], tt.header[i+1])
				}
			}
			got := strings.Join(New(t).problems(req, []byte(tt.request), resp, []byte(tt.answer)),
				"\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("problems: %q, want %q", got, tt.want)
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	v := New(b)
	req := httptest.NewRequest("GET", "/candidates/cnd_1", nil)
	resp := &http.Response{StatusCode: 404,
		Header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r1"}}}
	for b.Loop() {
		v.Check(b, req, nil, resp, []byte(problem))
	}
}
