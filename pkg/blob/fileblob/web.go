package fileblob

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
)

// The fields of a form. The signature is over all the others.
const (
	fieldKey       = "key"
	fieldSize      = "size"
	fieldSum       = "sha256"
	fieldType      = "Content-Type"
	fieldExpires   = "expires"
	fieldSignature = "signature"
	fieldFile      = "file"
)

// maxField is the length of a field of a form at most, in bytes.
const maxField = 2048

// Form makes a form that takes exactly the content of this size and checksum (lower-case hex),
// until it expires.
func (s *Store) Form(_ context.Context, key string, size int64, sha256, contentType string,
	expires time.Time) (blob.Form, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Form{}, err
	}
	fields := map[string]string{
		fieldKey: key, fieldSize: strconv.FormatInt(size, 10), fieldSum: sha256,
		fieldType: contentType, fieldExpires: strconv.FormatInt(expires.Unix(), 10),
	}
	fields[fieldSignature] = s.signForm(fields)
	return blob.Form{URL: s.baseURL + "/blobs", Fields: fields}, nil
}

// Link makes an address at which anyone can read the version until it expires, as a download with
// this name and type.
func (s *Store) Link(_ context.Context, ref blob.Ref, fileName, contentType string,
	expires time.Time) (string, error) {
	if err := blob.CheckKey(ref.Key); err != nil {
		return "", err
	}
	q := url.Values{"version": {ref.Version}, "name": {fileName}, "type": {contentType},
		"expires": {strconv.FormatInt(expires.Unix(), 10)}}
	q.Set("signature", s.signLink(ref.Key, q))
	return s.baseURL + "/blobs/" + ref.Key + "?" + q.Encode(), nil
}

// Uploads knows the announced uploads that forms were made for.
type Uploads interface {
	// TakesPart reports whether the upload that announced this key is still open.
	TakesPart(ctx context.Context, key string) (bool, error)
}

// Handler serves the forms and links of the store: POST /blobs and GET /blobs/{key}. Neither needs
// a key of the interface; the signature signs the query of a link or form. A form takes its file
// while its upload is open, and stores it once.
func (s *Store) Handler(uploads Uploads) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /blobs", func(w http.ResponseWriter, r *http.Request) {
		s.receive(w, r, uploads)
	})
	mux.HandleFunc("GET /blobs/{key...}", s.serve)
	mux.HandleFunc("OPTIONS /blobs", preflight)
	mux.HandleFunc("OPTIONS /blobs/{key...}", preflight)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// As on the API: pages of any origin, without cookies. The signature is the permission.
		w.Header().Set("Access-Control-Allow-Origin", "*")
		mux.ServeHTTP(w, r)
	})
}

// preflight answers a browser's question before it posts a form, or reads a part, from a page of
// another origin.
func preflight(w http.ResponseWriter, _ *http.Request) {
	protect(w.Header())
	w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type, Range")
	w.Header().Set("Access-Control-Max-Age", "7200")
}

// KeyOf returns the key of the part that a request to Handler reads, empty for any other request.
func KeyOf(r *http.Request) string {
	key, _ := strings.CutPrefix(r.URL.Path, "/blobs/")
	if key == r.URL.Path || r.Method == http.MethodPost {
		return ""
	}
	return key
}

func (s *Store) receive(w http.ResponseWriter, r *http.Request, uploads Uploads) {
	form, err := r.MultipartReader()
	if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	fields, file, err := readFields(form)
	if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	size, _ := strconv.ParseInt(fields[fieldSize], 10, 64)
	if !hmac.Equal([]byte(fields[fieldSignature]), []byte(s.signForm(fields))) ||
		!s.current(fields[fieldExpires]) {
		refuse(w, http.StatusForbidden)
		return
	}
	posted := &announcement{size: size, sum: fields[fieldSum], open: func() error {
		open, err := uploads.TakesPart(r.Context(), fields[fieldKey])
		if err == nil && !open {
			return errClosed
		}
		return err
	}}
	if err = posted.open(); err == nil {
		// One byte more than agreed is enough to know that it is too much.
		_, err = s.store(r.Context(), fields[fieldKey], io.LimitReader(file, size+1), posted)
	}
	switch {
	case errors.Is(err, errOtherContent):
		refuse(w, http.StatusBadRequest)
	case errors.Is(err, errClosed):
		protect(w.Header())
		http.Error(w, "This form takes no file any more. Its upload is finished or was removed.",
			http.StatusForbidden)
	case err != nil:
		refuse(w, http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// announcement describes the file that a form takes.
type announcement struct {
	size int64        // bytes
	sum  string       // SHA-256, lower-case hex
	open func() error // errClosed once the upload takes no more parts
}

var (
	errOtherContent = errors.New("the content does not match the form")
	errClosed       = errors.New("the upload of the form is closed")
)

// readFields reads a form up to its file, which is the last field.
func readFields(form *multipart.Reader) (map[string]string, *multipart.Part, error) {
	fields := map[string]string{}
	for range 20 {
		part, err := form.NextPart()
		if err != nil {
			return nil, nil, err
		}
		if part.FormName() == fieldFile {
			return fields, part, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, maxField))
		if err != nil {
			return nil, nil, err
		}
		fields[part.FormName()] = string(value)
	}
	return nil, nil, errors.New("a form has at most 20 fields")
}

func (s *Store) serve(w http.ResponseWriter, r *http.Request) {
	key, q := r.PathValue("key"), r.URL.Query()
	if !hmac.Equal([]byte(q.Get("signature")), []byte(s.signLink(key, q))) ||
		!s.current(q.Get("expires")) {
		refuse(w, http.StatusForbidden)
		return
	}
	file, err := s.open(blob.Ref{Key: key, Version: q.Get("version")})
	switch {
	case errors.Is(err, blob.ErrNotFound):
		refuse(w, http.StatusNotFound)
		return
	case err != nil:
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	defer file.Close()
	// The bytes are a stranger's: they are handed out as a download, never as a page of this
	// address.
	protect(w.Header())
	w.Header().Set("Content-Type", q.Get("type"))
	w.Header().Set("Content-Disposition", disposition(q.Get("name")))
	http.ServeContent(w, r, "", time.Time{}, file)
}

func disposition(fileName string) string {
	if d := mime.FormatMediaType("attachment", map[string]string{"filename": fileName}); d != "" {
		return d
	}
	return "attachment"
}

func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
}

func refuse(w http.ResponseWriter, status int) {
	protect(w.Header())
	http.Error(w, http.StatusText(status), status)
}

func (s *Store) current(expires string) bool {
	at, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && s.now().Before(time.Unix(at, 0))
}

func (s *Store) signForm(f map[string]string) string {
	return s.sign("form", f[fieldKey], f[fieldSize], f[fieldSum], f[fieldType], f[fieldExpires])
}

func (s *Store) signLink(key string, q url.Values) string {
	return s.sign("link", key, q.Get("version"), q.Get("name"), q.Get("type"), q.Get("expires"))
}

// sign keeps the values apart by encoding each, so that no two lists of values sign alike.
func (s *Store) sign(values ...string) string {
	mac := hmac.New(sha256.New, s.secret)
	for i, v := range values {
		values[i] = base64.RawURLEncoding.EncodeToString([]byte(v))
	}
	mac.Write([]byte(strings.Join(values, ".")))
	return hex.EncodeToString(mac.Sum(nil))
}
