package httpapi

import (
	"errors"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Every upload body either selects one way to upload, with parts within all limits, or is refused
// with its reasons.
func FuzzUpload(f *testing.F) {
	for _, body := range []string{parts("front", pdf), parts("front", pdf, "front", pdf),
		parts("../x", ""), `{"uploadId":"upl_x","commit":true}`,
		`{"uploadId":"","commit":false,"parts":[]}`,
		`{"parts":[{"name":"a","contentType":"application/pdf","size":1,"sha256":"` +
			strings.Repeat("a", 64) + `"}]}`,
		`{"parts":[{"size":-1},{"content":""}]}`,
		`{"parts":[{"name":"a","contentType":"image/png","content":"iVBORw0KGgo="}]}`,
		`{"parts":[null]}`,
		`{"parts":[{"name":"a","contentType":"image/jpeg","content":"/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAABAAEBAREA"}]}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		in, err := decode[uploadInput](&request{body: body})
		if err != nil {
			refused(t, err)
			return
		}
		way, err := in.validate()
		if e := (*dossier.Error)(nil); errors.As(err, &e) && e.Code == dossier.CodeTooLarge {
			return
		}
		if err != nil {
			refused(t, err)
			return
		}
		if way == uploadCommit {
			if (in.UploadID == nil || *in.UploadID == "") || len(in.Parts) > 0 {
				t.Fatalf("%s commits", body)
			}
			return
		}
		names := map[string]bool{}
		for _, p := range in.Parts {
			sent := len(p.Content) > 0 && way == uploadInline ||
				p.Content == nil && p.Size != nil && *p.Size > 0 &&
					*p.Size <= dossier.MaxPartSize && way == uploadPlan
			if !sent || names[p.Name] || !(&dossier.Problems{}).PartName("", p.Name) {
				t.Fatalf("%s is taken as %s", body, way)
			}
			names[p.Name] = true
		}
		if len(in.Parts) == 0 || len(in.Parts) > dossier.MaxParts {
			t.Fatalf("%d parts are taken", len(in.Parts))
		}
	})
}
