package httpapi

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// A removed request is closed but readable and can be requested again. During a check it is
// locked.
func TestRemoveRequest(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	candidate, request := h.candidateWithRequest(t, permitRules)
	remove := call{method: "DELETE", target: "/candidateDocumentTypes/" + request}
	byKey, byToken := remove, remove
	byKey.key = ok[dossier.Key](t, h, "POST", "/keys",
		`{"name":"K","kind":"integration","scopes":["documents:write"]}`).Secret
	byToken.key = h.token(t, candidate)
	h.refused(t, byKey, dossier.CodeForbidden)
	h.refused(t, byToken, dossier.CodeForbidden)

	ok[dossier.CandidateDocumentType](t, h, "POST", remove.target+"/upload", parts("a", pdf))
	if w := h.refused(t, remove, dossier.CodeLocked); w.Header().Get("Retry-After") == "" {
		t.Errorf("ErrLocked: no Retry-After: %s", w.Body)
	}
	h.finishChecks(t, store.CheckResult{State: dossier.StateNeedsResubmission})
	removed, _ := okWith[dossier.CandidateDocumentType](t, h, remove)
	if removed.State != dossier.StateRemoved || removed.Document == nil ||
		removed.Document.State != dossier.StateNeedsResubmission {
		t.Errorf("OK: %+v", removed)
	}
	h.refused(t, remove, dossier.CodeTransition)
	h.refused(t, call{method: "POST", target: remove.target + "/upload", body: parts("a", pdf)},
		dossier.CodeRemoved)
	if read := ok[dossier.CandidateDocumentType](t, h, "GET", remove.target, ""); read.State !=
		dossier.StateRemoved {
		t.Errorf("OK: %+v", read)
	}
	again := ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes",
		`{"candidateId":"`+candidate+`","documentTypeId":"`+removed.DocumentType.ID+`"}`)
	if again.ID != request || again.State != dossier.StateRequested {
		t.Errorf("OK: requested again: %+v", again)
	}
}
