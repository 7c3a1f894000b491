// Package checking fits the parsers and the blob stores to the worker that checks documents.
package checking

import (
	"context"
	"io"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// Store is what the check needs of a blob store.
type Store interface {
	// Open opens one version of an object.
	Open(ctx context.Context, ref blob.Ref) (io.ReadCloser, error)
	// Link makes a short-lived address of it.
	Link(ctx context.Context, ref blob.Ref, fileName, contentType string, expires time.Time) (string, error)
}

// Bytes is a work.Bytes on a blob store.
type Bytes struct{ Store Store }

// OpenPart opens the pinned version.
func (b Bytes) OpenPart(ctx context.Context, ref store.BlobRef) (io.ReadCloser, error) {
	return b.Store.Open(ctx, blob.Ref(ref))
}

// Checker is a work.Checker with our own parsers.
type Checker struct{ checker *check.Checker }

type claimKey struct{}

// linkFor is how long a parser service can fetch a big part.
const linkFor = 5 * time.Minute

// New makes the checker. executable is the program that parses, "" the running one. Parser services are reached through the guarded
// transport, and signed for like webhooks.
func New(executable string, blobs Store, sender *webhook.Sender, now func() time.Time) *Checker {
	return &Checker{check.New(check.Config{
		Executable: executable,
		Transport:  sender.Transport(), Sign: webhook.Sign, Now: now,
		Link: func(ctx context.Context, _ check.Request, p check.Part) (string, error) {
			claim := ctx.Value(claimKey{}).(store.Claim)
			for n, part := range claim.Document.Parts {
				if part.Name == p.Name {
					return blobs.Link(ctx, blob.Ref(claim.Document.Blobs[n]), part.FileName, part.ContentType, now().Add(linkFor))
				}
			}
			return "", blob.ErrNotFound
		},
	})}
}

// CheckParts reads and verifies the parts, and turns the verdict into the state that the document type decides.
func (c *Checker) CheckParts(ctx context.Context, claim store.Claim, paths []string, today string) (store.CheckResult, error) {
	r := check.Request{
		Check: claim.Type.Check, RequiredParts: claim.Type.RequiredParts, Today: today,
		DocumentID: claim.Document.ID, CandidateID: claim.Candidate, DocumentTypeID: claim.Type.ID,
	}
	for n, p := range claim.Document.Parts {
		r.Parts = append(r.Parts, check.Part{Name: p.Name, FileName: p.FileName, ContentType: p.ContentType, Size: p.Size, SHA256: p.SHA256, Path: paths[n]})
	}
	o, err := c.checker.Check(context.WithValue(ctx, claimKey{}, claim), r)
	if err != nil {
		return store.CheckResult{}, err
	}
	return store.CheckResult{State: state(o.Verdict, claim.Type.Check.Decision), Parsed: o.Parsed, Confidence: o.Confidence, Reasons: o.Reasons}, nil
}

// state is what a verdict means: a passed check validates the document only where the type says so.
func state(verdict, decision string) string {
	switch {
	case verdict == check.NeedsResubmission:
		return dossier.StateNeedsResubmission
	case verdict == check.Passed && decision == dossier.DecisionAutomatic:
		return dossier.StateValidated
	}
	return dossier.StateInReview
}
