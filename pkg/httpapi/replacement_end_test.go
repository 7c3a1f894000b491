package httpapi

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// An administrator ends the force of a document by its id.
func TestRejectInForce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		l := newLicence(t, h, `,"pass":true`)
		l.upload(t, dossier.StateInReview)
		pass := func() string {
			return ok[dossier.Candidate](t, h, "GET", "/candidates/"+l.candidate,
				"").PassVerification.Status
		}
		if is := pass(); is != dossier.PassVerified {
			t.Errorf("pass while a newer one is checked: %s", is)
		}
		h.refused(t, call{method: "POST", target: l.path + "/reject",
			body: `{"reason":"r","documentId":"doc_01JD5T00000000000000000D0C"}`},
			dossier.CodeTransition)
		l.inForce(t)
		l.reject(t, `,"documentId":"`+l.first.ID+`"`)
		l.is(t, dossier.StateInReview, "", dossier.StatusInReview)
		if is := pass(); is != dossier.PassFailed {
			t.Errorf("pass without a document: %s", is)
		}
		second := l.validate(t, "second", 100)
		l.upload(t, dossier.StateNeedsResubmission)
		if is := pass(); is != dossier.PassVerified {
			t.Errorf("pass in force: %s", is)
		}
		l.reject(t, `,"documentId":"`+second.Document.ID+`"`)
		l.is(t, dossier.StateRejected, "", dossier.StatusCollecting)
	})
}

// An erasure takes the document in force and the entries of the newer one.
func TestEraseReplacement(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		l := newLicence(t, h, "")
		l.upload(t, dossier.StateInReview)
		if !h.holds(t, l.candidate, "first") || !h.holds(t, l.candidate, "RPL#") {
			t.Error("nothing to erase")
		}
		ok[struct{}](t, h, "DELETE", "/candidates/"+l.candidate, "")
		h.erase(t)
		if h.holds(t, l.candidate, "first") || h.holds(t, l.candidate, "RPL#") {
			t.Error("something is left")
		}
		for _, state := range []string{"validated", "inReview"} {
			if n := l.listed(t, "filter[state][]="+state); n != 0 {
				t.Errorf("%d %s", n, state)
			}
		}
	})
}

// A document type says who may replace a validated document.
func TestReplaceable(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		byCandidate := map[string]bool{"candidate": true, "administrator": false, "never": false}
		for who, may := range byCandidate {
			l := newLicence(t, h, `,"replaceable":"`+who+`"`)
			send := call{method: "POST", target: l.path + "/upload", body: parts("front", pdf)}
			own := send
			own.key = l.token(t, l.candidate)
			if !may {
				w := h.refused(t, own, dossier.CodeNotReplaceable)
				if w.Code != 409 {
					t.Errorf("%s: %d", who, w.Code)
				}
			}
			if who == "never" {
				h.refused(t, send, dossier.CodeNotReplaceable)
				l.reject(t, `,"resubmit":true`)
				okWith[dossier.CandidateDocumentType](t, h, own)
				continue
			}
			if !may {
				okWith[dossier.CandidateDocumentType](t, h, send)
				h.refused(t, own, dossier.CodeLocked)
				h.finishChecks(t, store.CheckResult{State: dossier.StateNeedsResubmission})
				h.refused(t, own, dossier.CodeNotReplaceable)
			}
			okWith[dossier.CandidateDocumentType](t, h, send)
			h.finishChecks(t, store.CheckResult{State: dossier.StateInReview})
			l.inForce(t)
		}
		h.refused(t, call{method: "POST", target: "/documentTypes",
			body: `{"name":"L","replaceable":"anyone"}`}, dossier.CodeValidation,
			"/replaceable unknown")
		dt := ok[dossier.DocumentType](t, h, "POST", "/documentTypes", `{"name":"L"}`)
		if dt.Replaceable != dossier.ReplaceableCandidate {
			t.Errorf("by default %q", dt.Replaceable)
		}
	})
}
