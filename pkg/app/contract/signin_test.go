package contract

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc/oidctest"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// asking makes the service ask the providers, which are on loopback, and lets one address try
// often.
func asking(providers ...*oidctest.Provider) func(*httpapi.Config) {
	return func(cfg *httpapi.Config) {
		var hosts []string
		for _, p := range providers {
			hosts = append(hosts, p.Host)
		}
		guard := webhook.NewGuard(hosts)
		cfg.Targets = guard
		cfg.People = oidc.NewClient(webhook.NewSender(guard, webhook.Config{}).Transport(),
			guard.CheckURL, time.Now)
		cfg.GuestRate, cfg.GuestBurst = 1e6, 1e6
	}
}

const redirectURI = "https://dossier.example.com/console/signin/callback"

// providerOf is the body of a sign-in provider with one domain and one group.
func providerOf(p *oidctest.Provider) object {
	return object{"name": "Example", "issuer": p.URL, "clientId": oidctest.ClientID,
		"clientSecret": oidctest.ClientSecret, "domains": []string{"example.com"},
		"scopes": []string{"documents:write"},
		"groups": []object{{"name": "admins", "scopes": []string{"candidates:write", "keys"}}}}
}

// attempt is a browser on its way: what it keeps, and what the provider sent it back with.
type attempt struct {
	object
	asked url.Values // of the authorization request
}

// begins starts an attempt and does not go to the provider.
func (s *service) begins(provider string) (kept string, at *url.URL) {
	s.Helper()
	a := s.one("POST", "/public/"+s.company+"/sign-in",
		object{"providerId": provider, "redirectUri": redirectURI})
	at, err := url.Parse(a["url"].(string))
	if err != nil {
		s.Fatal(err)
	}
	return a["attempt"].(string), at
}

// goes lets the browser sign in at the provider, and returns what POST /sessions needs.
func (s *service) goes(kept string, at *url.URL) attempt {
	s.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resp, err := client.Get(at.String())
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil || !strings.HasPrefix(back.String(), redirectURI+"?") {
		s.Fatalf("the provider answered %s, %v", resp.Status, err)
	}
	q := back.Query()
	return attempt{object{"attempt": kept, "code": q.Get("code"), "state": q.Get("state"),
		"issuer": q.Get("iss")}, at.Query()}
}

// comesBack returns a new attempt of a browser that signed in at the provider.
func (s *service) comesBack(provider string) attempt { return s.goes(s.begins(provider)) }

// signsIn returns the service as somebody calls it who signed in at the provider.
func (s *service) signsIn(provider string) (*service, object) {
	s.Helper()
	made := s.one("POST", "/sessions", s.comesBack(provider).object)
	other := *s
	other.key = made["token"].(string)
	return &other, made
}

// TestSignInAtAProvider signs a person in, who decides under the own name, until the settings or
// the person end it.
func TestSignInAtAProvider(t *testing.T) {
	t.Parallel()
	for name, engine := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := oidctest.New(t)
			s := newService(t, engine(t), asking(p))
			id := s.create("/signInProviders", providerOf(p))
			shown := s.one("GET", "/public/"+s.company+"/sign-in", nil)
			s.equal("shown", shown, object{"company": object{"id": s.company, "name": "First"},
				"providers": []any{object{"id": id, "name": "Example"}}})
			s.personDecides(id)
			s.groupsGiveScopes(p, id)
			s.personEnds(p, id)
		})
	}
}

func (s *service) personDecides(id string) {
	ann, made := s.signsIn(id)
	s.equal("scopes", made["scopes"], []any{"documents:write"})
	left := time.Until(s.moment(made, "expiresAt"))
	if left < 11*time.Hour || left > 12*time.Hour {
		s.Errorf("the session ends in %v", left)
	}
	who := ann.one("GET", "/sessions/current", nil)["principal"].(object)
	if who["name"] != "Ann Example" || who["kind"] != "administrator" ||
		!strings.HasPrefix(who["id"].(string), "sub_") {
		s.Errorf("signed in: %v", who)
	}
	ann.refuse("GET", "/keys", nil, http.StatusForbidden, "FORBIDDEN")
	documentType := jsonType(nil)
	documentType["check"] = object{"parser": "json", "decision": "manual"}
	delete(documentType, "submission")
	_, request := s.asked(documentType)
	s.one("POST", "/candidateDocumentTypes/"+request+"/upload", parts(parsed))
	s.eventually("in review", func() bool {
		return s.one("GET", "/candidateDocumentTypes/"+request, nil)["state"] == "inReview"
	})
	document := ann.one("POST", "/candidateDocumentTypes/"+request+"/validate", nil)["document"]
	s.equal("decided by", at(document, "decidedBy"), who)
	ann.one("DELETE", "/sessions/current", nil)
	ann.refuse("GET", "/candidateDocumentTypes", nil, http.StatusUnauthorized, "UNAUTHORIZED")
}

// groupsGiveScopes signs in with groups; what such a session gives ends within 90 days, and it sets
// up no provider.
func (s *service) groupsGiveScopes(p *oidctest.Provider, id string) {
	p.Change(func(c oidctest.Claims) { c["groups"] = []string{"others", "admins"} })
	defer p.Change(nil)
	admin, made := s.signsIn(id)
	s.equal("scopes", made["scopes"], []any{"candidates:write", "documents:write", "keys"})
	key := object{"name": "K", "kind": "administrator", "scopes": []string{"keys"}}
	admin.refuse("POST", "/keys", key, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	key["expiresAt"] = time.Now().Add(80 * 24 * time.Hour).UTC().Format(time.RFC3339)
	admin.create("/keys", key)
	key["scopes"] = []string{"settings:write"}
	admin.refuse("POST", "/keys", key, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	admin.refuse("POST", "/signInProviders", providerOf(p), http.StatusForbidden, "FORBIDDEN")
	admin.refuse("PATCH", "/signInProviders/"+id, object{"domains": []string{"example.net"}},
		http.StatusForbidden, "FORBIDDEN")
	// The group loses its scope, and the session with it.
	s.one("PATCH", "/signInProviders/"+id, object{"groups": []object{{"name": "admins",
		"scopes": []string{"candidates:write"}}}})
	admin.refuse("GET", "/keys", nil, http.StatusForbidden, "FORBIDDEN")
	admin.one("GET", "/candidates/"+s.create("/candidates", object{"firstName": "A"}), nil)
}

// personEnds ends sessions by each change of the settings that takes the access away.
func (s *service) personEnds(p *oidctest.Provider, id string) {
	one := "/signInProviders/" + id
	for _, change := range []object{{"active": false}, {"domains": []string{"example.net"}},
		{"issuer": "https://other.example.com", "clientSecret": "x"}} {
		ann, _ := s.signsIn(id)
		s.one("PATCH", one, change)
		ann.refuse("GET", "/candidateDocumentTypes", nil, http.StatusUnauthorized, "UNAUTHORIZED")
		back := providerOf(p)
		back["active"] = true
		s.one("PATCH", one, back)
	}
	late := s.comesBack(id)
	ann, _ := s.signsIn(id)
	s.one("DELETE", one, nil)
	ann.refuse("GET", "/candidateDocumentTypes", nil, http.StatusUnauthorized, "UNAUTHORIZED")
	s.refuse("POST", "/sessions", late.object, http.StatusUnauthorized, "UNAUTHORIZED")
	s.refuse("GET", "/public/"+s.company+"/sign-in", nil, http.StatusNotFound, "NOT_FOUND")
}

// TestSignInAttacks refuses codes, states and tokens of another attempt, browser, provider or
// company.
func TestSignInAttacks(t *testing.T) {
	t.Parallel()
	for name, engine := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, evil := oidctest.New(t), oidctest.New(t)
			s := newService(t, engine(t), asking(p, evil))
			id := s.create("/signInProviders", providerOf(p))
			partner, _ := s.partner()
			theirs := partner.create("/signInProviders", providerOf(evil))
			refused := func(a object) {
				s.Helper()
				s.refuse("POST", "/sessions", a, http.StatusUnauthorized, "UNAUTHORIZED")
			}
			used := s.comesBack(id)
			s.one("POST", "/sessions", used.object)
			refused(used.object) // replayed
			for _, member := range []string{"attempt", "code", "state"} {
				mine, others := s.comesBack(id), s.comesBack(id)
				mine.object[member] = others.object[member]
				refused(mine.object) // another browser's
			}
			// The code of an honest provider does not go to one of another company.
			mixed, stolen := partner.comesBack(theirs), s.comesBack(id)
			mixed.object["code"], mixed.object["issuer"] = stolen.object["code"], p.URL
			partner.refuse("POST", "/sessions", mixed.object, http.StatusUnauthorized,
				"UNAUTHORIZED")
			// A session reaches the company of its provider and no other.
			other, _ := partner.signsIn(theirs)
			s.equal("company", at(other.one("GET", "/sessions/current", nil), "company", "id"),
				partner.company)
			forged := *s
			forged.key = strings.Replace(other.key, partner.company[4:], s.company[4:], 1)
			forged.refuse("GET", "/candidateDocumentTypes", nil, http.StatusUnauthorized,
				"UNAUTHORIZED")
			s.refuse("POST", "/public/"+s.company+"/sign-in", object{"providerId": theirs,
				"redirectUri": redirectURI}, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			s.tokenAttacks(p, evil, id)
			s.notAllowed(p, id)
		})
	}
}

// tokenAttacks refuses ID tokens that were made by or for somebody else.
func (s *service) tokenAttacks(p, evil *oidctest.Provider, id string) {
	foreign, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.Fatal(err)
	}
	for name, change := range map[string]func(oidctest.Claims){
		"nonce":     func(c oidctest.Claims) { c["nonce"] = "other" },
		"no nonce":  func(c oidctest.Claims) { delete(c, "nonce") },
		"audience":  func(c oidctest.Claims) { c["aud"] = "other" },
		"audiences": func(c oidctest.Claims) { c["aud"] = []string{oidctest.ClientID, "other"} },
		"party":     func(c oidctest.Claims) { c["azp"] = "other" },
		"issuer":    func(c oidctest.Claims) { c["iss"] = evil.URL },
		"expired":   func(c oidctest.Claims) { c["exp"] = time.Now().Add(-time.Hour).Unix() },
		"no end":    func(c oidctest.Claims) { delete(c, "exp") },
		"future":    func(c oidctest.Claims) { c["iat"] = time.Now().Add(time.Hour).Unix() },
		"nobody":    func(c oidctest.Claims) { delete(c, "sub") },
	} {
		p.Change(change)
		if status, _, _ := s.send("POST", "/sessions", s.comesBack(id).object); status !=
			http.StatusUnauthorized {
			s.Errorf("%s: %d", name, status)
		}
	}
	p.Change(nil)
	for name, sign := range map[string]func(oidctest.Claims) string{
		"none": func(c oidctest.Claims) string {
			body, _ := json.Marshal(c)
			head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
			return head + "." + base64.RawURLEncoding.EncodeToString(body) + "."
		},
		"client secret": func(c oidctest.Claims) string {
			return oidctest.Signed(jose.HS256,
				[]byte(oidctest.ClientSecret+strings.Repeat("x", 32)),
				"k", c)
		},
		"foreign key": func(c oidctest.Claims) string {
			return oidctest.Signed(jose.ES256, foreign, "k", c)
		},
		"no token": func(oidctest.Claims) string { return "" },
	} {
		p.Sign(sign)
		if status, _, _ := s.send("POST", "/sessions", s.comesBack(id).object); status !=
			http.StatusUnauthorized {
			s.Errorf("signed with %s: %d", name, status)
		}
	}
	p.Sign(nil)
	// A clock that is half a minute off, and a new key, are no attacks.
	p.Change(func(c oidctest.Claims) { c["exp"] = time.Now().Add(-30 * time.Second).Unix() })
	s.signsIn(id)
	p.Change(nil)
	p.Rotate(s)
	s.signsIn(id)
}

// notAllowed refuses people whom the provider knows and the settings don't let in, and says why.
func (s *service) notAllowed(p *oidctest.Provider, id string) {
	for _, claims := range []oidctest.Claims{
		{"email_verified": false}, {"email_verified": "false"}, {"email_verified": nil},
		{"email": "ann@example.net"}, {"email": "ann@example.com@example.net"},
		{"email": "ann@example.com.example.net"}, {"email": "ann@sub.example.com"},
		{"email": "@example.com"}, {"email": nil},
		{"email": "ann@example.net", "groups": "admins"},
	} {
		p.Change(func(c oidctest.Claims) {
			for name, v := range claims {
				c[name] = v
				if v == nil {
					delete(c, name)
				}
			}
		})
		if status, answer, _ := s.send("POST", "/sessions", s.comesBack(id).object); status !=
			http.StatusForbidden {
			s.Errorf("%v: %d %v", claims, status, answer)
		}
	}
	p.Change(nil)
	// A provider that is down, or that refuses the client secret, is no mistake of the person's.
	a := s.comesBack(id)
	p.Down(true)
	s.refuse("POST", "/sessions", a.object, http.StatusServiceUnavailable, "UNAVAILABLE")
	p.Down(false)
	s.one("PATCH", "/signInProviders/"+id, object{"clientSecret": "wrong"})
	s.refuse("POST", "/sessions", s.comesBack(id).object, http.StatusServiceUnavailable,
		"UNAVAILABLE")
	s.equal("the last refusal", p.Refused()[len(p.Refused())-1], "invalid_client")
}

// A provider on a private address is not asked, nor one that names such an address.
func TestSignInAtAPrivateAddress(t *testing.T) {
	t.Parallel()
	p := oidctest.New(t)
	s := newService(t, engines["bolt"](t), asking(), func(cfg *httpapi.Config) {
		cfg.Targets = webhook.NewGuard([]string{p.Host}) // as the settings said once
	})
	id := s.create("/signInProviders", providerOf(p))
	s.refuse("POST", "/public/"+s.company+"/sign-in", object{"providerId": id,
		"redirectUri": redirectURI}, http.StatusServiceUnavailable, "UNAVAILABLE")
	for _, uri := range []string{"", "http://dossier.example.com/", "javascript:alert(1)",
		"https://dossier.example.com/#x", "https://user@dossier.example.com/"} {
		s.refuse("POST", "/public/"+s.company+"/sign-in", object{"providerId": id,
			"redirectUri": uri}, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	}
}
