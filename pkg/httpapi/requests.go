package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// RuleRunner applies what is open of a candidate's rules, so that who validates by hand reads what they did.
type RuleRunner interface {
	Run(ctx context.Context, companyID, candidateID string) error
}

func (a *API) requestRoutes() []route {
	const read, write = dossier.ScopeDocumentsRead, dossier.ScopeDocumentsWrite
	const upload = "/{candidateDocumentTypeId}/upload"
	return []route{
		{method: http.MethodGet, path: "/candidateDocumentTypes", scope: read, tokens: "?candidateId", paging: paged,
			filters: []string{"candidateId", "state[]"}, handle: a.listRequests},
		{method: http.MethodPost, path: "/candidateDocumentTypes", scope: write, handle: a.requestDocument},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}", scope: read, tokens: "id", handle: a.getRequest},
		{method: http.MethodDelete, path: "/candidateDocumentTypes/{id}", scope: write, handle: a.removeRequest},
		{method: http.MethodPost, path: "/candidateDocumentTypes" + upload, scope: write, tokens: "candidateDocumentTypeId",
			bodyLimit: uploadLimit, handle: a.upload},
		{method: http.MethodPost, path: "/containers" + upload, scope: write, tokens: "candidateDocumentTypeId",
			bodyLimit: uploadLimit, handle: a.upload},
		{method: http.MethodPost, path: "/candidateDocumentTypes/{id}/validate", scope: write, body: bodyNone, handle: a.validateDocument},
		{method: http.MethodPost, path: "/candidateDocumentTypes/{id}/reject", scope: write, handle: a.rejectDocument},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}/documents", scope: read, tokens: "id", paging: paged,
			handle: a.listDocuments},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}/ruleRuns", scope: read, paging: paged, handle: a.listRuleRuns},
		{method: http.MethodGet, path: "/candidateDocumentTypes/{id}/documents/{documentId}/parts/{name}", scope: read, tokens: "id",
			handle: a.linkPart},
	}
}

func (a *API) listRequests(r *request) (any, error) {
	if err := r.oneOf("filter[state][]", dossier.States); err != nil {
		return nil, err
	}
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	list, next, err := a.store.Requests(r.Context(), r.principal.CompanyID, r.filter("candidateId"), r.anyOf("state"), after, size)
	for n := range list {
		r.withhold(list[n].Document)
	}
	return listed{list, next}, err
}

// withhold keeps what the check read from a candidate: it takes the scope documents:read, which a token does not carry.
func (r *request) withhold(d *dossier.Document) {
	if d != nil && r.principal.Kind == dossier.KindCandidate {
		d.Parsed, d.Confidence = nil, 0
	}
}

// newRequest is the body of POST /candidateDocumentTypes.
type newRequest struct {
	CandidateID    string         `json:"candidateId"`
	DocumentTypeID string         `json:"documentTypeId"`
	Required       *bool          `json:"required"`
	DueAt          *dossier.Time  `json:"dueAt"`
	Metadata       map[string]any `json:"metadata"`
	CustomFields   map[string]any `json:"customFields"`
}

const maxMetadata = 4096 // bytes as JSON

func (a *API) requestDocument(r *request) (any, error) {
	in, err := decode[newRequest](r, "lock", "document", "documentType")
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	noteText(&p, "/candidateId", in.CandidateID, true, maxParam)
	noteText(&p, "/documentTypeId", in.DocumentTypeID, true, maxParam)
	metadata, err := json.Marshal(in.Metadata)
	if err != nil {
		return nil, err
	}
	if len(metadata) > maxMetadata {
		p.Add("/metadata", "tooLong", "is longer than %d bytes", maxMetadata)
	}
	err = a.checkCustomFields(r.Context(), &p, r.principal.CompanyID, dossier.EntityDocument, in.CustomFields, nil)
	if err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	n := store.DocumentRequest{DocumentTypeID: in.DocumentTypeID, Metadata: in.Metadata, CustomFields: in.CustomFields,
		Optional: in.Required != nil && !*in.Required}
	if in.DueAt != nil {
		n.DueAt = *in.DueAt
	}
	made, err := a.store.RequestDocument(r.Context(), r.principal.CompanyID, in.CandidateID, n)
	if errors.Is(err, dossier.ErrNotFound) {
		p.Add("/candidateId", "unknown", "There is no candidate %q.", clip(in.CandidateID))
		return nil, p.Err()
	}
	return made, err
}

func (a *API) getRequest(r *request) (any, error) {
	c, err := a.store.Request(r.Context(), r.principal.CompanyID, r.param("id"))
	r.withhold(c.Document)
	return c, err
}

// validateDocument runs the rules of what it validates before it answers. Should that fail, they run a moment later by themselves.
func (a *API) validateDocument(r *request) (any, error) {
	opened, err := a.store.ValidateByHand(r.Context(), r.principal.CompanyID, r.param("id"))
	if err != nil || a.cfg.Rules == nil {
		return opened, err
	}
	if err := a.cfg.Rules.Run(r.Context(), r.principal.CompanyID, opened.CandidateID); err != nil {
		a.warn(r, "rules", err)
		return opened, nil
	}
	after, err := a.store.Request(r.Context(), r.principal.CompanyID, opened.ID)
	if err != nil {
		return nil, err
	}
	if err := a.store.AmendResponse(r.Context(), after); err != nil {
		a.warn(r, "answer kept as it was", err)
	}
	return after, nil
}

// warn logs what went wrong beside the answer.
func (a *API) warn(r *request, what string, err error) {
	a.cfg.Log.LogAttrs(r.Context(), slog.LevelWarn, what, slog.String("requestId", r.id), slog.String("error", err.Error()))
}

func (a *API) rejectDocument(r *request) (any, error) {
	in, err := decode[struct {
		Reason   string `json:"reason"`
		Resubmit *bool  `json:"resubmit"`
	}](r)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	checkText(&p, "/reason", in.Reason, dossier.MaxName)
	if err := p.Err(); err != nil {
		return nil, err
	}
	resubmit := in.Resubmit != nil && *in.Resubmit
	return a.store.RejectByHand(r.Context(), r.principal.CompanyID, r.param("id"), in.Reason, resubmit)
}

// removeRequest stops asking for a document type; what was uploaded stays.
func (a *API) removeRequest(r *request) (any, error) {
	if r.principal.Kind != dossier.KindAdministrator {
		return nil, dossier.Errorf(dossier.CodeForbidden, "Only an administrator removes what a candidate is asked for.")
	}
	return a.store.RemoveRequest(r.Context(), r.principal.CompanyID, r.param("id"))
}

func (a *API) listDocuments(r *request) (any, error) {
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	list, next, err := a.store.Documents(r.Context(), r.principal.CompanyID, r.param("id"), after, size)
	for n := range list {
		r.withhold(&list[n])
	}
	return listed{list, next}, err
}

func (a *API) listRuleRuns(r *request) (any, error) {
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	list, next, err := a.store.RuleRuns(r.Context(), r.principal.CompanyID, r.param("id"), after, size)
	return listed{list, next}, err
}

// linkFor is how long the link to a part works.
const linkFor = 5 * time.Minute

// partLink is where the bytes of a part can be read for a moment, without a key.
type partLink struct {
	URL       string       `json:"url"`
	ExpiresAt dossier.Time `json:"expiresAt"`
}

func (a *API) linkPart(r *request) (any, error) {
	part, at, err := a.store.Part(r.Context(), r.principal.CompanyID, r.param("id"), r.param("documentId"), r.param("name"))
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
