package contract

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// stolenToken revokes a candidate's token that is in use. Nobody else can.
func stolenToken(s *service, _ kv.Engine) {
	own := "/candidates/" + s.create("/candidates", object{"firstName": "Ada"})
	for _, seconds := range []any{dossier.MinTokenSeconds - 1, dossier.MaxTokenSeconds + 1, -1,
		"60", nil} {
		s.refuse("POST", own+"/tokens", object{"expiresIn": seconds},
			http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	}
	short := s.one("POST", own+"/tokens", object{"expiresIn": dossier.MinTokenSeconds})
	s.equal("lifetime", s.moment(short, "expiresAt").Sub(s.moment(short, "createdAt")).Round(
		time.Second), time.Minute)
	stolen := s.one("POST", own+"/tokens", nil)
	id := stolen["id"].(string)
	listed := s.list(own + "/tokens")
	s.equal("ids", []any{at(listed, 0, "id"), at(listed, 1, "id")}, []any{short["id"], id})
	s.equal("creator", at(listed, 1, "createdBy", "kind"), "administrator")
	if text := fmt.Sprint(listed); strings.Contains(text, "dst_") {
		s.Errorf("a secret is listed: %s", text)
	}
	thief := *s
	thief.key = stolen["token"].(string)
	thief.one("GET", own, nil)
	thief.refuse("GET", own+"/tokens", nil, http.StatusForbidden, "FORBIDDEN")
	thief.refuse("DELETE", own+"/tokens/"+short["id"].(string), nil, http.StatusForbidden,
		"FORBIDDEN")
	other := "/candidates/" + s.create("/candidates", object{"firstName": "Grace"})
	for _, path := range []string{other + "/tokens/" + id, own + "/tokens/tok_x",
		own + "/tokens/" + strings.Replace(id, "tok_", "key_", 1)} {
		s.refuse("DELETE", path, nil, http.StatusNotFound, "NOT_FOUND")
	}
	stranger, err := s.store.CreateCompany(s.Context(), "", "Stranger")
	if err != nil {
		s.Fatal(err)
	}
	foreign := *s
	foreign.key = stranger.Key.Secret
	foreign.refuse("DELETE", own+"/tokens/"+id, nil, http.StatusNotFound, "NOT_FOUND")
	thief.one("GET", own, nil)

	s.one("DELETE", own+"/tokens/"+id, nil)
	thief.refuse("GET", own, nil, http.StatusUnauthorized, "UNAUTHORIZED")
	s.refuse("DELETE", own+"/tokens/"+id, nil, http.StatusNotFound, "NOT_FOUND")
	s.equal("left", len(s.list(own+"/tokens")), 1)
	s.one("DELETE", own, nil)
	s.refuse("GET", own+"/tokens", nil, http.StatusNotFound, "NOT_FOUND")
}

// moment returns a timestamp of an answer.
func (s *service) moment(v object, member string) time.Time {
	s.Helper()
	text, _ := v[member].(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		s.Fatal(err)
	}
	return at
}
