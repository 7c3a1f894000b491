package aws

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/store"
)

// The first call to the table goes over the connection that was opened meanwhile: the SDK must not
// have made a client of its own.
func TestConnect(t *testing.T) {
	t.Parallel()
	var connections, calls atomic.Int32
	aws := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Amz-Target") != "" {
				calls.Add(1)
			}
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			_, _ = io.WriteString(w, `{}`)
		}))
	aws.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	aws.Start()
	defer aws.Close()
	environment := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a",
		"AWS_SECRET_ACCESS_KEY": "b", "AWS_ENDPOINT_URL": aws.URL}
	f := Function{Config: app.Config{Table: "t"}, AWS: fromEnv(func(name string) string {
		return environment[name]
	})}
	f.connect()
	if _, found, err := f.Store(nil).Replay(t.Context(),
		store.Idempotency{CompanyID: "com_1", PrincipalID: "p", Key: "k"}); found || err != nil {
		t.Fatalf("%t %v", found, err)
	}
	if calls.Load() != 1 || connections.Load() != 1 {
		t.Errorf("%d calls over %d connections", calls.Load(), connections.Load())
	}
}
