package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUploadInline(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	for _, path := range []string{"/candidateDocumentTypes/", "/containers/"} {
		candidate, request := h.candidateWithRequest(t, `,"requiredParts":["front","back"]`)
		at := path + request + "/upload"
		half := ok[dossier.CandidateDocumentType](t, h, "POST", at, parts("front", pdf))
		if half.State != "uploaded" || half.Lock != nil || half.Document.Version != 1 {
			t.Errorf("OK: half of it: %+v", half)
		}
		img := picture(t)
		whole := ok[dossier.CandidateDocumentType](t, h, "POST", at,
			`{"parts":[{"name":"back","contentType":"image/png","content":"`+
				base64.StdEncoding.EncodeToString(img)+`"}]}`)
		if whole.State != "processing" || whole.Lock == nil || whole.Document.Version != 2 ||
			whole.CandidateID != candidate {
			t.Errorf("OK: all of it: %+v", whole)
		}
		sum := sha256.Sum256([]byte(pdf))
		want := []string{"front a.pdf application/pdf " + fmt.Sprint(len(pdf)) + " " +
			hex.EncodeToString(sum[:]), ""}
		sum = sha256.Sum256(img)
		want[1] = "back  image/png " + fmt.Sprint(len(img)) + " " + hex.EncodeToString(sum[:])
		for n, p := range whole.Document.Parts {
			if got := fmt.Sprintf("%s %s %s %d %s", p.Name, p.FileName, p.ContentType, p.Size,
				p.SHA256); got != want[n] {
				t.Errorf("OK: part %q, not %q", got, want[n])
			}
		}
		link := ok[partLink](t, h, "GET",
			"/candidateDocumentTypes/"+request+"/documents/"+whole.Document.ID+"/parts/back", "")
		if got := h.read(t, link.URL); got != string(img) {
			t.Errorf("OK: the link leads to %d bytes", len(got))
		}
		if left := link.ExpiresAt.Sub(h.clock.now()); left <= 4*time.Minute ||
			left > 5*time.Minute {
			t.Errorf("OK: the link works for %v", left)
		}
		w := h.refused(t, call{method: "POST", target: at, body: parts("front", pdf)},
			dossier.CodeLocked)
		if p := problemOf(t, w); p.Lock == nil || !p.Lock.StartedAt.Equal(whole.Lock.StartedAt) ||
			w.Header().Get("Retry-After") != "1" {
			t.Errorf("locked: %s, Retry-After %q", w.Body, w.Header().Get("Retry-After"))
		}
	}
}

var (
	pdfBase64 = base64.StdEncoding.EncodeToString([]byte(pdf))
	someSum   = strings.Repeat("ab", 32)
)

// secondPart returns an upload of a good part and one with these members.
func secondPart(members string) string {
	return `{"parts":[{"name":"front","contentType":"application/pdf","content":"` + pdfBase64 +
		`"},{` + members + `}]}`
}

var refusedUploads = map[string]struct {
	body  string
	named []string
}{
	"ErrNothing": {`{}`, []string{"/parts required"}},
	"ErrNoParts": {`{"parts":[]}`, []string{"/parts required"}},
	"ErrTooMany": {`{"parts":[` + strings.Repeat(`{},`, 20) + `{}]}`,
		[]string{"/parts tooMany"}},
	"ErrEmptyUpload": {
		`{"uploadId":"","parts":[{"name":"a","contentType":"application/pdf","content":"` +
			pdfBase64 + `"}]}`,
		[]string{"/parts notAllowed", "/uploadId required", "/commit required"},
	},
	"ErrEmptySum": {`{"parts":[{"name":"a","contentType":"application/pdf","content":"` +
		pdfBase64 + `","sha256":""}]}`, []string{"/parts/0/sha256 notAllowed"}},
	"ErrBothWays": {`{"parts":[],"uploadId":"upl_x","commit":true}`,
		[]string{"/parts notAllowed"}},
	"ErrNoCommit":      {`{"uploadId":"upl_x"}`, []string{"/commit required"}},
	"ErrNotCommitted":  {`{"uploadId":"upl_x","commit":false}`, []string{"/commit required"}},
	"ErrCommitNothing": {`{"commit":true}`, []string{"/uploadId required"}},
	"ErrUnknownUpload": {`{"uploadId":"upl_x","commit":true}`, []string{"/uploadId unknown"}},
	"ErrEmptyPart": {secondPart(``),
		[]string{"/parts/1/name required", "/parts/1/contentType required",
			"/parts/1/content required"}},
	"ErrSameName": {secondPart(`"name":"front","contentType":"application/pdf","content":"` +
		pdfBase64 + `"`), []string{"/parts/1/name duplicate"}},
	"ErrNames": {secondPart(`"name":"a b","fileName":"` + strings.Repeat("x", 201) +
		`","contentType":"application/pdf","content":"` + pdfBase64 + `"`),
		[]string{"/parts/1/name malformed", "/parts/1/fileName tooLong"}},
	"ErrNoBytes": {secondPart(`"name":"b","contentType":"application/pdf","content":""`),
		[]string{"/parts/1/content tooShort"}},
	"ErrBase64": {secondPart(`"name":"b","contentType":"application/pdf","content":"a_b-"`),
		[]string{"/parts/1/content wrongType"}},
	"ErrNewlines": {secondPart(`"name":"b","contentType":"application/pdf","content":"JVBE\nRi0="`),
		[]string{"/parts/1/content wrongType"}},
	"ErrMixed": {secondPart(`"name":"b","contentType":"application/pdf","size":3,"sha256":"` +
		someSum +
		`"`),
		[]string{"/parts/1/size notAllowed", "/parts/1/sha256 notAllowed",
			"/parts/1/content required"}},
	"ErrMixedOtherWay": {
		`{"parts":[{"name":"a","contentType":"application/pdf","size":3,"sha256":"` + someSum + `"},
		{"name":"b","contentType":"application/pdf","content":"` + pdfBase64 + `"}]}`,
		[]string{"/parts/1/content notAllowed"},
	},
	"ErrNotWhatItSays": {secondPart(`"name":"b","contentType":"image/png","content":"` + pdfBase64 +
		`"`), []string{"/parts/1/content contentMismatch"}},
	"ErrNoHeader": {secondPart(`"name":"b","contentType":"image/png","content":"iVBORw0KGgo="`),
		[]string{"/parts/1/content contentMismatch"}},
	"ErrArchive": {
		secondPart(`"name":"b","contentType":"application/zip","content":"UEsDBA=="`),
		[]string{"/parts/1/contentType unknown"},
	},
	"ErrText": {
		secondPart(`"name":"b","contentType":"application/pdf","content":"aGVsbG8="`),
		[]string{"/parts/1/content contentMismatch"},
	},
	"ErrJSONToNobody": {secondPart(`"name":"b","contentType":"application/json","content":"e30="`),
		[]string{"/parts/1/contentType notAllowed"}},
	"ErrAnnounced": {
		`{"parts":[{"name":"a","contentType":"application/pdf","size":26214401,"sha256":"AB"},{"name":"b","contentType":"application/pdf"}]}`,
		[]string{"/parts/0/size outOfRange", "/parts/0/sha256 malformed",
			"/parts/1/size required", "/parts/1/sha256 required"},
	},
	"ErrUnknownMember": {secondPart(`"name":"b","contentType":"application/pdf","contents":""`),
		[]string{"/parts/1/contents unknown"}},
}

func TestUploadRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, "")
	at := "/candidateDocumentTypes/" + request + "/upload"
	for name, c := range refusedUploads {
		t.Run(name, func(t *testing.T) {
			h.refused(t, call{method: "POST", target: at, body: c.body}, dossier.CodeValidation,
				c.named...)
		})
	}
	if r := ok[dossier.CandidateDocumentType](t, h, "GET", "/candidateDocumentTypes/"+request,
		""); r.State != "requested" || r.Document != nil {
		t.Errorf("refused uploads left %+v", r)
	}
}

// An upload that is too large, or to another company's request, leaves nothing behind. The largest
// allowed one succeeds.
func TestUploadTooLarge(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, "")
	at := "/candidateDocumentTypes/" + request + "/upload"
	big := pdf + strings.Repeat("x", dossier.MaxInlineSize-len(pdf))
	h.refused(t, call{method: "POST", target: at, body: parts("a", big, "b", pdf)},
		dossier.CodeTooLarge)
	h.refused(t, call{method: "POST", target: at, body: parts("a", big+big)}, dossier.CodeTooLarge)
	h.refused(t, call{method: "POST", target: "/containers/cdt_x/upload", body: parts("a", pdf)},
		dossier.CodeNotFound)
	stranger, err := h.store.CreateCompany(t.Context(), "", "Two")
	if err != nil {
		t.Fatal(err)
	}
	h.refused(t, call{method: "POST", target: at, key: stranger.Key.Secret, body: parts("a", pdf)},
		dossier.CodeNotFound)
	if r := ok[dossier.CandidateDocumentType](t, h, "GET", "/candidateDocumentTypes/"+request,
		""); r.State != "requested" || r.Document != nil {
		t.Errorf("refused uploads left %+v", r)
	}
	if got := ok[dossier.CandidateDocumentType](t, h, "POST", at, parts("a", big)); got.State !=
		"processing" {
		t.Errorf("OK: the largest: %+v", got)
	}
}

// Parts of several uploads that complete each other are one document, within the limits of one.
func TestUploadTogetherTooMany(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	var many, names []string
	for n := range 20 {
		names = append(names, fmt.Sprintf("p%d", n))
		many = append(many, names[n], pdf)
	}
	required := `"requiredParts":["` + strings.Join(names[:19], `","`) + `","last"`
	_, request := h.candidateWithRequest(t, ","+required+"]")
	at := "/candidateDocumentTypes/" + request + "/upload"
	ok[dossier.CandidateDocumentType](t, h, "POST", at, parts(many[:2*19]...))
	documentType := ok[dossier.CandidateDocumentType](t, h, "GET",
		"/candidateDocumentTypes/"+request, "").DocumentType.ID
	ok[dossier.DocumentType](t, h, "PATCH", "/documentTypes/"+documentType,
		`{"requiredParts":["first","last"]}`)
	h.refused(t, call{method: "POST", target: at, body: parts("first", pdf, "last", pdf)},
		dossier.CodeValidation, "/parts tooMany")
}

func TestUploadJSON(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, `,"check":{"parser":"json"}`)
	got := ok[dossier.CandidateDocumentType](t, h, "POST",
		"/candidateDocumentTypes/"+request+"/upload",
		`{"parts":[{"name":"data","contentType":"application/json","content":"eyJhIjoxfQ=="}]}`)
	if got.State != "processing" {
		t.Errorf("OK: %+v", got)
	}
}

func announced(name, content, contentType string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf(`{"name":%q,"contentType":%q,"size":%d,"sha256":%q}`, name, contentType,
		len(content), hex.EncodeToString(sum[:]))
}

// send posts the bytes of a part with its form, as a browser does.
func (h *testAPI) send(t *testing.T, f partForm, content string) int {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range f.Fields {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile("file", "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	resp, err := h.files.Client().Post(f.URL, form.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

func TestUploadLarge(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, `,"requiredParts":["front","back"]`)
	at := "/candidateDocumentTypes/" + request + "/upload"
	front := pdf + strings.Repeat("f", 5<<20)
	plan := `{"parts":[` + announced("front", front, "application/pdf") + `,` +
		announced("back", string(picture(t)), "image/png") + `]}`
	pending := ok[pendingUpload](t, h, "POST", at, plan)
	if len(pending.Forms) != 2 || pending.Forms[0].Name != "front" ||
		pending.Forms[0].Method != "POST" {
		t.Fatalf("OK: %+v", pending)
	}
	if r := ok[dossier.CandidateDocumentType](t, h, "GET", "/candidateDocumentTypes/"+request,
		""); r.State != "requested" {
		t.Errorf("OK: announced, it is %s", r.State)
	}
	commit := call{method: "POST", target: at,
		body: `{"uploadId":"` + pending.UploadID + `","commit":true}`}
	w := h.refused(t, commit, dossier.CodeUploadIncomplete, "/uploadId incomplete")
	if !strings.Contains(w.Body.String(), `part \"front\"`) {
		t.Errorf("does not name the part: %s", w.Body)
	}
	if status := h.send(t, pending.Forms[0], front[:len(front)-1]+"x"); status != 400 {
		t.Errorf("other bytes than announced: %d", status)
	}
	if status := h.send(t, pending.Forms[0], front); status != 204 {
		t.Errorf("OK: sent: %d", status)
	}
	h.refused(t, commit, dossier.CodeUploadIncomplete, "/uploadId incomplete")
	h.send(t, pending.Forms[1], string(picture(t)))

	// The parts can't be committed to another request.
	_, other := h.candidateWithRequest(t, "")
	h.refused(t, call{method: "POST", target: "/containers/" + other + "/upload",
		body: commit.body}, dossier.CodeValidation, "/uploadId unknown")

	got, _ := okWith[dossier.CandidateDocumentType](t, h, commit)
	if got.State != "processing" || got.Document.Parts[0].Size != int64(len(front)) ||
		got.Document.Version != 1 {
		t.Errorf("OK: %+v", got)
	}
	// A form takes nothing after the commit, which leaves the link to its bytes.
	h.send(t, pending.Forms[0], front)
	link := ok[partLink](t, h, "GET",
		"/candidateDocumentTypes/"+request+"/documents/"+got.Document.ID+"/parts/front", "")
	if h.read(t, link.URL) != front {
		t.Error("OK: the link leads to other bytes")
	}
	h.refused(t, commit, dossier.CodeLocked)
	h.finishChecks(t, store.CheckResult{State: dossier.StateNeedsResubmission})
	h.refused(t, commit, dossier.CodeValidation, "/uploadId unknown")

	late := ok[pendingUpload](t, h, "POST", at, plan)
	h.clock.forward(61 * time.Minute)
	h.refused(t, call{method: "POST", target: at,
		body: `{"uploadId":"` + late.UploadID + `","commit":true}`}, dossier.CodeValidation,
		"/uploadId unknown")
}

// Parts sent by form are inspected like inline parts.
func TestUploadLargeMismatch(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, "")
	at := "/containers/" + request + "/upload"
	pending := ok[pendingUpload](t, h, "POST", at,
		`{"parts":[`+announced("a", "MZ this is a program", "application/pdf")+`]}`)
	if status := h.send(t, pending.Forms[0], "MZ this is a program"); status != 204 {
		t.Fatalf("sent: %d", status)
	}
	h.refused(t, call{method: "POST", target: at,
		body: `{"uploadId":"` + pending.UploadID + `","commit":true}`}, dossier.CodeValidation,
		"/uploadId contentMismatch")
}

// An upload repeated under one Idempotency-Key is one upload with one response.
func TestUploadTwice(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	_, request := h.candidateWithRequest(t, "")
	c := call{method: "POST", target: "/containers/" + request + "/upload",
		body: parts("front", pdf), header: []string{"Idempotency-Key", "k"}}
	first, _ := okWith[dossier.CandidateDocumentType](t, h, c)
	again, _ := okWith[dossier.CandidateDocumentType](t, h, c)
	if diff := cmp.Diff(first, again); diff != "" || first.Document.Version != 1 {
		t.Errorf("OK: (-first +again)\n%s", diff)
	}
	large := call{method: "POST", target: c.target, body: c.body}
	h.refused(t, large, dossier.CodeLocked)
}
