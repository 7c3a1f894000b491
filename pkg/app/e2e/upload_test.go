//go:build e2e

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/blob/blobtest"
	"github.com/dossierhq/dossier/pkg/blob/s3blob"
	"github.com/dossierhq/dossier/pkg/store"
)

// TestLargeUpload sends a PDF of more than fits into a request straight into the bucket, and
// downloads it again.
func TestLargeUpload(t *testing.T) {
	t.Parallel()
	c := provision(t)
	s := begin(c, stack.hooks.handle("/large", (&mailbox{}).ServeHTTP))
	content := enlarge(file(t, "chromium-plain.pdf"), 6<<20)
	sum := sha256.Sum256(content)
	planned := c.post("/candidateDocumentTypes/"+s.request+"/upload",
		`{"parts":[{"name":"front","fileName":"permit.pdf","contentType":"application/pdf","size":%d,"sha256":%q}]}`, len(content), hex.EncodeToString(sum[:]))
	commit := fmt.Sprintf(`{"uploadId":%q,"commit":true}`, planned["uploadId"])
	if status, _, refused := c.send(http.MethodPost, "/candidateDocumentTypes/"+s.request+"/upload",
		commit); status != http.StatusConflict || at(t, refused, "code") != "UPLOAD_INCOMPLETE" {
		t.Errorf("ErrNotSent: %d %v", status, refused)
	}
	if status := send(t, at(t, planned, "forms", 0), content); status != http.StatusNoContent {
		t.Fatalf("the form answered %d", status)
	}
	committed := c.ok(http.MethodPost, "/candidateDocumentTypes/"+s.request+"/upload", commit)
	if at(t, committed, "state") != "processing" ||
		at(t, committed, "document", "parts", 0, "sha256") != hex.EncodeToString(sum[:]) {
		t.Errorf("committed: %v", committed)
	}
	var got any
	c.until("the document is checked", 60*time.Second, func() bool {
		got = c.get("/candidateDocumentTypes/" + s.request)
		return at(t, got, "state") != "processing"
	})
	if at(t, got, "state") != "validated" ||
		at(t, got, "document", "parsed", "permit", "number") != "NL-204" {
		t.Errorf("checked: %v", got)
	}
	link := c.get(fmt.Sprintf("/candidateDocumentTypes/%s/documents/%s/parts/front", s.request,
		at(t, got, "document", "id")))
	response, err := http.Get(at(t, link, "url").(string))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	back, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !bytes.Equal(back, content) {
		t.Errorf("the link answered %d with %d bytes, %v", response.StatusCode, len(back), err)
	}
}

// enlarge puts a big unused object before the end of a PDF.
func enlarge(pdf []byte, size int) []byte {
	end := bytes.LastIndex(pdf, []byte("startxref"))
	var out bytes.Buffer
	out.Write(pdf)
	fmt.Fprintf(&out, "\n99999 0 obj\n<< /Length %d >>\nstream\n", size)
	out.Write(bytes.Repeat([]byte("0123456789abcde\n"), size/16))
	out.WriteString("\nendstream\nendobj\n")
	out.Write(pdf[end:])
	return out.Bytes()
}

// send posts a file with a form of the API.
func send(t *testing.T, form any, content []byte) int {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range at(t, form, "fields").(object) {
		if err := w.WriteField(name, value.(string)); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "permit.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(at(t, form, "url").(string), w.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode > 299 {
		text, _ := io.ReadAll(response.Body)
		t.Logf("the form answered %s", text)
	}
	return response.StatusCode
}

// TestBlobs runs the contract of the blob stores on the stack's bucket.
func TestBlobs(t *testing.T) {
	t.Parallel()
	client := s3.NewFromConfig(stack.aws.config(), func(o *s3.Options) { o.UsePathStyle = true })
	s := s3blob.New(client, stack.resources["Bucket"])
	blobtest.Run(t, blobtest.Store{Writer: s, Reader: s, Sharer: s, Emulated: true},
		"contract/"+strconv.FormatInt(time.Now().UnixNano(), 36)+"/")
}

// TestFrozen uploads many times at once: one is accepted.
func TestFrozen(t *testing.T) {
	t.Parallel()
	c := provision(t)
	s := begin(c, stack.hooks.handle("/frozen", (&mailbox{}).ServeHTTP))
	const n = 6
	body := inline(file(t, "libreoffice-table.pdf"))
	answers := make(chan int, n)
	for range n {
		go func() {
			status, _, _ := c.send(http.MethodPost, "/containers/"+s.request+"/upload", body)
			answers <- status
		}()
	}
	got := map[int]int{}
	for range n {
		got[<-answers]++
	}
	// A document that is checked before the last upload arrives may be uploaded again.
	versions := len(c.get("/candidateDocumentTypes/" + s.request + "/documents").([]any))
	if diff := cmp.Diff(map[int]int{200: versions, 409: n - versions}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// TestErased erases a candidate: the sweeper deletes every version of the uploads.
func TestErased(t *testing.T) {
	t.Parallel()
	c := provision(t)
	s := begin(c, stack.hooks.handle("/erased", (&mailbox{}).ServeHTTP))
	c.ok(http.MethodPost, "/candidateDocumentTypes/"+s.request+"/upload",
		inline(file(t, "chromium-plain.pdf")))
	c.until("the document is checked", 30*time.Second, func() bool {
		return at(t, c.get("/candidateDocumentTypes/"+s.request), "state") == "validated"
	})
	stored := func() int {
		client := s3.NewFromConfig(stack.aws.config(), func(o *s3.Options) {
			o.UsePathStyle = true
		})
		bucket, prefix := stack.resources["Bucket"], store.BlobPrefix(c.id, s.candidate)
		out, err := client.ListObjectVersions(t.Context(),
			&s3.ListObjectVersionsInput{Bucket: &bucket, Prefix: &prefix})
		if err != nil {
			t.Fatal(err)
		}
		return len(out.Versions) + len(out.DeleteMarkers)
	}
	if stored() == 0 {
		t.Fatal("nothing is stored where the parts are said to be")
	}
	c.ok(http.MethodDelete, "/candidates/"+s.candidate, "")
	if status, _, _ := c.send(http.MethodGet, "/candidates/"+s.candidate, ""); status !=
		http.StatusNotFound {
		t.Errorf("the erased candidate answers %d", status)
	}
	c.until("the parts are gone", 60*time.Second, func() bool {
		if _, err := stack.invoke("sweep", []byte("{}")); err != nil {
			t.Fatal(err)
		}
		return stored() == 0
	})
}
