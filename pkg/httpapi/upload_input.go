package httpapi

import (
	"bytes"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// uploadInput is the body of an upload: parts with content, announced parts, or the commit of parts
// that were announced.
type uploadInput struct {
	Parts    []partInput `json:"parts"`
	UploadID *string     `json:"uploadId"`
	Commit   *bool       `json:"commit"`
}

// partInput is a part with its bytes, or with their size and SHA-256.
type partInput struct {
	Name        string  `json:"name"`
	FileName    string  `json:"fileName"`
	ContentType string  `json:"contentType"`
	Content     []byte  `json:"content"` // nil is not given
	Size        *int64  `json:"size"`
	SHA256      *string `json:"sha256"`
}

// The ways of an upload.
const (
	uploadInline = "inline"
	uploadPlan   = "plan"
	uploadCommit = "commit"
)

var contentTypes = []string{sniff.PDF, sniff.JPEG, sniff.PNG, sniff.HEIC, sniff.JSON}

// validate returns the way of the upload, and every mistake that shows without its document type.
func (in *uploadInput) validate() (way string, err error) {
	var p dossier.Problems
	if in.UploadID != nil || in.Commit != nil {
		if in.Parts != nil {
			p.Say("/parts", dossier.ProblemNotAllowed,
				"cannot be combined with uploadId and commit")
		}
		if in.UploadID == nil || *in.UploadID == "" {
			p.Say("/uploadId", dossier.ProblemRequired, "is missing")
		}
		if in.Commit == nil || !*in.Commit {
			p.Say("/commit", dossier.ProblemRequired, "must be true")
		}
		return uploadCommit, p.Err()
	}
	switch {
	case len(in.Parts) == 0:
		p.Add("/parts", dossier.ProblemRequired, "The parts are missing.")
	case len(in.Parts) > dossier.MaxParts:
		p.Add("/parts", dossier.ProblemTooMany, "There are more than %d parts.", dossier.MaxParts)
	}
	if err := p.Err(); err != nil {
		return "", err
	}
	way = uploadPlan
	if in.Parts[0].Content != nil {
		way = uploadInline
	}
	total := 0
	for n := range in.Parts {
		total += len(in.Parts[n].Content)
		in.validatePart(&p, n, way)
	}
	if total > dossier.MaxInlineSize {
		return "", dossier.Errorf(dossier.CodeTooLarge,
			"The parts have more than %d bytes together. Announce large files with size and sha256 instead of content.",
			dossier.MaxInlineSize)
	}
	return way, p.Err()
}

func (in *uploadInput) validatePart(p *dossier.Problems, n int, way string) {
	part, at := in.Parts[n], dossier.Element("/parts", n)
	before := slices.IndexFunc(in.Parts, func(o partInput) bool { return o.Name == part.Name })
	if p.PartName(at+"/name", part.Name) && before < n {
		p.Say(at+"/name", dossier.ProblemDuplicate, "repeats that of part %d", before)
	}
	if part.FileName != "" {
		p.Line(at+"/fileName", part.FileName, dossier.MaxName)
	}
	p.Word(at+"/contentType", part.ContentType, contentTypes)
	if way == uploadInline {
		part.validateContent(p, at)
	} else {
		part.validateAnnounced(p, at)
	}
}

// validateContent records what is wrong with a part that brings its bytes.
func (part partInput) validateContent(p *dossier.Problems, at string) {
	if part.Size != nil {
		p.Say(at+"/size", dossier.ProblemNotAllowed, "cannot be combined with content")
	}
	if part.SHA256 != nil {
		p.Say(at+"/sha256", dossier.ProblemNotAllowed, "cannot be combined with content")
	}
	switch {
	case part.Content == nil:
		p.Say(at+"/content", dossier.ProblemRequired,
			"is missing. Either every part has content or none")
	case len(part.Content) == 0:
		p.Say(at+"/content", dossier.ProblemTooShort, "is empty")
	case slices.Contains(contentTypes, part.ContentType):
		if wrong, _ := contentProblem(part.ContentType, bytes.NewReader(part.Content)); wrong !=
			"" {
			p.Add(at+"/content", dossier.ProblemContentMismatch,
				"The content type is %s, but the file %s.", part.ContentType, wrong)
		}
	}
}

// validateAnnounced records what is wrong with a part whose bytes come later.
func (part partInput) validateAnnounced(p *dossier.Problems, at string) {
	switch {
	case part.Content != nil:
		p.Say(at+"/content", dossier.ProblemNotAllowed,
			"cannot be given, because the first part has none")
		return
	case part.Size == nil:
		p.Add(at+"/size", dossier.ProblemRequired,
			"Either content, or size and sha256, must be given.")
	case *part.Size < 1 || *part.Size > dossier.MaxPartSize:
		p.Say(at+"/size", dossier.ProblemOutOfRange, "must be from 1 to %d bytes",
			dossier.MaxPartSize)
	}
	switch {
	case part.SHA256 == nil:
		p.Say(at+"/sha256", dossier.ProblemRequired, "is missing")
	default:
		p.SHA256(at+"/sha256", *part.SHA256)
	}
}

// validateForType refuses parts that the document type does not have, if it names its parts, and
// JSON if its parser can't read it.
func validateForType(parts []partInput, dt dossier.DocumentType) error {
	var p dossier.Problems
	for n, part := range parts {
		at := dossier.Element("/parts", n)
		if len(dt.RequiredParts) > 0 && !slices.Contains(dt.RequiredParts, part.Name) {
			p.Add(at+"/name", dossier.ProblemUnknown,
				"This document type has no part %q. Its parts are: %s.", dossier.Clip(part.Name),
				strings.Join(dt.RequiredParts, ", "))
		}
		if part.ContentType == sniff.JSON && !dossier.ParserNamed(dt.Check.Parser).JSON {
			p.Add(at+"/contentType", dossier.ProblemNotAllowed,
				"This document type does not accept JSON.")
		}
	}
	return p.Err()
}
