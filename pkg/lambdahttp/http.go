// Package lambdahttp stands between AWS Lambda's events and our handlers: an API Gateway HTTP API
// event (payload version 2) becomes a request to an http.Handler, and queue messages and
// EventBridge events become calls of a function that works on one task.
//
// It uses aws-lambda-go-api-proxy's core for what is easy to get wrong by hand: decoding bodies,
// and which responses have to be base64.
package lambdahttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/trace"
)

// Gateway answers events of an API Gateway HTTP API with a handler. The request is the one the
// client sent: the headers, the path and the query are taken from the event as they are.
// X-Request-Id is the gateway's where the client sent none, and so is the trace id in
// traceparent. The context ends a little before the function's time does. handler is called for
// each event, and may take its time for the first: the event is fetched meanwhile.
func Gateway(handler func() http.Handler) Invoker {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var e gatewayEvent
		if err := json.Unmarshal(payload, &e, jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, fmt.Errorf("decode event: %w", err)
		}
		response, err := answer(ctx, handler(), e.event())
		if err != nil {
			return nil, err
		}
		return json.Marshal(response, json.FormatNilMapAsNull(true),
			json.FormatNilSliceAsNull(true))
	}
}

// gatewayEvent is the part of an API Gateway event that Handler reads.
type gatewayEvent struct {
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies"`
	Headers         map[string]string `json:"headers"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
	RequestContext  struct {
		RequestID string `json:"requestId"`
		HTTP      struct {
			Method   string `json:"method"`
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
	} `json:"requestContext"`
}

// event returns the event in the form that the proxy library takes.
func (e gatewayEvent) event() events.APIGatewayV2HTTPRequest {
	return events.APIGatewayV2HTTPRequest{
		RawPath: e.RawPath, RawQueryString: e.RawQueryString, Cookies: e.Cookies,
		Headers: e.Headers,
		Body:    e.Body, IsBase64Encoded: e.IsBase64Encoded,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RequestID: e.RequestContext.RequestID,
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: e.RequestContext.HTTP.Method, SourceIP: e.RequestContext.HTTP.SourceIP,
			},
		},
	}
}

func answer(ctx context.Context, handler http.Handler,
	event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	r, err := request(ctx, event)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest}, nil
	}
	w := core.NewProxyResponseWriterV2()
	handler.ServeHTTP(w, r)
	response, err := w.GetProxyResponse()
	if err != nil {
		// The only complaint is that no status was set: a handler that writes nothing says 200, as
		// on a server.
		w.WriteHeader(http.StatusOK)
		response, err = w.GetProxyResponse()
	}
	return response, err
}

// request makes the client's request. The proxy library decodes the body and carries Lambda's
// context; what it changes on the way is put back: it splits header values at their commas (dates,
// signatures, lists of ETags), parses a path that the gateway has decoded already, and gives a
// remote address without a port.
func request(ctx context.Context, event events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	if event.RequestContext.HTTP.Method == "" {
		return nil, errors.New("the event is no HTTP request")
	}
	path, query := event.RawPath, event.RawQueryString
	event.RawPath, event.RawQueryString, event.QueryStringParameters = "/", "", nil
	var accessor core.RequestAccessorV2
	r, err := accessor.EventToRequestWithContext(ctx, event)
	if err != nil {
		return nil, fmt.Errorf("convert event: %w", err)
	}
	restoreHeader(r, event)
	r.URL.Path, r.URL.RawPath, r.URL.RawQuery = path, "", query
	if decoded, err := url.PathUnescape(path); err == nil {
		r.URL.Path, r.URL.RawPath = decoded, path
	}
	r.RequestURI = r.URL.RequestURI()
	if trace.FromHeaders(r.Header) == "" {
		if parent := trace.FromAmazon(r.Header.Get("X-Amzn-Trace-Id")); parent != "" {
			r.Header.Set(trace.Header, parent)
		}
	}
	from := event.RequestContext.HTTP.SourceIP
	r.RemoteAddr = net.JoinHostPort(from, "0")
	// The gateway appends the address that called it. What is left are those that proxies appended.
	forwarded := r.Header.Get("X-Forwarded-For")
	before := strings.LastIndexByte(forwarded, ',')
	if strings.TrimSpace(forwarded[before+1:]) == from {
		r.Header.Set("X-Forwarded-For", forwarded[:max(before, 0)])
	}
	return r, nil
}

func restoreHeader(r *http.Request, event events.APIGatewayV2HTTPRequest) {
	clear(r.Header)
	for name, value := range event.Headers {
		r.Header.Set(name, value)
	}
	// The gateway takes cookies out of the headers; a server has them in one.
	if len(event.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(event.Cookies, "; "))
	}
	// As on a server, the host is not a header.
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	if id := event.RequestContext.RequestID; r.Header.Get("X-Request-Id") == "" && id != "" {
		r.Header.Set("X-Request-Id", id)
	}
}
