package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // its header is decoded
	_ "image/png"  // its header is decoded
	"io"
	"log/slog"
	"strconv"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// Blobs keeps the bytes of parts.
type Blobs interface {
	blobWriter
	blobReader
	blobSharer
}

// blobWriter stores bytes, each time as a version of their own, and deletes them.
type blobWriter interface {
	Put(ctx context.Context, key string, content []byte) (blob.Info, error)
	Keep(ctx context.Context, from blob.Ref, to string) (blob.Info, error)
	DeleteAll(ctx context.Context, prefix string) error
}

// blobReader finds the newest version of a key, and reads one.
type blobReader interface {
	Stat(ctx context.Context, key string) (blob.Info, error)
	Open(ctx context.Context, ref blob.Ref) (io.ReadCloser, error)
}

// blobSharer lets others send and read bytes for a while.
type blobSharer interface {
	Form(ctx context.Context, key string, size int64, sha256, contentType string,
		expires time.Time) (blob.Form, error)
	Link(ctx context.Context, ref blob.Ref, fileName, contentType string,
		expires time.Time) (string, error)
}

// uploadLimit is the largest body of an upload, in bytes: MaxInlineSize in base64, and the JSON
// around it.
const uploadLimit = 6 << 20

// upload stores a document, sent in one request, or announced, sent by forms and committed. The
// body is validated first, then the lock is checked; only then are bytes stored.
func (a *API) upload(r *request) (any, error) {
	in, err := decode[uploadInput](r)
	if err != nil {
		return nil, err
	}
	way, err := in.validate()
	if err != nil {
		return nil, err
	}
	u, err := a.store.BeginUpload(r.Context(), r.company(), r.param("candidateDocumentTypeId"))
	if err != nil {
		return nil, err
	}
	if way != uploadCommit {
		if err := validateForType(in.Parts, u.DocumentType()); err != nil {
			return nil, err
		}
	}
	switch way {
	case uploadPlan:
		return a.planUpload(r, u, in.Parts)
	case uploadCommit:
		return a.commitUpload(r, u, *in.UploadID)
	}
	return a.uploadInline(r, u, in.Parts)
}

// uploadInline stores the parts and commits them.
func (a *API) uploadInline(r *request, u *store.Upload, in []partInput) (any, error) {
	return a.commitParts(r, u, func(prefix string) (parts store.NewParts, err error) {
		for n, part := range in {
			info, err := a.cfg.Blobs.Put(r.Context(), prefix+strconv.Itoa(n), part.Content)
			if err != nil {
				return parts, fmt.Errorf("store part %d: %w", n, err)
			}
			sum := sha256.Sum256(part.Content)
			parts.Blobs = append(parts.Blobs, store.BlobRef(info.Ref))
			parts.Parts = append(parts.Parts,
				dossier.Part{Name: part.Name, FileName: part.FileName,
					ContentType: part.ContentType,
					Size:        int64(len(part.Content)), SHA256: hex.EncodeToString(sum[:])})
		}
		return parts, nil
	})
}

// commitParts commits what store has put under a prefix of the upload's own. What certainly became
// part of nothing is deleted again: bytes of an upload that was refused, but not of one whose end
// is unknown.
func (a *API) commitParts(r *request, u *store.Upload,
	store func(prefix string) (store.NewParts, error)) (any, error) {
	prefix := u.BlobPrefix()
	parts, err := store(prefix)
	refused := err != nil
	var answer dossier.CandidateDocumentType
	if err == nil {
		answer, err = u.Commit(r.Context(), parts)
		refused = errors.As(err, new(*dossier.Error))
	}
	if !refused {
		return answer, err
	}
	cleaning, stop := context.WithTimeout(context.WithoutCancel(r.Context()), cleanTime)
	defer stop()
	if failed := a.cfg.Blobs.DeleteAll(cleaning, prefix); failed != nil {
		a.cfg.Log.LogAttrs(r.Context(), slog.LevelWarn, "delete a refused upload",
			slog.String("requestId", r.id), slog.String("error", failed.Error()))
	}
	return nil, err
}

// cleanTime bounds the wait for the bytes of a refused upload to be deleted, also when the client's
// own time is over.
const cleanTime = 2 * time.Second

// contentProblem returns the reason why content that begins like this does not have its stated
// type, "" if it has. It decodes the header of a JPEG or PNG; a check opens HEIC.
func contentProblem(contentType string, content io.Reader) (string, error) {
	head := make([]byte, sniff.HeadSize)
	n, err := io.ReadFull(content, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	head = head[:n]
	if is := sniff.ContentType(head); is == "" {
		return "is not a PDF, JPEG, PNG or HEIC", nil
	} else if is != contentType {
		return "is " + is, nil
	}
	if contentType == sniff.JPEG || contentType == sniff.PNG {
		if _, _, err := image.DecodeConfig(io.MultiReader(bytes.NewReader(head), content)); err !=
			nil {
			return "has a header that cannot be decoded", nil
		}
	}
	return "", nil
}
