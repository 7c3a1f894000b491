package demo

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is a webhook receiver that verifies signatures with the Standard Webhooks library.
type receiver struct {
	address  string
	server   *http.Server
	key      atomic.Value
	accepted chan string // bodies
	refused  chan error
}

func newReceiver(ctx context.Context) (*receiver, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{address: listener.Addr().String(), accepted: make(chan string, 1),
		refused: make(chan error, 1)}
	r.key.Store("")
	r.server = &http.Server{Handler: r, ReadTimeout: 10 * time.Second}
	go func() { _ = r.server.Serve(listener) }() // ends with close
	return r, nil
}

func (r *receiver) close() error { return r.server.Close() }

// secret sets the secret that signs what comes from now on.
func (r *receiver) secret(text string) { r.key.Store(text) }

// ServeHTTP answers 200 to what is signed right.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 1<<20))
	if err == nil {
		var verifier *standardwebhooks.Webhook
		if verifier, err = standardwebhooks.NewWebhook(r.key.Load().(string)); err == nil {
			err = verifier.Verify(body, request.Header)
		}
	}
	if err != nil {
		select {
		case r.refused <- err:
		default:
		}
		http.Error(w, "the signature is not right", http.StatusUnauthorized)
		return
	}
	select {
	case r.accepted <- string(body):
	default:
	}
}
