package httpapi

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestUploadHEIC takes photos as telephones keep them, by their first bytes.
func TestUploadHEIC(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, `,"requiredParts":["front"]`)
	at := "/candidateDocumentTypes/" + request + "/upload"
	const heic = "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic and the rest"
	upload := func(contentType, content string) string {
		return fmt.Sprintf(`{"parts":[{"name":"front","contentType":%q,"content":%q}]}`,
			contentType,
			base64.StdEncoding.EncodeToString([]byte(content)))
	}
	for _, body := range []string{upload("image/heic", pdf), upload("image/jpeg", heic),
		upload("image/heic", "\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1avif")} {
		h.refused(t, call{method: "POST", target: at, body: body}, dossier.CodeValidation,
			"/parts/0/content contentMismatch")
	}
	got := ok[dossier.CandidateDocumentType](t, h, "POST", at, upload("image/heic", heic))
	if got.State != "processing" || got.Document.Parts[0].ContentType != "image/heic" {
		t.Errorf("OK: %+v", got)
	}
}
