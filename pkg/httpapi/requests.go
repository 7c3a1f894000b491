package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// RuleRunner runs a candidate's pending rules, so that the response to a manual validation already
// shows their effects.
type RuleRunner interface {
	Run(ctx context.Context, companyID, candidateID string) error
}

func (a *API) requestRoutes() []route {
	const read, write = dossier.ScopeDocumentsRead, dossier.ScopeDocumentsWrite
	const upload = "/{candidateDocumentTypeId}/upload"
	return []route{
		{method: http.MethodGet, path: "/candidateDocumentTypes", scope: read,
			tokens: "?candidateId", paging: paged,
			filters: []string{"candidateId", "state[]", "documentTypeId", "dueBefore",
				"expiresBefore"},
			includes: []string{"candidate"}, sorts: requestSorts, handle: a.listRequests},
		{method: http.MethodPost, path: "/candidateDocumentTypes", scope: write,
			handle: a.requestDocument},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}", scope: read, tokens: "id",
			handle: a.getRequest},
		{method: http.MethodPatch, path: "/candidateDocumentTypes/{id}", scope: write,
			handle: a.changeRequest},
		{method: http.MethodDelete, path: "/candidateDocumentTypes/{id}", scope: write,
			handle: a.removeRequest},
		{method: http.MethodPost, path: "/candidateDocumentTypes" + upload, scope: write,
			tokens:    "candidateDocumentTypeId",
			bodyLimit: uploadLimit, handle: a.upload},
		{method: http.MethodPost, path: "/containers" + upload, scope: write,
			tokens:    "candidateDocumentTypeId",
			bodyLimit: uploadLimit, handle: a.upload},
		{method: http.MethodPost, path: "/candidateDocumentTypes/{id}/validate", scope: write,
			body: bodyOptional, handle: a.validateDocument},
		{method: http.MethodPost, path: "/candidateDocumentTypes/{id}/reject", scope: write,
			handle: a.rejectDocument},
		{method: http.MethodPost, path: "/candidateDocumentTypes/{id}/check", scope: write,
			body: bodyNone, handle: a.checkAgain},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}/documents", scope: read,
			tokens: "id", paging: paged,
			handle: a.listDocuments},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}/ruleRuns", scope: read,
			paging: paged, handle: a.listRuleRuns},
		{method: http.MethodPost, path: "/candidateDocumentTypes/{id}/ruleRuns/{runId}/keepAsTest",
			scope: dossier.ScopeSettingsWrite, conditional: true, handle: a.keepAsTest},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}/documents/{documentId}/parts/{name}", scope: read, tokens: "id",
			handle: a.linkPart},
	}
}

func (a *API) requestDocument(r *request) (any, error) {
	in, err := decode[dossier.CandidateDocumentTypeInput](r, "lock", "document", "documentType")
	if err != nil {
		return nil, err
	}
	metadata, err := json.Marshal(in.Metadata)
	if err != nil {
		return nil, fmt.Errorf("measure the metadata: %w", err)
	}
	var p dossier.Problems
	in.Validate(&p, len(metadata))
	err = a.validateCustomFields(r, &p, dossier.EntityDocument, in.CustomFields, nil)
	if err := errors.Join(err, p.Err()); err != nil {
		return nil, err
	}
	n := store.DocumentRequest{DocumentTypeID: in.DocumentTypeID, Metadata: in.Metadata,
		CustomFields: in.CustomFields,
		Optional:     in.Required != nil && !*in.Required}
	if in.DueAt != nil {
		n.DueAt = *in.DueAt
	}
	made, err := a.store.RequestDocument(r.Context(), r.company(), in.CandidateID, n)
	if errors.Is(err, dossier.ErrNotFound) {
		p.Add("/candidateId", dossier.ProblemUnknown, "There is no candidate with the id %q.",
			dossier.Clip(in.CandidateID))
		return nil, p.Err()
	}
	return made, err
}

func (a *API) getRequest(r *request) (any, error) {
	return read(a.store.RequestAtRev(r.Context(), r.company(), r.param("id")))
}

// validateDocument runs the rules before it answers. If that fails, the rules task runs them.
func (a *API) validateDocument(r *request) (any, error) {
	in, err := decodeValid(r, dossier.ValidationInput.Validate)
	if err != nil {
		return nil, err
	}
	opened, err := a.store.ValidateByHand(r.Context(), r.company(), r.param("id"), in)
	if err != nil || a.cfg.Rules == nil {
		return opened, err
	}
	if err := a.cfg.Rules.Run(r.Context(), r.company(), opened.CandidateID); err != nil {
		a.warn(r, "run rules after a manual validation", err)
		return opened, nil
	}
	after, err := a.store.Request(r.Context(), r.company(), opened.ID)
	if err != nil {
		return nil, err
	}
	if err := a.store.AmendResponse(r.Context(), after); err != nil {
		a.warn(r, "amend the stored response", err)
	}
	return after, nil
}

// warn logs a failure that does not change the response.
func (a *API) warn(r *request, what string, err error) {
	a.cfg.Log.LogAttrs(r.Context(), slog.LevelWarn, what, slog.String("requestId", r.id),
		slog.String("error", err.Error()))
}

// rejectInput is the body of POST /candidateDocumentTypes/{id}/reject.
type rejectInput struct {
	Reason   string `json:"reason"`
	Resubmit *bool  `json:"resubmit"` // false by default
	// the newest by default
	DocumentID *string `json:"documentId"`
}

// Validate records what is wrong with the reason.
func (in rejectInput) Validate(p *dossier.Problems) {
	p.Text("/reason", in.Reason, dossier.MaxName)
	if in.DocumentID != nil {
		p.ID("/documentId", *in.DocumentID)
	}
}

func (a *API) rejectDocument(r *request) (any, error) {
	in, err := decodeValid(r, rejectInput.Validate)
	if err != nil {
		return nil, err
	}
	rejection := store.Rejection{Reason: in.Reason, Resubmit: in.Resubmit != nil && *in.Resubmit}
	if in.DocumentID != nil {
		rejection.DocumentID = *in.DocumentID
	}
	return a.store.RejectByHand(r.Context(), r.company(), r.param("id"), rejection)
}

// checkAgain starts a check again that could not be made.
func (a *API) checkAgain(r *request) (any, error) {
	return a.store.CheckAgain(r.Context(), r.company(), r.param("id"))
}

// removeRequest stops asking for a document type. Uploaded documents stay.
func (a *API) removeRequest(r *request) (any, error) {
	if r.principal.Kind != dossier.KindAdministrator {
		return nil, dossier.Errorf(dossier.CodeForbidden,
			"Only an administrator can remove a document type from a candidate.")
	}
	return a.store.RemoveRequest(r.Context(), r.company(), r.param("id"))
}

func (a *API) listDocuments(r *request) (any, error) {
	return list(r, func(after string, limit int) ([]dossier.Document, string, error) {
		return a.store.Documents(r.Context(), r.company(), r.param("id"), after, limit)
	})
}

func (a *API) listRuleRuns(r *request) (any, error) {
	return list(r, func(after string, limit int) ([]dossier.RuleRun, string, error) {
		return a.store.RuleRuns(r.Context(), r.company(), r.param("id"), after, limit)
	})
}

// linkFor is the lifetime of a link to a part.
const linkFor = 5 * time.Minute

// partLink is a short-lived address of the bytes of a part, which needs no key.
type partLink struct {
	URL       string       `json:"url"`
	ExpiresAt dossier.Time `json:"expiresAt"`
}

func (a *API) linkPart(r *request) (any, error) {
	part, at, err := a.store.Part(r.Context(), r.company(), r.param("id"), r.param("documentId"),
		r.param("name"))
	if err != nil {
		return nil, err
	}
	fileName := part.FileName
	if fileName == "" {
		fileName = part.Name
	}
	expires := a.cfg.Now().Add(linkFor).Truncate(time.Second)
	url, err := a.cfg.Blobs.Link(r.Context(), blob.Ref(at), fileName, part.ContentType, expires)
	return partLink{url, dossier.NewTime(expires)}, err
}
