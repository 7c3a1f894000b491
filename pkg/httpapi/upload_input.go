package httpapi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// uploadInput is the body of an upload: parts with content, parts that are announced, or the end of what was announced.
type uploadInput struct {
	Parts    []partInput `json:"parts"`
	UploadID *string     `json:"uploadId"`
	Commit   *bool       `json:"commit"`
}

// partInput is a part with its bytes, or with what its bytes will be.
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

var (
	partName     = pattern(`^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$`)
	sumForm      = pattern(`^[0-9a-f]{64}$`)
	contentTypes = []string{sniff.PDF, sniff.JPEG, sniff.PNG, sniff.JSON}
)

// check returns which way the upload goes, and everything that is wrong with it that can be known without its document type.
func (in *uploadInput) check() (way string, err error) {
	var p dossier.Problems
	if in.UploadID != nil || in.Commit != nil {
		if in.Parts != nil {
			p.Add("/parts", "mixed", "does not go together with uploadId and commit")
		}
		if in.UploadID == nil || *in.UploadID == "" {
			p.Add("/uploadId", "required", "is missing")
		}
		if in.Commit == nil || !*in.Commit {
			p.Add("/commit", "invalid", "is not true")
		}
		return uploadCommit, p.Err()
	}
	switch {
	case len(in.Parts) == 0:
		p.Add("/parts", "required", "is missing or empty")
	case len(in.Parts) > dossier.MaxParts:
		p.Add("/parts", "tooMany", "has more than %d parts", dossier.MaxParts)
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
		in.checkPart(&p, n, way)
	}
	if total > dossier.MaxInlineSize {
		return "", dossier.Errorf(dossier.CodeTooLarge, "The parts are larger than %d bytes together: announce them with size and sha256.",
			dossier.MaxInlineSize)
	}
	return way, p.Err()
}

func (in *uploadInput) checkPart(p *dossier.Problems, n int, way string) {
	part, at := in.Parts[n], fmt.Sprintf("/parts/%d", n)
	before := slices.IndexFunc(in.Parts, func(o partInput) bool { return o.Name == part.Name })
	if notePartName(p, at+"/name", part.Name) && before < n {
		p.Add(at+"/name", "duplicate", "is the name of part %d", before)
	}
	if utf8.RuneCountInString(part.FileName) > dossier.MaxName {
		p.Add(at+"/fileName", "tooLong", "is longer than %d characters", dossier.MaxName)
	}
	if !slices.Contains(contentTypes, part.ContentType) {
		p.Add(at+"/contentType", "invalid", "%q is not one of %s", clip(part.ContentType), strings.Join(contentTypes, ", "))
	}
	if way == uploadInline {
		part.checkContent(p, at)
	} else {
		part.checkAnnounced(p, at)
	}
}

// notePartName notes what is no name of a part, and reports whether it is one.
func notePartName(p *dossier.Problems, pointer, name string) bool {
	good := partName().MatchString(name)
	if !good {
		p.Add(pointer, "invalid", "is not 1 to 50 letters, digits, - and _, beginning with a letter or digit")
	}
	return good
}

// checkContent notes what is wrong with a part that brings its bytes.
func (part partInput) checkContent(p *dossier.Problems, at string) {
	if part.Size != nil {
		p.Add(at+"/size", "mixed", "does not go together with content")
	}
	if part.SHA256 != nil {
		p.Add(at+"/sha256", "mixed", "does not go together with content")
	}
	switch {
	case part.Content == nil:
		p.Add(at+"/content", "required", "is missing: parts with and without content do not mix")
	case len(part.Content) == 0:
		p.Add(at+"/content", "tooShort", "is empty")
	case slices.Contains(contentTypes, part.ContentType):
		if wrong, _ := contentProblem(part.ContentType, bytes.NewReader(part.Content)); wrong != "" {
			p.Add(at+"/content", "contentMismatch", "is said to be %s and %s", part.ContentType, wrong)
		}
	}
}

// checkAnnounced notes what is wrong with a part whose bytes come later.
func (part partInput) checkAnnounced(p *dossier.Problems, at string) {
	switch {
	case part.Content != nil:
		p.Add(at+"/content", "mixed", "is given, and not for the first part: parts with and without content do not mix")
		return
	case part.Size == nil:
		p.Add(at+"/size", "required", "is missing, as is content")
	case *part.Size < 1 || *part.Size > dossier.MaxPartSize:
		p.Add(at+"/size", "outOfRange", "is not from 1 to %d", dossier.MaxPartSize)
	}
	switch {
	case part.SHA256 == nil:
		p.Add(at+"/sha256", "required", "is missing")
	case !sumForm().MatchString(*part.SHA256):
		p.Add(at+"/sha256", "invalid", "is not a SHA-256 in lower-case hexadecimal")
	}
}

// checkForType refuses JSON where the document type's parser reads none.
func checkForType(parts []partInput, dt dossier.DocumentType) error {
	if dt.Check.Parser == dossier.ParserJSON || dt.Check.Parser == dossier.ParserHTTP {
		return nil
	}
	var p dossier.Problems
	for n, part := range parts {
		if part.ContentType == sniff.JSON {
			p.Add(fmt.Sprintf("/parts/%d/contentType", n), "invalid", "JSON is not what this document type reads")
		}
	}
	return p.Err()
}
