package standalone_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// announcing is a process with a candidate who is asked for a document.
type announcing struct {
	*client
	data      string
	candidate string
	upload    string // path
}

func startAnnouncing(t *testing.T) announcing {
	t.Helper()
	data := t.TempDir()
	c, stop := startIn(t, data, slog.New(slog.DiscardHandler))
	t.Cleanup(stop)
	kind := c.post("/documentTypes", `{"name":"Permit","check":{"parser":"none","decision":"manual"}}`)
	candidate := c.post("/candidates", fmt.Sprintf(
		`{"firstName":"Ada","documentTypeIds":[%q]}`, kind["id"]))["id"].(string)
	request := at(t, c.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0, "id")
	return announcing{c, data, candidate,
		"/candidateDocumentTypes/" + request.(string) + "/upload"}
}

// announce announces a file and returns the id of the upload and its form.
func (a announcing) announce(content string) (id string, form object) {
	a.t.Helper()
	sum := sha256.Sum256([]byte(content))
	pending := a.post(a.upload, fmt.Sprintf(
		`{"parts":[{"name":"front","contentType":"application/pdf","size":%d,"sha256":%q}]}`,
		len(content), hex.EncodeToString(sum[:])))
	return pending["uploadId"].(string), at(a.t, pending, "forms", 0).(object)
}

// postForm posts a form with a file, as a browser does, and returns the answer.
func (a announcing) postForm(form object, file io.Reader) (int, string) {
	a.t.Helper()
	body, w := io.Pipe()
	multi := multipart.NewWriter(w)
	go func() {
		var err error
		for name, value := range form["fields"].(object) {
			if err == nil {
				err = multi.WriteField(name, value.(string))
			}
		}
		if err == nil {
			var part io.Writer
			if part, err = multi.CreateFormFile("file", "a.pdf"); err == nil {
				_, err = io.Copy(part, file)
			}
		}
		if err == nil {
			err = multi.Close()
		}
		w.CloseWithError(err)
	}()
	answer, err := http.Post(form["url"].(string), multi.FormDataContentType(), body)
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Error(err)
	}
	return answer.StatusCode, string(text)
}

// refusesForm checks that a form takes no file any more, and says so.
func (a announcing) refusesForm(when string, form object, content string) {
	a.t.Helper()
	status, text := a.postForm(form, strings.NewReader(content))
	if status != http.StatusForbidden || !strings.Contains(text, "takes no file any more") {
		a.t.Errorf("%s: the form answered %d %q", when, status, text)
	}
}

// files returns the files below a folder of the store of blobs.
func (a announcing) files(folder string) (names []string) {
	a.t.Helper()
	err := filepath.WalkDir(filepath.Join(a.data, "blobs", folder),
		func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				names = append(names, name)
			}
			if os.IsNotExist(err) {
				return nil
			}
			return err
		})
	if err != nil {
		a.t.Fatal(err)
	}
	return names
}

// TestFormStoresOnce posts one form many times, one after the other and at once: its file lies on
// the disk once, and after the commit the form takes nothing.
func TestFormStoresOnce(t *testing.T) {
	t.Parallel()
	a := startAnnouncing(t)
	content := "%PDF-1.4\n" + strings.Repeat("x", 64<<10)
	id, form := a.announce(content)
	for range 5 {
		if status, text := a.postForm(form, strings.NewReader(content)); status != 204 {
			t.Errorf("the form answered %d %q", status, text)
		}
	}
	var posts sync.WaitGroup
	for range 10 {
		posts.Go(func() {
			if status, text := a.postForm(form, strings.NewReader(content)); status != 204 {
				t.Errorf("at once the form answered %d %q", status, text)
			}
		})
	}
	posts.Wait()
	if kept := a.files("pending"); len(kept) != 1 {
		t.Errorf("15 posts of a form left %d files: %v", len(kept), kept)
	}
	if left := a.files(".incoming"); len(left) > 0 {
		t.Errorf("posts left %v", left)
	}
	other := content[:len(content)-1] + "y"
	if status, _ := a.postForm(form, strings.NewReader(other)); status != 400 {
		t.Errorf("another file of the same size: %d", status)
	}
	a.post(a.upload, fmt.Sprintf(`{"uploadId":%q,"commit":true}`, id))
	a.refusesForm("committed", form, content)
	if kept := a.files("pending"); len(kept) > 1 {
		t.Errorf("after the commit: %v", kept)
	}
}

// TestFormAfterErasure posts a form after its candidate was erased.
func TestFormAfterErasure(t *testing.T) {
	t.Parallel()
	a := startAnnouncing(t)
	content := "%PDF-1.4\n of a person"
	_, form := a.announce(content)
	a.ok(http.MethodDelete, "/candidates/"+a.candidate, nil)
	a.refusesForm("erased", form, content)
	if kept := a.files("pending"); len(kept) > 0 {
		t.Errorf("an erased candidate has the files %v", kept)
	}
}

// TestFormDuringErasure erases a candidate while a form is being posted: its file is not kept.
func TestFormDuringErasure(t *testing.T) {
	t.Parallel()
	a := startAnnouncing(t)
	content := "%PDF-1.4\n" + strings.Repeat("x", 1<<20)
	_, form := a.announce(content)
	rest, more := io.Pipe()
	file := io.MultiReader(strings.NewReader(content[:1<<19]), rest)
	type answer struct {
		status int
		text   string
	}
	answered := make(chan answer, 1)
	go func() {
		status, text := a.postForm(form, file)
		answered <- answer{status, text}
	}()
	until(t, "the file is being received", func() bool { return len(a.files(".incoming")) == 1 })
	a.ok(http.MethodDelete, "/candidates/"+a.candidate, nil)
	if _, err := io.Copy(more, bytes.NewReader([]byte(content[1<<19:]))); err != nil {
		t.Fatal(err)
	}
	if err := more.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-answered; got.status != http.StatusForbidden ||
		!strings.Contains(got.text, "takes no file any more") {
		t.Errorf("the form answered %d %q", got.status, got.text)
	}
	if kept := append(a.files("pending"), a.files(".incoming")...); len(kept) > 0 {
		t.Errorf("an erased candidate has the files %v", kept)
	}
}
