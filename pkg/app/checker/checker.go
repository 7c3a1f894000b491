// Package checker adapts the parsers and a blob store to the worker that checks documents.
package checker

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// Blobs is the part of a blob store that a check needs.
type Blobs interface {
	// Open opens one version of an object.
	Open(ctx context.Context, ref blob.Ref) (io.ReadCloser, error)
	// Link makes a short-lived address of it.
	Link(ctx context.Context, ref blob.Ref, fileName, contentType string,
		expires time.Time) (string, error)
}

// Bytes is a worker.Bytes on a blob store.
type Bytes struct{ Blobs Blobs }

// OpenPart opens the pinned version.
func (b Bytes) OpenPart(ctx context.Context, ref store.BlobRef) (io.ReadCloser, error) {
	return b.Blobs.Open(ctx, blob.Ref(ref))
}

// Config holds the parts of a Checker.
type Config struct {
	Executable string          // the program that parses [the running one]
	Blobs      Blobs           // linked to for parser services
	Sender     *webhook.Sender // its guarded transport reaches parser services
	// recognizes text in pictures; an absolute path [pictures are not read]
	Tesseract string
	Now       func() time.Time
	Log       *slog.Logger // of calls of parser services [slog.Default]
	Tracer    trace.Tracer // makes a span of each such call [there are none]

	// InTurn runs read, the local part of a check, when the claim's company has its turn [at once].
	InTurn func(ctx context.Context, claim store.Claim, read func()) error
}

// Checker is a worker.Checker with our own parsers.
type Checker struct {
	cfg     Config
	checker *check.Checker
}

// linkFor is the time that a parser service has to fetch a big part.
const linkFor = 5 * time.Minute

// New returns a checker. Requests to parser services are signed like webhooks.
func New(cfg Config) *Checker {
	return &Checker{cfg, check.New(check.Config{
		Executable: cfg.Executable, Sign: webhook.Sign,
		Transport: trace.Transport{Next: cfg.Sender.Transport(), Tracer: cfg.Tracer,
			Name: trace.Parser},
		Tesseract: cfg.Tesseract, Now: cfg.Now, Log: cfg.Log,
	})}
}

// CheckParts reads and verifies the parts, and turns the verdict into the state that the document
// type decides.
func (c *Checker) CheckParts(ctx context.Context, claim store.Claim, paths []string,
	today string) (store.CheckResult, error) {
	r := check.Request{
		Check: claim.Type.Check, RequiredParts: claim.Type.RequiredParts, Today: today,
		Company:    claim.Company,
		DocumentID: claim.Document.ID, CandidateID: claim.Candidate, DocumentTypeID: claim.Type.ID,
		Unconfirmed: claim.Unconfirmed,
	}
	if c.cfg.InTurn != nil {
		r.InTurn = func(ctx context.Context, read func()) error {
			return c.cfg.InTurn(ctx, claim, read)
		}
	}
	for n, p := range claim.Document.Parts {
		r.Parts = append(r.Parts, check.Part{
			Name: p.Name, FileName: p.FileName, ContentType: p.ContentType, Size: p.Size,
			SHA256: p.SHA256,
			Path:   paths[n], Link: c.link(blob.Ref(claim.Document.Blobs[n]), p),
		})
	}
	o, err := c.checker.Check(ctx, r)
	if err != nil {
		return store.CheckResult{Call: o.Call}, err
	}
	return store.CheckResult{
		State: state(o.Verdict, claim.Type.Check.Decision), Parsed: o.Parsed,
		Confidence: o.Confidence, Reasons: o.Reasons, Readings: o.Readings, Slow: o.Slow,
		Call: o.Call,
	}, nil
}

// link returns a function that makes a short-lived address of a part.
func (c *Checker) link(ref blob.Ref, p dossier.Part) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		return c.cfg.Blobs.Link(ctx, ref, p.FileName, p.ContentType, c.cfg.Now().Add(linkFor))
	}
}

// state returns the state that a verdict leads to: a passed check validates the document only if
// the type says so.
func state(verdict, decision string) string {
	switch {
	case verdict == check.NeedsResubmission:
		return dossier.StateNeedsResubmission
	case verdict == check.Passed && decision == dossier.DecisionAutomatic:
		return dossier.StateValidated
	}
	return dossier.StateInReview
}
