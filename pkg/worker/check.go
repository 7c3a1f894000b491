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
)

// Bytes opens the pinned bytes of a part.
type Bytes interface {
	// OpenPart returns the bytes of one version of an object.
	OpenPart(ctx context.Context, ref store.BlobRef) (io.ReadCloser, error)
}

// Checker reads and verifies the parts of a claimed document. An error is technical: the check is tried again.
type Checker interface {
	// CheckParts gets the path of a local copy for each part, in order; today is YYYY-MM-DD.
	CheckParts(ctx context.Context, claim store.Claim, paths []string, today string) (store.CheckResult, error)
}

// Check carries out the automatic check of documents.
type Check struct {
	Store   *store.Store
	Bytes   Bytes
	Checker Checker
	Now     func() time.Time
	Log     *slog.Logger
}

// Work claims the check the entry stands for, reads the parts and records what it found. A technical failure leaves the entry open for the
// sweeper; a check that was taken away meanwhile changes nothing.
func (w *Check) Work(ctx context.Context, e store.Task) error {
	claim, ok, err := w.Store.ClaimCheck(ctx, e)
	if err != nil || !ok {
		return err
	}
	result, err := w.check(ctx, claim)
	if err != nil {
		w.Log.WarnContext(ctx, "check failed", "kind", store.TaskCheck, "company", claim.Company,
			"candidateDocumentType", claim.Request, "document", claim.Document.ID, "error", err)
		return unlessStale(w.Store.FailCheck(ctx, claim))
	}
	return unlessStale(w.Store.FinishCheck(ctx, claim, result))
}

func unlessStale(err error) error {
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}

// check brings the parts into a folder of their own, for as long as they are read.
func (w *Check) check(ctx context.Context, claim store.Claim) (store.CheckResult, error) {
	ctx, cancel := context.WithTimeout(ctx, claim.Expires.Sub(w.Now()))
	defer cancel()
	dir, err := os.MkdirTemp("", "dossier-check-")
	if err != nil {
		return store.CheckResult{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is the operating system's to clear
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
func (w *Check) fetch(ctx context.Context, ref store.BlobRef, part dossier.Part, path string) (err error) {
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
