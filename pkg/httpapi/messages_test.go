package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func TestMessages(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate := h.candidate(t)
	at := "/candidates/" + candidate + "/messages"
	second, err := h.store.CreateKey(t.Context(), h.company.ID,
		dossier.KeyInput{Kind: dossier.KindAdministrator,
			KeyUpdate: dossier.KeyUpdate{Name: "Second",
				Scopes: []string{dossier.ScopeMessagesWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	token := h.token(t, candidate)

	sent := ok[dossier.Message](t, h, "POST", at, `{"text":" Please call. "}`)
	if sent.Text != " Please call. " || sent.State != "unread" ||
		sent.Author.Type != "administrator" || sent.Author.ID != h.company.Key.ID ||
		sent.CandidateID != candidate {
		t.Errorf("OK: %+v", sent)
	}
	h.refused(t, call{method: "DELETE", target: at + "/" + sent.ID, key: second.Secret},
		dossier.CodeNotMessageAuthor)
	read, _ := okWith[dossier.Message](t, h,
		call{method: "POST", target: at + "/" + sent.ID + "/read", key: token})
	if read.State != "read" || read.ReadByCandidateAt.IsZero() ||
		!read.ReadByAdministratorAt.IsZero() {
		t.Errorf("OK: read by the candidate: %+v", read)
	}
	h.refused(t, call{method: "DELETE", target: at + "/" + sent.ID}, dossier.CodeMessageRead)

	answer, _ := okWith[dossier.Message](t, h,
		call{method: "POST", target: at, key: token, body: `{"text":"I will."}`})
	if answer.Author.Type != "candidate" || answer.Author.ID != candidate {
		t.Errorf("OK: %+v", answer)
	}
	first := ok[dossier.Message](t, h, "POST", at+"/"+answer.ID+"/read", "")
	h.clock.forward(5_000_000_000)
	again, _ := okWith[dossier.Message](t, h,
		call{method: "POST", target: at + "/" + answer.ID + "/read", key: second.Secret})
	if first.ReadByAdministratorAt.IsZero() ||
		!again.ReadByAdministratorAt.Equal(first.ReadByAdministratorAt) {
		t.Errorf("OK: the first reader does not stay: %+v, %+v", first, again)
	}

	regretted := ok[dossier.Message](t, h, "POST", at, `{"text":"Wrong one."}`)
	ok[struct{}](t, h, "DELETE", at+"/"+regretted.ID, "")
	h.refused(t, call{method: "DELETE", target: at + "/" + regretted.ID}, dossier.CodeNotFound)
	list, _ := okWith[[]dossier.Message](t, h, call{method: "GET", target: at, key: token})
	if len(list) != 2 || list[0].ID != sent.ID || list[1].ID != answer.ID {
		t.Errorf("OK: %+v", list)
	}
	h.refused(t, call{method: "DELETE", target: at + "/" + answer.ID, key: token},
		dossier.CodeForbidden)
}

func TestMessagesRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	at := "/candidates/" + h.candidate(t) + "/messages"
	sent := ok[dossier.Message](t, h, "POST", at, `{"text":"Please call."}`)
	for body, named := range map[string]string{`{}`: "/text required",
		`{"text":"\n \t"}`: "/text required",
		`{"text":"` + strings.Repeat("é", 4001) + `"}`: "/text tooLong",
		`{"text":"x","author":{}}`:                     "/author unknown"} {
		h.refused(t, call{method: "POST", target: at, body: body}, dossier.CodeValidation, named)
	}
	// A message exists only under its own candidate.
	other := "/candidates/" + h.candidate(t) + "/messages/"
	h.refused(t, call{method: "POST", target: other + sent.ID + "/read"}, dossier.CodeNotFound)
	h.refused(t, call{method: "DELETE", target: other + sent.ID}, dossier.CodeNotFound)
	h.refused(t, call{method: "GET", target: "/candidates/cnd_x/messages"}, dossier.CodeNotFound)
}

// The caller's side reads, whoever wrote the message: the interface states no condition.
func TestReadingAnOwnMessage(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate := h.candidate(t)
	at := "/candidates/" + candidate + "/messages"
	token := h.token(t, candidate)

	sent := ok[dossier.Message](t, h, "POST", at, `{"text":"Please call."}`)
	read := ok[dossier.Message](t, h, "POST", at+"/"+sent.ID+"/read", "")
	if read.State != "read" || read.ReadByAdministratorAt.IsZero() ||
		!read.ReadByCandidateAt.IsZero() {
		t.Errorf("read by its author, an administrator: %+v", read)
	}
	h.refused(t, call{method: "DELETE", target: at + "/" + sent.ID}, dossier.CodeMessageRead)

	answer, _ := okWith[dossier.Message](t, h,
		call{method: "POST", target: at, key: token, body: `{"text":"I will."}`})
	own, _ := okWith[dossier.Message](t, h,
		call{method: "POST", target: at + "/" + answer.ID + "/read", key: token})
	if own.State != "read" || own.ReadByCandidateAt.IsZero() ||
		!own.ReadByAdministratorAt.IsZero() {
		t.Errorf("read by its author, the candidate: %+v", own)
	}
}

func TestMessagesAreListedWhole(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	at := "/candidates/" + h.candidate(t) + "/messages"
	for n := range 120 {
		ok[dossier.Message](t, h, "POST", at, fmt.Sprintf(`{"text":"%d"}`, n))
	}
	if all, w := okWith[[]dossier.Message](t, h, call{method: "GET", target: at}); len(all) !=
		120 || w.Header().Get("Link") != "" {
		t.Errorf("OK: %d, Link %q", len(all), w.Header().Get("Link"))
	}
	if page, w := okWith[[]dossier.Message](t, h,
		call{method: "GET", target: at + "?page[size]=100"}); len(page) != 100 ||
		w.Header().Get("Link") == "" {
		t.Errorf("OK: a page of %d, Link %q", len(page), w.Header().Get("Link"))
	}
}

// Where responses are limited in size, a list comes in pages that fit, even if none was requested.
func TestLongListsArePaged(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	h.API.cfg.MaxList, h.API.streams = 5000, false
	at := "/candidates/" + h.candidate(t) + "/messages"
	const messages = 60
	for n := range messages { // the long ones first: no page has as many as another
		ok[dossier.Message](t, h, "POST", at,
			fmt.Sprintf(`{"text":"%s%d"}`,
				strings.Repeat("x", max(1, dossier.MaxText-10-500*n)), n))
	}
	for _, query := range []string{"", "?page[size]=50"} {
		seen, pages := map[string]bool{}, 0
		for next := at + query; next != ""; pages++ {
			list, w := okWith[[]dossier.Message](t, h, call{method: "GET", target: next})
			if size := w.Body.Len(); size > h.API.cfg.MaxList || len(list) == 0 {
				t.Fatalf("a page of %d bytes, %d messages", size, len(list))
			}
			for _, m := range list {
				if seen[m.ID] {
					t.Errorf("%s comes twice", m.ID)
				}
				seen[m.ID] = true
			}
			link, _, _ := strings.Cut(w.Header().Get("Link"), ">")
			next = strings.TrimPrefix(link, "<")
		}
		if len(seen) != messages || pages < 6 {
			t.Errorf("%q: %d messages on %d pages", query, len(seen), pages)
		}
	}
}
