package web

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// sessionFor is how long a session lasts.
const sessionFor = 12 * time.Hour

// Session is one person at one browser, signed in.
type Session struct {
	Credential string    `json:"c"` // what the API is called with
	Name       string    `json:"n"` // of the key, or of the candidate
	Company    string    `json:"o"`
	Candidate  string    `json:"i,omitzero"` // the candidate's id; empty for an administrator
	Expires    time.Time `json:"e"`
}

// Sessions keeps what a cookie stands for.
type Sessions interface {
	// Start makes a session and returns the value of its cookie.
	Start(ctx context.Context, s Session) (cookie string, err error)
	// Resolve returns the session of a cookie; ErrNoSession where it is unknown, changed or over.
	Resolve(ctx context.Context, cookie string) (Session, error)
	// End ends the session of a cookie.
	End(ctx context.Context, cookie string) error
}

// ErrNoSession is the answer for a cookie that stands for no session.
var ErrNoSession = errors.New("no session")

// sealed keeps sessions in the cookie itself, encrypted and authenticated, so that no server has to remember them.
type sealed struct {
	aead cipher.AEAD
	now  func() time.Time
}

// NewSealedSessions makes Sessions whose cookies hold the session itself, sealed with AES-256-GCM under a key that
// is derived from secret. A session ends with the credential in it, after 12 hours, and when its cookie is deleted.
func NewSealedSessions(secret []byte, now func() time.Time) (Sessions, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "dossier web session", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return sealed{aead, now}, nil
}

func (s sealed) Start(_ context.Context, session Session) (string, error) {
	text, err := json.Marshal(session)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, nil)), nil
}

func (s sealed) Resolve(_ context.Context, cookie string) (Session, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		return Session{}, ErrNoSession
	}
	text, err := s.aead.Open(nil, nil, raw, nil)
	if err != nil {
		return Session{}, ErrNoSession
	}
	var session Session
	if err := json.Unmarshal(text, &session); err != nil || !s.now().Before(session.Expires) {
		return Session{}, ErrNoSession
	}
	return session, nil
}

func (sealed) End(context.Context, string) error { return nil }

// The cookies: administrators and candidates are told apart, so that one browser can be both.
const (
	consoleCookie = "dossier-console"
	portalCookie  = "dossier-candidate"
)

func (s *Site) cookieName(name string) string {
	if s.cfg.Secure {
		return "__Host-" + name
	}
	return name
}

func (s *Site) setCookie(w http.ResponseWriter, name, value string, expires time.Time) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", Expires: expires, HttpOnly: true, Secure: s.cfg.Secure,
		SameSite: http.SameSiteStrictMode,
	})
}

func (s *Site) dropCookie(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(name), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.cfg.Secure,
		SameSite: http.SameSiteStrictMode})
}

// session returns the session of a request's cookie.
func (s *Site) session(r *http.Request, name string) (Session, error) {
	cookie, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return Session{}, ErrNoSession
	}
	return s.cfg.Sessions.Resolve(r.Context(), cookie.Value)
}
