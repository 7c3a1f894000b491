package dynamo_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dossierhq/dossier/pkg/kv/dynamo"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
)

// fault replaces the outcome of one request to DynamoDB Local: by an error, or by an answer made up
// here. The emulator has none of these.
type fault struct {
	name   string
	after  bool // DynamoDB does what the request asks, and then it happens
	err    error
	status int
	body   string
}

// answer is DynamoDB's answer with an error of this name.
func answer(status int, name string) fault {
	return fault{name: name, status: status,
		body: fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"made up"}`,
			name)}
}

// cancelled is the answer to a transaction of so many writes, with the reason for each.
func cancelled(reasons ...string) fault {
	var list []string
	for _, reason := range reasons {
		list = append(list, fmt.Sprintf(`{"Code":%q,"Message":"made up"}`, reason))
	}
	f := answer(400, "TransactionCanceledException")
	f.name = strings.Join(reasons, "+")
	f.body = strings.TrimSuffix(f.body, "}") + `,"CancellationReasons":[` +
		strings.Join(list, ",") + `]}`
	return f
}

// done is the fault, but after DynamoDB has done what was asked.
func (f fault) done() fault {
	f.name, f.after = f.name+"AfterDone", true
	return f
}

var (
	conflict   = answer(400, "TransactionConflictException")
	throughput = answer(400, "ProvisionedThroughputExceededException")
	throttled  = answer(400, "ThrottlingException")
	inProgress = answer(400, "TransactionInProgressException")
	mismatch   = answer(400, "IdempotentParameterMismatchException")
	internal   = answer(500, "InternalServerError")
	away       = answer(503, "ServiceUnavailable")
	wrong      = answer(400, "ValidationException")
	timeout    = fault{name: "TimeOut",
		err: &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}}
	reset = fault{name: "Reset",
		err: &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}}
	cutShort = fault{name: "CutShort", err: io.ErrUnexpectedEOF}
	refused  = fault{name: "Refused",
		err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
)

// wire is the HTTP client under the SDK. It plays the faults in their order, one for each request,
// and then lets all through.
type wire struct {
	mu     sync.Mutex
	faults []fault
	always bool // the last fault stays
	seen   int
	tokens []string
}

var tokenPattern = regexp.MustCompile(`"ClientRequestToken":"([^"]+)"`)

// Do implements the SDK's HTTPClient.
func (w *wire) Do(request *http.Request) (*http.Response, error) {
	f, faulty, err := w.next(request)
	if err != nil {
		return nil, err
	}
	if !faulty {
		return http.DefaultClient.Do(request)
	}
	if f.after {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusOK {
			return nil, errors.New("the request that was to be done has failed: " + response.Status)
		}
		if err := response.Body.Close(); err != nil {
			return nil, err
		}
	}
	if f.err != nil {
		return nil, f.err
	}
	return &http.Response{
		StatusCode: f.status, Status: http.StatusText(f.status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Request: request,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:          io.NopCloser(strings.NewReader(f.body)),
		ContentLength: int64(len(f.body)),
	}, nil
}

func (w *wire) next(request *http.Request) (fault, bool, error) {
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return fault{}, false, err
	}
	request.Body = io.NopCloser(bytes.NewReader(text))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen++
	if token := tokenPattern.FindSubmatch(text); token != nil {
		w.tokens = append(w.tokens, string(token[1]))
	}
	if len(w.faults) == 0 {
		return fault{}, false, nil
	}
	f := w.faults[0]
	if !w.always || len(w.faults) > 1 {
		w.faults = w.faults[1:]
	}
	return f, true, nil
}

// arm sets what happens to the next requests, and forgets those before.
func (w *wire) arm(always bool, faults ...fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults, w.always, w.seen, w.tokens = faults, always, 0, nil
}

// sent makes sure that so many requests were made, transactions all with one token.
func (w *wire) sent(t *testing.T, want int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen != want {
		t.Errorf("%d requests, want %d", w.seen, want)
	}
	if len(slices.Compact(slices.Clone(w.tokens))) > 1 {
		t.Errorf("one transaction under several tokens: %v", w.tokens)
	}
}

// wired returns an engine on the table whose requests go through the wire.
func wired(t *testing.T, name string) (*dynamo.Engine, *wire) {
	t.Helper()
	w := &wire{}
	client := dynamotest.Client(t, func(o *dynamodb.Options) { o.HTTPClient = w })
	return dynamo.New(client, name), w
}
