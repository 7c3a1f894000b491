package contract

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc"
)

// issuer is an OIDC issuer on loopback. While hanging is set, it accepts requests and answers none.
type issuer struct {
	*httptest.Server
	key     *ecdsa.PrivateKey
	asked   atomic.Int64
	hanging atomic.Bool
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	public := jose.JSONWebKey{Key: key.Public(), KeyID: "k1", Algorithm: "ES256", Use: "sig"}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.asked.Add(1)
		if i.hanging.Load() {
			<-r.Context().Done()
			return
		}
		var answer any = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}}
		if r.URL.Path != "/keys" {
			answer = object{"issuer": i.URL, "jwks_uri": i.URL + "/keys",
				"id_token_signing_alg_values_supported": []string{"ES256"}}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(i.Close)
	return i
}

// accepted makes the service accept the issuer's JWTs.
func (i *issuer) accepted(t *testing.T) func(*httpapi.Config) {
	verifier, err := oidc.New(oidc.Config{Issuer: i.URL, Audience: "dossier"})
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *httpapi.Config) { cfg.OIDC = verifier }
}

// account returns the service as the account with this subject calls it.
func (s *service) account(i *issuer, subject, keyID string) *service {
	s.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256,
		Key: jose.JSONWebKey{Key: i.key, KeyID: keyID}}, nil)
	if err != nil {
		s.Fatal(err)
	}
	claims, err := json.Marshal(object{"iss": i.URL, "aud": "dossier", "sub": subject,
		"exp": time.Now().Add(time.Hour).Unix(), "role": "administrator",
		"company": "com_" + strings.TrimPrefix(s.key, "dsr_")[:26]})
	if err != nil {
		s.Fatal(err)
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		s.Fatal(err)
	}
	other := *s
	if other.key, err = signed.CompactSerialize(); err != nil {
		s.Fatal(err)
	}
	return &other
}

// An account whose subject is the id of a key is not that key: it deletes none of its messages and
// gets none of the responses that are stored for it.
func TestSubjectOfAKey(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	s := newService(t, engines["bolt"](t), i.accepted(t))
	id := at(s.one("GET", "/sessions/current", nil), "principal", "id").(string)
	if !strings.HasPrefix(id, "key_") {
		t.Fatalf("the key is %q", id)
	}
	thief := s.account(i, id, "k1")
	messages := "/candidates/" + s.create("/candidates", object{"firstName": "Ada"}) + "/messages"
	var sent [2]object
	for n, from := range []*service{s, thief} {
		status, answer, _ := from.send("POST", messages, object{"text": "Hello"},
			"Idempotency-Key", "k")
		if status != http.StatusOK {
			t.Fatalf("%d %v", status, answer)
		}
		sent[n] = answer.(object)
	}
	if sent[0]["id"] == sent[1]["id"] {
		t.Error("the account got the response that is stored for the key")
	}
	thief.refuse("DELETE", messages+"/"+sent[0]["id"].(string), nil, http.StatusForbidden,
		"NOT_MESSAGE_AUTHOR")
	s.refuse("DELETE", messages+"/"+sent[1]["id"].(string), nil, http.StatusForbidden,
		"NOT_MESSAGE_AUTHOR")
	s.one("DELETE", messages+"/"+sent[0]["id"].(string), nil)
}

// An issuer that hangs is asked once, however many JWTs wait for it, and keys go on working.
func TestIssuerThatHangs(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.hanging.Store(true)
	s := newService(t, engines["bolt"](t), i.accepted(t))
	answers := make(chan string, 10)
	for n := range cap(answers) {
		go func() {
			status, answer, _ := s.account(i, fmt.Sprint("u", n), "k1").send("GET", "/forms", nil)
			answers <- fmt.Sprint(status, " ", at(answer, "code"))
		}()
	}
	s.one("GET", "/sessions/current", nil)
	for range cap(answers) {
		s.equal("answer", <-answers, "503 UNAVAILABLE")
	}
	// One that comes long after the others may ask again.
	if asked := i.asked.Load(); asked > 3 {
		t.Errorf("the issuer was asked %d times", asked)
	}
}
