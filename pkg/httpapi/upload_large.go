package httpapi

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// pendingUpload is the response to an announced upload: one form for each part.
type pendingUpload struct {
	UploadID  string       `json:"uploadId"`
	ExpiresAt dossier.Time `json:"expiresAt"`
	Forms     []partForm   `json:"forms"`
}

// partForm is the form that sends the bytes of a part, as multipart/form-data.
type partForm struct {
	Name   string            `json:"name"`
	URL    string            `json:"url"`
	Method string            `json:"method"`
	Fields map[string]string `json:"fields"`
}

// planUpload keeps what is announced and answers the forms.
func (a *API) planUpload(r *request, u *store.Upload, in []partInput) (any, error) {
	plan := store.UploadPlan{ID: a.store.NewUploadID()}
	prefix := blob.Pending + u.BlobPrefix()
	for n, part := range in {
		plan.Parts = append(plan.Parts, dossier.Part{
			Name: part.Name, FileName: part.FileName, ContentType: part.ContentType,
			Size: *part.Size, SHA256: *part.SHA256})
		plan.Keys = append(plan.Keys, prefix+strconv.Itoa(n))
	}
	var pending pendingUpload
	err := u.Plan(r.Context(), plan, func(p store.UploadPlan) (any, error) {
		pending = pendingUpload{UploadID: p.ID, ExpiresAt: p.ExpiresAt}
		for n, part := range p.Parts {
			form, err := a.cfg.Blobs.Form(r.Context(), p.Keys[n], part.Size, part.SHA256,
				part.ContentType, p.ExpiresAt.Time)
			if err != nil {
				return nil, fmt.Errorf("form of part %d: %w", n, err)
			}
			pending.Forms = append(pending.Forms,
				partForm{Name: part.Name, URL: form.URL, Method: "POST", Fields: form.Fields})
		}
		return pending, nil
	})
	return pending, err
}

// commitUpload commits announced parts. It copies each from the version that it inspected to a key
// that no form reaches. The document pins the copy: bytes that arrive later through an old form
// never become part of it.
func (a *API) commitUpload(r *request, u *store.Upload, uploadID string) (any, error) {
	plan, err := u.Planned(r.Context(), uploadID)
	if err != nil {
		return nil, err
	}
	sent := make([]blob.Ref, len(plan.Parts))
	for n, part := range plan.Parts {
		if sent[n], err = a.sentPart(r, plan.Keys[n], part); err != nil {
			return nil, err
		}
	}
	return a.commitParts(r, u, func(prefix string) (store.NewParts, error) {
		kept := make([]store.BlobRef, len(sent))
		for n, ref := range sent {
			info, err := a.cfg.Blobs.Keep(r.Context(), ref, prefix+strconv.Itoa(n))
			if errors.Is(err, blob.ErrNotFound) {
				return store.NewParts{}, incomplete(plan.Parts[n], "is no longer stored")
			}
			if err != nil {
				return store.NewParts{}, fmt.Errorf("keep part %d: %w", n, err)
			}
			if info.SHA256 != plan.Parts[n].SHA256 {
				return store.NewParts{}, incomplete(plan.Parts[n], "differs from its announcement")
			}
			kept[n] = store.BlobRef(info.Ref)
		}
		return plan.Kept(kept), nil
	})
}

// sentPart returns the version of an announced part that was sent, if it matches the announcement.
func (a *API) sentPart(r *request, key string, part dossier.Part) (blob.Ref, error) {
	info, err := a.cfg.Blobs.Stat(r.Context(), key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return blob.Ref{}, incomplete(part, "was not sent")
	case err != nil:
		return blob.Ref{}, fmt.Errorf("look at a part: %w", err)
	case info.Size != part.Size || info.SHA256 != part.SHA256:
		return blob.Ref{}, incomplete(part, "differs from its announcement")
	}
	content, err := a.cfg.Blobs.Open(r.Context(), info.Ref)
	if err != nil {
		return blob.Ref{}, fmt.Errorf("open a part: %w", err)
	}
	defer content.Close()
	wrong, err := contentProblem(part.ContentType, content)
	if err != nil {
		return blob.Ref{}, fmt.Errorf("%w: read a part: %w", blob.ErrUnavailable, err)
	}
	if wrong != "" {
		var p dossier.Problems
		p.Add("/uploadId", dossier.ProblemContentMismatch, "The content type of the part %q is %s, but the file %s.",
			part.Name, part.ContentType, wrong)
		return blob.Ref{}, p.Err()
	}
	return info.Ref, nil
}

// incomplete is the conflict of an announced part that can't be taken.
func incomplete(part dossier.Part, why string) error {
	e := dossier.Errorf(dossier.CodeUploadIncomplete, "The part %q %s.", part.Name, why)
	e.Fields = []dossier.FieldError{
		{Pointer: "/uploadId", Code: dossier.ProblemIncomplete, Message: e.Detail},
	}
	return e
}
