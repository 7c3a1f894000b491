package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
)

// Bytes opens the pinned bytes of a part.
type Bytes interface {
	// OpenPart returns the bytes of one version of an object.
	OpenPart(ctx context.Context, ref store.BlobRef) (io.ReadCloser, error)
}

// Checker reads and verifies the parts of a claimed document. An error is technical: the check is
// tried again.
type Checker interface {
	// CheckParts gets the path of a local copy for each part, in order; today is YYYY-MM-DD. Beside
	// an error the result holds the Call alone.
	CheckParts(ctx context.Context, claim store.Claim, paths []string,
		today string) (store.CheckResult, error)
}

// Check carries out the automatic check of documents.
type Check struct {
	Store   *store.Store
	Bytes   Bytes
	Checker Checker
	Dir     string // of the local copies, which exists [the system's folder for temporary files]
	Now     func() time.Time
	Log     *slog.Logger
	Tracer  trace.Tracer // makes a span of each check [there are none]
}

// releaseTime bounds giving back a claim while the process stops.
const releaseTime = time.Second

// Work claims the task's check, reads the parts and records the result. After a technical failure
// the task stays open for the sweeper; a worker that has lost its claim changes nothing. If ctx is
// cancelled, the claim is given back.
func (w *Check) Work(ctx context.Context, t store.Task) (err error) {
	claim, ok, err := w.Store.ClaimCheck(ctx, t)
	if err != nil || !ok {
		return err
	}
	ctx, end := trace.Resume(ctx, w.Tracer, claim.Document.Trace, trace.Work{Name: trace.Check,
		CompanyID: claim.Company, CandidateID: claim.Candidate, DocumentID: claim.Document.ID,
		Attempt: claim.Tries})
	done := trace.Outcome{}
	defer func() { end(done) }()
	result, err := w.check(ctx, claim)
	done = trace.Outcome{Err: err, Code: result.State}
	switch {
	case err == nil:
		return unlessStale(w.Store.FinishCheck(ctx, claim, result))
	case errors.Is(err, context.Canceled), errors.Is(ctx.Err(), context.Canceled):
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		return unlessStale(w.Store.ReleaseCheck(release, claim))
	}
	w.Log.WarnContext(ctx, "check failed", "companyId", claim.Company, "candidateDocumentTypeId",
		claim.Request,
		"documentId", claim.Document.ID, "error", err)
	return unlessStale(w.Store.FailCheck(ctx, claim, cause(err), result.Call))
}

// cause returns the sentence that explains to administrators why a check failed.
func cause(err error) string {
	var failed *dossier.CheckError
	if errors.As(err, &failed) {
		return failed.Cause
	}
	return "The service itself failed. Its log has the details."
}

func unlessStale(err error) error {
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}

// check copies the parts into a folder of their own for as long as they are read.
func (w *Check) check(ctx context.Context, claim store.Claim) (store.CheckResult, error) {
	ctx, cancel := context.WithTimeout(ctx, claim.Expires.Sub(w.Now()))
	defer cancel()
	dir, err := os.MkdirTemp(w.Dir, "dossier-check-")
	if err != nil {
		return store.CheckResult{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the next start removes what is left
	paths := make([]string, len(claim.Document.Parts))
	for n, part := range claim.Document.Parts {
		paths[n] = filepath.Join(dir, strconv.Itoa(n))
		if err := w.fetch(ctx, claim.Document.Blobs[n], part, paths[n]); err != nil {
			return store.CheckResult{}, fmt.Errorf("part %d: %w", n, err)
		}
	}
	return w.Checker.CheckParts(ctx, claim, paths, w.Now().UTC().Format(dossier.DateLayout))
}

// fetch copies a part to a local file and compares it with what was pinned.
func (w *Check) fetch(ctx context.Context, ref store.BlobRef, part dossier.Part,
	path string) (err error) {
	from, err := w.Bytes.OpenPart(ctx, ref)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read from
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, part.Size+1)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != part.SHA256 {
		return errors.New("the stored bytes are not those that were uploaded")
	}
	return nil
}
