package chaos

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// register makes a candidate of somebody who comes in by the registration page.
func (w *simulation) register(n int) {
	a := w.ask(request{method: "POST", as: nobody,
		path: "/public/" + w.clients.company + "/registration-pages/" +
			[]string{w.clients.page, "r"}[n%2] + "/register",
		body: fmt.Sprintf(
			`{"firstName":"%[1]s %[2]d","lastName":%[1]q,"email":"%[1]s@example.com"}`, canary, n)})
	if id, ok := a.body["candidateId"].(string); ok {
		w.clients.candidates = append(w.clients.candidates, id)
		w.clients.requests = append(w.clients.requests,
			"cdt_"+id[len("cnd_"):]+w.clients.types[0][len("dty_"):])
	}
	w.holds(a)
}

// holds keeps the credential in an answer, if there is one.
func (w *simulation) holds(a answer) {
	if text, ok := a.body["token"].(string); ok {
		w.clients.credentials = append(w.clients.credentials, text)
	}
}

func (w *simulation) addKey(int) {
	a := w.post("/keys", `{"name":"K","kind":"administrator","scopes":["candidates:read"]}`)
	if text, ok := a.body["secret"].(string); ok {
		w.clients.keys = append(w.clients.keys, text)
	}
}

func (w *simulation) dropKey(n int) {
	w.ask(request{method: "DELETE", path: "/keys/" + keyID(pick(w.clients.keys, n))})
}

// keyID returns the id in the text of a key, whose ULID follows that of its company.
func keyID(text string) string {
	_, ulids, _ := strings.Cut(text, "_")
	ulids, _, _ = strings.Cut(ulids, "_")
	return dossier.PrefixKey + ulids[min(len(ulids), ulid.EncodedSize):]
}

// signIn begins a session, with one of the latest keys or the first.
func (w *simulation) signIn(n int) {
	keys := w.clients.keys[max(0, len(w.clients.keys)-2):]
	key := w.clients.key
	if n%4 > 0 && len(keys) > 0 {
		key = pick(keys, n)
	}
	w.holds(w.ask(request{method: "POST", path: "/sessions", as: nobody,
		body: fmt.Sprintf(`{"key":%q}`, key)}))
}

// link makes a sign-in link as an operator does, for whom there is no route.
func (w *simulation) link(n int) {
	key := ""
	if n%2 > 0 && len(w.clients.keys) > 0 {
		key = keyID(pick(w.clients.keys, n))
	}
	text, err := w.machines[0].store.CreateSignInLink(background, w.clients.company, key)
	if known := (*dossier.Error)(nil); err != nil && !errors.As(err, &known) {
		w.technical(w.current, err)
	}
	if err == nil {
		w.clients.links = append(w.clients.links, text)
	}
}

// signInAtProvider signs a person in at a provider of the company, which is made first, and renamed
// and deleted now and then.
func (w *simulation) signInAtProvider(n int) {
	if w.clients.provider == "" {
		a := w.post("/signInProviders", `{"name":"P","issuer":"https://login.example.com",
			"clientId":"c","domains":["example.com"],"scopes":["candidates:read"]}`)
		w.clients.provider, _ = a.body["id"].(string)
	}
	if n%4 == 0 {
		w.ask(request{method: "PATCH", path: "/signInProviders/" + w.clients.provider,
			body: fmt.Sprintf(`{"name":"P %d"}`, n)})
	}
	if n%7 == 1 {
		w.ask(request{method: "DELETE", path: "/signInProviders/" + w.clients.provider})
		w.clients.provider = ""
		return
	}
	begun := w.ask(request{method: "POST", as: nobody,
		path: "/public/" + w.clients.company + "/sign-in",
		body: fmt.Sprintf(`{"providerId":%q,"redirectUri":"https://dossier.example.com/back"}`,
			w.clients.provider)})
	state, _ := begun.body["url"].(string)
	attempt, _ := begun.body["attempt"].(string)
	w.holds(w.ask(request{method: "POST", path: "/sessions", as: nobody,
		body: fmt.Sprintf(`{"attempt":%q,"code":"c","state":%q}`, attempt, state)}))
}

// everybody is a provider that signs in whoever comes. Its address is the state alone.
type everybody struct{}

// Begin implements httpapi.People.
func (everybody) Begin(_ context.Context, with dossier.SignInExchange) (string, error) {
	return with.State(), nil
}

// Finish implements httpapi.People.
func (everybody) Finish(context.Context, dossier.SignInExchange, string) (dossier.SignedIn, error) {
	return dossier.SignedIn{ID: "sub_0123456789abcdef", Name: "Ann", Domain: "example.com"}, nil
}
