// Command receiver is a webhook receiver to try Dossier with: it accepts what the Standard Webhooks
// library accepts, and prints it.
//
//	go run ./pkg/webhook/receiver 127.0.0.1:9000 whsec_…
//
// The secret may also come later: each line on standard input is taken as the secret from then on.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const maxBody = 1 << 20

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: receiver <host:port> [<secret>]")
		os.Exit(2)
	}
	var secret atomic.Value
	secret.Store("")
	if len(os.Args) == 3 {
		secret.Store(os.Args[2])
	}
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			secret.Store(strings.TrimSpace(lines.Text()))
		}
	}()
	server := &http.Server{Addr: os.Args[1], ReadTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) { receive(w, r, secret.Load().(string)) })}
	fmt.Printf("receiving at http://%s\n", os.Args[1])
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
	os.Exit(1)
}

// receive answers 200 to a webhook whose signature is right, and 401 to everything else.
func receive(w http.ResponseWriter, r *http.Request, secret string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	wh, err := standardwebhooks.NewWebhook(secret)
	if err == nil {
		err = wh.Verify(body, r.Header)
	}
	if err != nil {
		fmt.Printf("refused %s: %v\n", r.Header.Get("webhook-id"), err)
		http.Error(w, "the signature is not right", http.StatusUnauthorized)
		return
	}
	fmt.Printf("accepted %s\n%s\n", r.Header.Get("webhook-id"), body)
}
