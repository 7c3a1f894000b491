package httpapi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// withLateForms runs the API with forms that take files until they expire, as those of S3 do.
func withLateForms() testOption { return func(h *testAPI, _ *Config) { h.lateForms = true } }

// anyUpload knows of no upload that has ended.
type anyUpload struct{}

func (anyUpload) TakesPart(context.Context, string) (bool, error) { return true, nil }

// erase does the erasures that are due and returns their number.
func (h *testAPI) erase(t *testing.T) (done int) {
	t.Helper()
	due, _, err := h.store.Due(t.Context(), 100, &store.SweepCursors{})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range due {
		if task.Kind != store.TaskErase {
			continue
		}
		if err := h.store.Erase(t.Context(), task, h.blobs); err != nil {
			t.Fatal(err)
		}
		done++
	}
	return done
}

// Where a form takes a file after the erasure of its candidate, the erasure is done again when no
// form of the candidate can be used any more.
func TestEraseAfterForms(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, withLateForms())
	candidate, request := h.candidateWithRequest(t, "")
	content := pdf + " of a person"
	form := ok[pendingUpload](t, h, "POST", "/candidateDocumentTypes/"+request+"/upload",
		`{"parts":[`+announced("front", content, "application/pdf")+`]}`).Forms[0]
	h.do(t, call{method: "DELETE", target: "/candidates/" + candidate})
	h.refused(t, call{method: "GET", target: "/candidates/" + candidate}, dossier.CodeNotFound)
	if n := h.erase(t); n != 1 {
		t.Fatalf("%d erasures are due", n)
	}
	if status := h.send(t, form, content); status != 204 {
		t.Fatalf("the form answered %d", status)
	}
	h.clock.forward(time.Hour)
	if n := h.erase(t); n != 0 {
		t.Errorf("%d erasures are due while forms can be used", n)
	}
	if _, err := h.blobs.Stat(t.Context(), form.Fields["key"]); err != nil {
		t.Fatal(err)
	}
	h.clock.forward(16 * time.Minute)
	if n := h.erase(t); n != 1 {
		t.Errorf("%d erasures are due after the forms", n)
	}
	if _, err := h.blobs.Stat(t.Context(), form.Fields["key"]); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("an erased candidate's file: %v", err)
	}
	h.clock.forward(24 * time.Hour)
	if n := h.erase(t); n != 0 {
		t.Errorf("%d erasures never end", n)
	}
}
