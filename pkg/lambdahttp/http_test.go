package lambdahttp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

// An event in the form that API Gateway documents for payload version 2.0.
const eventText = `{
 "version":"2.0","routeKey":"GET /scenarios","rawPath":"/scenarios/a%2Fb","rawQueryString":"filter%5Bevents%5D%5B%5D=a&filter[events][]=b,c&page[size]=2",
 "cookies":["one=1","two=2"],
 "headers":{"host":"api.example.com","accept":"text/html, application/json;q=0.9, */*;q=0.8","date":"Tue, 01 Sep 2026 10:00:00 GMT",
  "if-match":"\"a\", \"b,c\"","webhook-signature":"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1,bm9ldHUjKzFob2VudXRob2VodWUzMjRvdWVvdW9ldQo=",
  "if-modified-since":"Tue, 01 Sep 2026 10:00:00 GMT","authorization":"Bearer dsr_x","content-type":"application/json","x-forwarded-for":"203.0.113.9, 10.0.0.1"},
 "queryStringParameters":{"filter[events][]":"a,b,c","page[size]":"2"},
 "requestContext":{"accountId":"1","apiId":"api","domainName":"x.execute-api.eu-west-1.amazonaws.com","domainPrefix":"x","requestId":"JKJaXmPLvHcESHA=","routeKey":"GET /scenarios","stage":"$default",
  "http":{"method":"GET","path":"/scenarios/a%2Fb","protocol":"HTTP/1.1","sourceIp":"203.0.113.9","userAgent":"curl"}},
 "body":"{\"a\":1}","isBase64Encoded":false}`

func decodeEvent(t *testing.T,
	change func(*events.APIGatewayV2HTTPRequest)) events.APIGatewayV2HTTPRequest {
	t.Helper()
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal([]byte(eventText), &event); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&event)
	}
	return event
}

// invoke runs an event through a Gateway as Lambda does: bytes in, bytes out.
func invoke(t *testing.T, ctx context.Context, handler http.HandlerFunc,
	event events.APIGatewayV2HTTPRequest) (answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	payload, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Gateway(func() http.Handler { return handler }).Invoke(ctx, payload)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// seen runs the event through a Gateway and returns the request that the handler saw, with its
// body.
func seen(t *testing.T, change func(*events.APIGatewayV2HTTPRequest)) (*http.Request, string) {
	t.Helper()
	var got *http.Request
	var body []byte
	response := invoke(t, t.Context(), func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}, decodeEvent(t, change))
	if response.StatusCode != http.StatusOK || got == nil {
		t.Fatalf("answered %d", response.StatusCode)
	}
	return got, string(body)
}

// The address that the gateway was called from is none that a proxy appended.
func TestForwardedFor(t *testing.T) {
	t.Parallel()
	for forwarded, want := range map[string]string{
		"203.0.113.9":                         "",
		"198.51.100.7, 203.0.113.9":           "198.51.100.7",
		"198.51.100.7, 10.0.0.1, 203.0.113.9": "198.51.100.7, 10.0.0.1",
		"198.51.100.7":                        "198.51.100.7",
		"1203.0.113.9":                        "1203.0.113.9",
	} {
		r, _ := seen(t, func(e *events.APIGatewayV2HTTPRequest) {
			e.Headers["x-forwarded-for"] = forwarded
		})
		if got := r.Header.Get("X-Forwarded-For"); got != want {
			t.Errorf("%q: %q, not %q", forwarded, got, want)
		}
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	r, _ := seen(t, nil)
	want := http.Header{
		"Accept":   {"text/html, application/json;q=0.9, */*;q=0.8"},
		"Date":     {"Tue, 01 Sep 2026 10:00:00 GMT"},
		"If-Match": {`"a", "b,c"`},
		"Webhook-Signature": {
			"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1,bm9ldHUjKzFob2VudXRob2VodWUzMjRvdWVvdW9ldQo=",
		},
		"If-Modified-Since": {"Tue, 01 Sep 2026 10:00:00 GMT"},
		"Authorization":     {"Bearer dsr_x"},
		"Content-Type":      {"application/json"},
		"X-Forwarded-For":   {"203.0.113.9, 10.0.0.1"},
		"Cookie":            {"one=1; two=2"},
		"X-Request-Id":      {"JKJaXmPLvHcESHA="},
	}
	if diff := cmp.Diff(want, r.Header); diff != "" {
		t.Errorf("OK: headers (-want +got):\n%s", diff)
	}
	if r.Host != "api.example.com" || r.RemoteAddr != "203.0.113.9:0" {
		t.Errorf("OK: host %q from %q", r.Host, r.RemoteAddr)
	}
	if two, err := r.Cookie("two"); err != nil || two.Value != "2" {
		t.Errorf("OK: cookie %v, %v", two, err)
	}
}

// The trace context is the client's, and otherwise that of the gateway's trace.
func TestTraceContext(t *testing.T) {
	t.Parallel()
	const sent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for header, want := range map[string]string{sent: sent,
		"nonsense": "00-67891233abcdef012345678912345678-2345678912345678-00"} {
		r, _ := seen(t, func(e *events.APIGatewayV2HTTPRequest) {
			e.Headers["traceparent"] = header
			e.Headers["x-amzn-trace-id"] = "Root=1-67891233-abcdef012345678912345678"
		})
		if got := r.Header.Values("traceparent"); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", header, got)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	r, _ := seen(t, func(e *events.APIGatewayV2HTTPRequest) {
		e.Headers["x-request-id"] = "mine, really"
	})
	if got := r.Header.Values("X-Request-Id"); len(got) != 1 || got[0] != "mine, really" {
		t.Errorf("OK: the client's id is %q", got)
	}
}

func TestRequestAddress(t *testing.T) {
	t.Parallel()
	r, _ := seen(t, nil)
	if r.URL.Path != "/scenarios/a/b" || r.URL.EscapedPath() != "/scenarios/a%2Fb" {
		t.Errorf("OK: path %q, escaped %q", r.URL.Path, r.URL.EscapedPath())
	}
	if r.URL.RawQuery != "filter%5Bevents%5D%5B%5D=a&filter[events][]=b,c&page[size]=2" {
		t.Errorf("OK: query %q", r.URL.RawQuery)
	}
	if diff := cmp.Diff([]string{"a", "b,c"}, r.URL.Query()["filter[events][]"]); diff != "" {
		t.Errorf("OK: repeated parameter (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/a b", "/50%", "/what?", "/ä"} {
		r, _ := seen(t, func(e *events.APIGatewayV2HTTPRequest) { e.RawPath = path })
		if r.URL.Path != path || r.URL.Query().Get("page[size]") != "2" {
			t.Errorf("OK: the decoded path %q became %q with query %q", path, r.URL.Path,
				r.URL.RawQuery)
		}
	}
}

func TestRequestBody(t *testing.T) {
	t.Parallel()
	if _, body := seen(t, nil); body != `{"a":1}` {
		t.Errorf("OK: text body %q", body)
	}
	binary := string([]byte{0, 255, 128, 10})
	r, body := seen(t, func(e *events.APIGatewayV2HTTPRequest) {
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(binary)), true
	})
	if body != binary || r.ContentLength != 4 {
		t.Errorf("OK: binary body %q of %d bytes", body, r.ContentLength)
	}
}

func TestErrRequest(t *testing.T) {
	t.Parallel()
	never := func(http.ResponseWriter, *http.Request) { t.Error("the handler is called") }
	for name, change := range map[string]func(*events.APIGatewayV2HTTPRequest){
		"ErrBase64": func(e *events.APIGatewayV2HTTPRequest) {
			e.Body, e.IsBase64Encoded = "***", true
		},
		"ErrMethod": func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.HTTP.Method = "G T"
		},
		"ErrEmpty": func(e *events.APIGatewayV2HTTPRequest) {
			*e = events.APIGatewayV2HTTPRequest{}
		},
	} {
		if response := invoke(t, t.Context(), never, decodeEvent(t, change)); response.StatusCode !=
			http.StatusBadRequest {
			t.Errorf("%s: answered %d", name, response.StatusCode)
		}
	}
	if _, err := Gateway(nil).Invoke(t.Context(), []byte(`{"rawPath":1}`)); err == nil {
		t.Error("ErrForm: taken for an event")
	}
}

func TestResponse(t *testing.T) {
	t.Parallel()
	pdf := append([]byte("%PDF-1.7\n"), 0xff, 0xfe, 0)
	got := invoke(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `</a?page[after]=x>; rel="next"`)
		w.Header().Add("WWW-Authenticate", "Bearer")
		w.Header().Add("WWW-Authenticate", "Basic")
		w.Header().Add("Set-Cookie", "a=1; Expires=Tue, 01 Sep 2026 10:00:00 GMT")
		w.Header().Add("Set-Cookie", "b=2")
		w.Header().Set("Content-Type", "application/pdf")
		w.WriteHeader(http.StatusConflict)
		w.Write(pdf)
	}, decodeEvent(t, nil))
	want := events.APIGatewayV2HTTPResponse{
		StatusCode: http.StatusConflict,
		Headers: map[string]string{"Link": `</a?page[after]=x>; rel="next"`,
			"Www-Authenticate": "Bearer,Basic", "Content-Type": "application/pdf"},
		Cookies: []string{"a=1; Expires=Tue, 01 Sep 2026 10:00:00 GMT", "b=2"},
		Body:    base64.StdEncoding.EncodeToString(pdf), IsBase64Encoded: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("OK: response (-want +got):\n%s", diff)
	}
}

func TestResponseText(t *testing.T) {
	t.Parallel()
	got := invoke(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"ä":1}`))
	}, decodeEvent(t, nil))
	if got.Body != `{"ä":1}` || got.IsBase64Encoded || got.StatusCode != http.StatusOK {
		t.Errorf("OK: %+v", got)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	invoke(t, ctx, func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Err() == nil {
			t.Error("OK: the request does not end with the function's time")
		}
	}, decodeEvent(t, nil))
}
