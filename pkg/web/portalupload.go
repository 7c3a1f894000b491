package web

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// uploadPart is a part of an upload as the API takes it.
type uploadPart struct {
	Name        string `json:"name"`
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
	Content     []byte `json:"content"`
}

// candidateUpload takes the files of a form and uploads them.
func candidateUpload(p *page) error {
	id := p.r.PathValue("request")
	if err := p.r.ParseMultipartForm(maxPortalForm); err != nil {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return p.candidateHome("tooLarge", id)
		}
		return p.candidateHome("noFile", id)
	}
	defer func() { _ = p.r.MultipartForm.RemoveAll() }() // temporary files, if there are any
	var parts []uploadPart
	for _, name := range sortedKeys(p.r.MultipartForm.File) {
		for _, file := range p.r.MultipartForm.File[name] {
			if file.Size == 0 {
				continue
			}
			part, err := readPart(name, file)
			if err != nil {
				return err
			}
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return p.candidateHome("noFile", id)
	}
	return p.uploaded(id, p.sendUpload(id, object{"parts": parts}, p.r.FormValue("_key"), nil))
}

// sendUpload calls the API's upload of a candidate document type; key is of its idempotency.
func (p *page) sendUpload(id string, body object, key string, into any) error {
	_, err := p.api.do(call{method: http.MethodPost,
		path: "/candidateDocumentTypes/" + id + "/upload", body: body, key: key}, into)
	return err
}

// uploaded goes on after an upload, or says why it was not taken.
func (p *page) uploaded(id string, err error) error {
	var e *apiError
	switch {
	case err == nil:
		return p.redirect("/c")
	case errors.As(err, &e) && e.Code == dossier.CodeLocked:
		return p.redirect("/c") // it is being read: the page says so
	case e != nil && e.Status == http.StatusRequestEntityTooLarge:
		return p.candidateHome("tooLarge", id)
	case e != nil && e.Status == http.StatusUnprocessableEntity:
		for _, field := range e.Errors {
			if strings.HasSuffix(field.Pointer, "/size") {
				return p.candidateHome("farTooLarge", id)
			}
		}
		return p.candidateHome("badFile", id)
	case e != nil && e.Code == dossier.CodeNotReplaceable:
		return p.candidateHome("notReplaceable", id)
	case e != nil && e.Code == dossier.CodeUploadIncomplete:
		return p.candidateHome("notWhole", id)
	}
	return err
}

// announced is a part that the script sends straight to the blob store, as the API takes it.
type announced struct {
	Name        string `json:"name"`
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
}

// plan is the API's answer to an announcement, for the script.
type plan struct {
	UploadID string `json:"uploadId"`
	Forms    []struct {
		URL    string            `json:"url"`
		Fields map[string]string `json:"fields"`
	} `json:"forms"`
}

// announceUpload takes the sizes and checksums of files that are too large for a form of this site,
// and answers JSON: the forms of the blob store that take them.
func announceUpload(p *page) error {
	id := p.r.PathValue("request")
	f, err := p.posted()
	if err != nil {
		return err
	}
	var parts []announced
	if err := json.Unmarshal([]byte(f.Get("parts")), &parts); err != nil {
		return p.candidateHome("noFile", id)
	}
	var planned plan
	if err := p.sendUpload(id, object{"parts": parts}, f.Key, &planned); err != nil {
		return p.uploaded(id, err)
	}
	text, err := json.Marshal(planned)
	if err != nil {
		return err
	}
	p.w.Header().Set("Content-Type", "application/json")
	p.w.Header().Set("Cache-Control", "no-store")
	_, _ = p.w.Write(text) // a browser that went away has no use for the error
	return nil
}

// commitUpload takes the parts that were sent to the blob store.
func commitUpload(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	id := p.r.PathValue("request")
	body := object{"uploadId": f.Get("uploadId"), "commit": true}
	return p.uploaded(id, p.sendUpload(id, body, f.Key, nil))
}

// readPart reads one file. Its type is detected from its first bytes.
func readPart(name string, header *multipart.FileHeader) (uploadPart, error) {
	file, err := header.Open()
	if err != nil {
		return uploadPart{}, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	kind, _, _ := strings.Cut(http.DetectContentType(content), ";")
	if heic(content) {
		kind = "image/heic"
	}
	return uploadPart{Name: name, FileName: header.Filename, ContentType: kind,
		Content: content}, err
}

// heic reports whether a file begins as the photos of telephones do, which net/http doesn't know.
// The API looks more closely.
func heic(content []byte) bool {
	const brand = 4 // after the length
	if len(content) < brand+8 {
		return false
	}
	switch string(content[brand : brand+8]) {
	case "ftypheic", "ftypheix", "ftypmif1":
		return true
	}
	return false
}
