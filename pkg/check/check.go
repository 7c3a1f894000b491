// Package check reads uploaded parts and verifies what they hold: it opens every part as what its
// content says, reads values with the parser of the document type, and decides whether the document
// passes.
//
// Uploaded files are hostile. A child process parses their bytes, in a sandbox and under limits of
// size, pages, memory and time: the parent opens the part and passes the descriptor. The child is a
// program that imports package child: the running one, or another that Config.Executable names. It
// reads the parts of one company one after the other, until one of them fails or it has read
// enough.
package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// Part is one file of the document, its bytes in a local file.
type Part struct {
	Name, FileName, ContentType string
	Size                        int64 // bytes
	// lower-case hexadecimal; verified before the file is read, unless empty
	SHA256 string
	Path   string // of the local file

	// Link makes a short-lived address from which an http parser fetches the part. nil: the part
	// travels in the request.
	Link func(ctx context.Context) (string, error)
}

// Request asks for the check of one document.
type Request struct {
	Check         dossier.Check
	RequiredParts []string
	Parts         []Part
	Today         string // YYYY-MM-DD; what expired before it has expired

	// Company is the one whose parts a child reads one after the other. "": each part has its own.
	Company string

	DocumentID, CandidateID, DocumentTypeID string // told to an http parser

	// Unconfirmed is the host of an http parser that must not be asked; a person reviews the
	// document instead. "" asks it.
	Unconfirmed string

	// InTurn runs read, which takes CPU and memory, when it is this check's turn; an error means
	// that it did not. nil: at once.
	InTurn func(ctx context.Context, read func()) error
}

// The verdicts of a check.
const (
	Passed            = "passed"
	NeedsResubmission = "needsResubmission" // the reasons are the uploader's to mend
	// a person has to look: it holds no text that a parser could read
	NeedsReview = "needsReview"
)

// Outcome is the result of a check.
type Outcome struct {
	Verdict string // one of the verdicts
	// nested by the dots of the references; strings, float64, bool, []any, map[string]any, nil
	Parsed     map[string]any
	Confidence float64 // 0 to 1
	Reasons    []dossier.Reason
	Readings   []dossier.Reading // of parsers that read text
	Slow       bool              // reading a part used up its time
	// of the http parser; nil if it was not called
	Call *dossier.Attempt
}

// Signer makes the headers that sign a body for a receiver that knows one of the secrets.
type Signer func(secrets []string, id string, at time.Time, body []byte) (http.Header, error)

// Config holds the parts and limits of a Checker. Zero limits mean their defaults.
type Config struct {
	Executable string        // started as the child; "" is the running binary
	Timeout    time.Duration // for reading all parts of a document; 20 s
	MaxMemory  int64         // resident bytes of the child; 512 MB
	MaxSize    int64         // bytes of a part; dossier.MaxPartSize
	MaxPages   int           // of a PDF; 200
	MaxPixels  int64         // of a picture; 64 million

	SmallTimeout time.Duration // for reading a part under 1 MB; 5 s

	// Tesseract is the absolute path of the program that recognizes text; "" reads no pictures.
	Tesseract string

	HTTPTimeout time.Duration     // of an http parser; 60 s
	Transport   http.RoundTripper // reaches http parsers; guards addresses and follows no redirect
	Sign        Signer            // signs what http parsers are sent
	Now         func() time.Time  // nil: time.Now
	Log         *slog.Logger      // of calls of http parsers; nil: slog.Default
}

// Checker runs checks. It is safe for concurrent use.
type Checker struct {
	cfg      Config
	children children
	// runs Tesseract on pictures; runTesseract, but in tests that remember what it said
	tesseract func(ctx context.Context, timeout time.Duration, pictures []picture,
		args ...string) ([][]byte, error)
	small int // pixels; smallPicture, but in tests
}

// New makes a Checker and sets the defaults of cfg.
func New(cfg Config) *Checker {
	orDefault(&cfg.Timeout, 20*time.Second)
	orDefault(&cfg.SmallTimeout, 5*time.Second)
	orDefault(&cfg.MaxMemory, 512<<20)
	orDefault(&cfg.MaxSize, dossier.MaxPartSize)
	orDefault(&cfg.MaxPages, 200)
	orDefault(&cfg.MaxPixels, 64_000_000)
	orDefault(&cfg.HTTPTimeout, 60*time.Second)
	orDefault(&cfg.Log, slog.Default())
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &Checker{cfg: cfg, small: smallPicture,
		children: children{wait: childIdle, resident: childResident}}
	c.tesseract = c.runTesseract
	return c
}

// smallPart is the size in bytes under which a part has less time, unless it is HEIC, which decodes
// slowly.
const smallPart = 1 << 20

func orDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Check opens the parts, reads them and decides. An error is a technical failure, for which the
// files are not to blame: trying again may help. The faults of a file are in the Outcome, which of
// a failure holds the Call alone.
func (c *Checker) Check(ctx context.Context, r Request) (Outcome, error) {
	answers, slow, err := c.openInTurn(ctx, r)
	if err != nil {
		return Outcome{}, err
	}
	found, err := collect(r, answers)
	if err != nil {
		return Outcome{}, err
	}
	var call *dossier.Attempt
	switch {
	case !dossier.ParserNamed(r.Check.Parser).Service || !found.sound():
	case r.Unconfirmed != "":
		found.parsed = map[string]any{}
	default:
		if call, err = c.ask(ctx, r, &found); err != nil {
			return Outcome{Call: call}, fmt.Errorf("http parser: %w", err)
		}
	}
	out := decide(r, found)
	out.Slow, out.Call = slow, call
	return out, nil
}

// openInTurn opens the parts when it is the check's turn.
func (c *Checker) openInTurn(ctx context.Context,
	r Request) (answers []childproto.Answer, slow bool, err error) {
	if r.InTurn == nil {
		return c.open(ctx, r)
	}
	notBegun := r.InTurn(ctx, func() { answers, slow, err = c.open(ctx, r) })
	return answers, slow, errors.Join(notBegun, err)
}

// open reads the parts one after the other, so that a failure identifies the part. When one has
// used up the time, those after it are not read.
func (c *Checker) open(ctx context.Context,
	r Request) (answers []childproto.Answer, slow bool, err error) {
	deadline := time.Now().Add(c.cfg.Timeout)
	for _, p := range r.Parts {
		left := time.Until(deadline)
		if left <= 0 {
			break
		}
		if p.Size < smallPart && p.ContentType != sniff.HEIC {
			left = min(left, c.cfg.SmallTimeout)
		}
		result, err := c.read(ctx, left, deadline, p, r)
		if err != nil {
			return nil, false, fmt.Errorf("part %s: %w", p.Name, err)
		}
		answers = append(answers, result.report.Answer)
		slow = slow || errors.Is(result.cause, errTime)
	}
	return answers, slow, nil
}

// read verifies a part and has a child read it within timeout. What is recognized in its pictures
// takes until the deadline at most.
func (c *Checker) read(ctx context.Context, timeout time.Duration, deadline time.Time, p Part,
	request Request) (result, error) {
	check := request.Check
	f, err := verified(p)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = f.Close() }() // only read from
	job := childproto.Job{
		Company: request.Company, ContentType: p.ContentType, Parser: check.Parser,
		Fields: check.Fields, MaxSize: c.cfg.MaxSize, MaxPages: c.cfg.MaxPages,
		MaxPixels: c.cfg.MaxPixels, Required: check.Required,
	}
	reads := c.cfg.Tesseract != "" && dossier.ParserNamed(check.Parser).Reads
	job.Pictures = reads && p.ContentType != sniff.PDF
	r, err := c.spawn(ctx, timeout, f, job)
	switch {
	case err != nil || !reads:
		return r, err
	case r.report.Answer.Scanned:
		return c.recognizeScan(ctx, deadline, f, job, r)
	case len(r.report.Answer.Pictures) == 0:
		return r, nil
	}
	return c.recognize(ctx, deadline, f, job, r)
}

// verified opens the local file of a part and compares it with what was pinned when the part was
// uploaded. A difference is the storage's fault.
func verified(p Part) (*os.File, error) {
	f, err := os.Open(p.Path)
	if err != nil || p.SHA256 == "" {
		return f, err
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err == nil && (n != p.Size || hex.EncodeToString(h.Sum(nil)) != p.SHA256) {
		err = errors.New("the stored bytes are not those that were uploaded")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Probe starts a child that reads nothing and returns what its sandbox denies it.
func (c *Checker) Probe(ctx context.Context) (childproto.Sandbox, error) {
	r, err := c.spawn(ctx, c.cfg.SmallTimeout, nil, childproto.Job{Probe: true})
	return r.report.Sandbox, err
}
