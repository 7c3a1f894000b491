package webhook

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func verify(t *testing.T, secret string, header http.Header, body []byte) error {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatalf("the library refuses the secret: %v", err)
	}
	return library.Verify(body, header)
}

func TestSign(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"evt_1","data":{"name":"Zoë"}}`)
	t.Run("OK", func(t *testing.T) {
		t.Parallel()
		secret, now := NewSecret(), time.Now()
		header, err := Sign([]string{secret}, "evt_1", now, body)
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(t, secret, header, body); err != nil {
			t.Error(err)
		}
		if err := verify(t, secret, header, append(body[:len(body):len(body)], ' ')); err == nil {
			t.Error("a changed body is accepted")
		}
		if err := verify(t, NewSecret(), header, body); err == nil {
			t.Error("another secret is accepted")
		}
	})
	t.Run("OKKnownAnswer", func(t *testing.T) {
		t.Parallel()
		// The example of the specification.
		header, err := Sign([]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
			"msg_p5jXN8AQM9LWM0D4loKWxJek",
			time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
		want := http.Header{
			"Webhook-Id":        {"msg_p5jXN8AQM9LWM0D4loKWxJek"},
			"Webhook-Timestamp": {"1614265330"},
			"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
		}
		if diff := cmp.Diff(want, header); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		if header.Get("webhook-signature") == "" {
			t.Error("the headers are not in canonical form")
		}
	})
	t.Run("OKRotation", func(t *testing.T) {
		t.Parallel()
		old, fresh := NewSecret(), NewSecret()
		header, err := Sign([]string{fresh, old}, "evt_1", time.Now(), body)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{old, fresh} {
			if err := verify(t, secret, header, body); err != nil {
				t.Error(err)
			}
		}
		if parts := strings.Split(header.Get(HeaderSignature), " "); len(parts) != 2 ||
			parts[0] == parts[1] {
			t.Errorf("signatures: %q", parts)
		}
	})
}

func TestSignRefuses(t *testing.T) {
	t.Parallel()
	body := []byte("{}")
	t.Run("ErrSecret", func(t *testing.T) {
		t.Parallel()
		good := NewSecret()
		for _, secrets := range [][]string{
			nil, {""}, {"whsec_"}, {"whsec_!!!!"}, {strings.TrimPrefix(good, "whsec_")},
			{good + "="}, {good[:len(good)-2]},
			{"whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 23))},
			{"whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))},
			{"whsec_" + base64.RawURLEncoding.EncodeToString(
				[]byte(
					"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))},
			{good[:20] + "\n" + good[20:]}, {good, "whsec_short"},
		} {
			if _, err := Sign(secrets, "evt_1", time.Now(), body); !errors.Is(err, ErrSecret) {
				t.Errorf("%q: %v", secrets, err)
			}
		}
	})
	t.Run("ErrMessageID", func(t *testing.T) {
		t.Parallel()
		for _, id := range []string{"", "a b", "a.b", "a\r\nx: y", "é", strings.Repeat("a", 257)} {
			if _, err := Sign([]string{NewSecret()}, id, time.Now(), body); !errors.Is(err,
				ErrMessageID) {
				t.Errorf("%q: %v", id, err)
			}
		}
	})
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		secret := NewSecret()
		key, err := decodeSecret(secret)
		if err != nil || len(key) != 32 || !strings.HasPrefix(secret, "whsec_") || seen[secret] {
			t.Fatalf("%q: %d bytes, %v", secret, len(key), err)
		}
		seen[secret] = true
	}
}
