package check

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// written is the part "front" with that content.
func written(t *testing.T, content, contentType string) Part {
	t.Helper()
	path := filepath.Join(t.TempDir(), "part")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return partAt(t, path, contentType)
}

func TestMRZ(t *testing.T) {
	t.Parallel()
	c := dossier.Check{Parser: dossier.ParserMRZ}
	for name, want := range map[string]struct {
		verdict, number string
		codes           []string
	}{
		"mrz-td1": {Passed, "D23145890", []string{}},
		"mrz-td2": {Passed, "D23145890", []string{}},
		"mrz-td3": {Passed, "L898902C3", []string{}},
		"mrz-td3-wrong": {NeedsResubmission, "L898902C4",
			[]string{"CHECK_DIGIT_FAILED mrz.documentNumber", "CHECK_DIGIT_FAILED mrz"}},
		"reportlab-lines": {NeedsResubmission, "", []string{"NO_MRZ_FOUND"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := run(t, c, file(t, name+".pdf", sniff.PDF))
			number, _ := get(out.Parsed, "mrz.documentNumber").(string)
			if d := cmp.Diff(want.codes, codes(out)); d != "" || out.Verdict != want.verdict ||
				number != want.number {
				t.Errorf("%s %q %s", out.Verdict, number, d)
			}
		})
	}
	expiring := c
	expiring.ExpiryReference = "mrz.expiryDate"
	out := run(t, expiring, file(t, "mrz-td3.pdf", sniff.PDF))
	if d := cmp.Diff([]string{"DOCUMENT_EXPIRED mrz.expiryDate"}, codes(out)); d != "" {
		t.Error(d)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	lines := func(t *testing.T) Part { return file(t, "reportlab-lines.pdf", sniff.PDF) }
	photo := func(t *testing.T) Part { return file(t, "photo.jpg", sniff.JPEG) }
	missing := permit
	missing.Required = []string{"permit.number", "permit.holder"}
	wrongType := permit
	wrongType.ExpiryReference = "permit.class"
	number := permit
	number.Fields = []dossier.CheckField{
		{Reference: "permit.class", Label: "Class", Type: dossier.FieldNumber},
	}
	number.Required, number.ExpiryReference = []string{"permit.class"}, ""
	for name, test := range map[string]struct {
		check   dossier.Check
		part    Part
		verdict string
		codes   []string
	}{
		"ErrMissingValue": {missing, lines(t), NeedsResubmission,
			[]string{"MISSING_VALUE permit.holder"}},
		"ErrInvalidDate": {wrongType, lines(t), NeedsResubmission,
			[]string{"INVALID_DATE permit.class"}},
		"ErrInvalidNumber": {number, lines(t), NeedsResubmission,
			[]string{"INVALID_NUMBER permit.class"}},
		"OK photo": {permit, photo(t), NeedsReview, []string{"NO_TEXT_IN_PART"}},
		"OK scan": {permit, file(t, "scan.pdf", sniff.PDF), NeedsReview,
			[]string{"NO_TEXT_IN_PART"}},
		"OK none": {dossier.Check{Parser: dossier.ParserNone},
			file(t, "photo.png", sniff.PNG), Passed, []string{}},
		"ErrOtherType": {permit, file(t, "photo.png", sniff.JPEG), NeedsResubmission,
			[]string{"UNREADABLE_PART"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := run(t, test.check, test.part)
			if d := cmp.Diff(test.codes, codes(out)); d != "" || out.Verdict != test.verdict {
				t.Errorf("%s %s", out.Verdict, d)
			}
		})
	}
	other := lines(t)
	other.Name = "back"
	if d := cmp.Diff([]string{"MISSING_PART"}, codes(run(t, permit, other))); d != "" {
		t.Errorf("ErrMissingPart: %s", d)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		today, verdict string
	}{{"2031-05-01", Passed}, {"2031-05-02", NeedsResubmission}} {
		out := decide(Request{Check: permit, Today: test.today}, findings{parsed: permitParsed})
		if out.Verdict != test.verdict {
			t.Errorf("on %s: %s %v", test.today, out.Verdict, out.Reasons)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	c := dossier.Check{Parser: dossier.ParserJSON, Required: []string{"permit.number"}}
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for name, test := range map[string]struct {
		content string
		codes   []string
	}{
		"OK":           {`{"permit":{"number":"NL-\u0000204","list":[1,true,null]}}`, []string{}},
		"ErrMissing":   {`{"permit":{"number":" "}}`, []string{"MISSING_VALUE permit.number"}},
		"ErrDuplicate": {`{"permit":1,"permit":2}`, []string{"UNREADABLE_PART"}},
		"ErrDeep":      {deep, []string{"UNREADABLE_PART"}},
		"ErrBroken":    {`{"permit":`, []string{"UNREADABLE_PART"}},
		"ErrBehind":    {`{"permit":1} {}`, []string{"UNREADABLE_PART"}},
		"ErrBig":       {`{"a":"` + strings.Repeat("x", 1<<20) + `"}`, []string{"UNREADABLE_PART"}},
		"ErrMany": {`{"a":[` + strings.Repeat("1,", 10_000) + `1]}`,
			[]string{"UNREADABLE_PART"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := run(t, c, written(t, test.content, sniff.JSON))
			if d := cmp.Diff(test.codes, codes(out)); d != "" {
				t.Error(d)
			}
			want := map[string]any{"permit": map[string]any{"number": "NL-204",
				"list": []any{1.0, true, nil}}}
			if d := cmp.Diff(want, out.Parsed); name == "OK" && d != "" {
				t.Error(d)
			}
		})
	}
}

// serviceResponses are the responses of a parser service, with the verdict on each.
var serviceResponses = map[string]struct {
	status  int
	answer  string
	verdict string // "" is a technical failure
}{
	"OK": {200,
		`{"parsed":{"permit":{"number":"NL-204"}},"confidence":0.5,"reasons":[]}`, Passed},
	"OK reasons": {200,
		`{"parsed":{"permit":{"number":"NL-204"}},"confidence":0,"reasons":[{"code":"BLURRED","message":"Too dark."}]}`, NeedsResubmission},
	"OK sure":       {200, `{"parsed":{"permit":{"number":"NL-204"}}}`, Passed},
	"ErrConfidence": {200, `{"parsed":{},"confidence":2}`, ""},
	"ErrNothing":    {200, `{}`, ""},
	"ErrNonsense":   {200, `<html>`, ""},
	"ErrBig":        {200, strings.Repeat(" ", 2<<20), ""},
	"ErrServer":     {503, `{"parsed":{},"confidence":1}`, ""},
	"ErrClient":     {404, `{"parsed":{},"confidence":1}`, ""},
	"ErrRedirect":   {302, ``, ""},
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	for name, test := range serviceResponses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(
				http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, err := io.ReadAll(r.Body)
					var q parserRequest
					if err = errors.Join(err, json.Unmarshal(body, &q)); err != nil {
						t.Errorf("request: %v", err)
					}
					if r.Header.Get("Signed") != "whsec_x doc_1 "+
						base64.StdEncoding.EncodeToString(body) || len(q.Parts) != 1 ||
						len(q.Parts[0].Content) == 0 {
						t.Error("request is not signed or not whole")
					}
					w.WriteHeader(test.status)
					if _, err := io.WriteString(w, test.answer); err != nil {
						return // the checker has read enough
					}
				}))
			defer server.Close()
			sign := func(secrets []string, id string, _ time.Time,
				body []byte) (http.Header, error) {
				return http.Header{"Signed": {
					secrets[0] + " " + id + " " + base64.StdEncoding.EncodeToString(body),
				}}, nil
			}
			c := newChecker(Config{Transport: http.DefaultTransport, Sign: sign})
			out, err := c.Check(context.Background(), Request{
				Check: dossier.Check{Parser: dossier.ParserHTTP,
					Required: []string{"permit.number"},
					HTTP:     &dossier.HTTPParser{URL: server.URL, Secret: "whsec_x"}},
				Parts: []Part{file(t, "photo.jpg", sniff.JPEG)}, Today: today, DocumentID: "doc_1",
			})
			if (err != nil) != (test.verdict == "") || out.Verdict != test.verdict ||
				name == "OK sure" && out.Confidence != 1 {
				t.Errorf("%+v, %v", out, err)
			}
			var told *dossier.CheckError
			if err != nil && (!errors.As(err, &told) ||
				!strings.HasPrefix(told.Cause, "The parser service ")) {
				t.Errorf("no cause for administrators: %v", err)
			}
		})
	}
}

func TestTechnical(t *testing.T) {
	t.Parallel()
	part := file(t, "reportlab-lines.pdf", sniff.PDF)
	r := func(p Part) Request { return Request{Check: permit, Parts: []Part{p}, Today: today} }
	altered, gone := part, part
	altered.SHA256 = strings.Repeat("0", 64)
	gone.Path += "x"
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, test := range map[string]struct {
		ctx context.Context
		cfg Config
		r   Request
	}{
		"ErrNoChild":   {context.Background(), Config{Executable: "/nowhere"}, r(part)},
		"ErrNotAChild": {context.Background(), Config{Executable: "/bin/true"}, r(part)},
		"ErrAltered":   {context.Background(), Config{}, r(altered)},
		"ErrGone":      {context.Background(), Config{}, r(gone)},
		"ErrCancelled": {cancelled, Config{}, r(part)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := newChecker(test.cfg).Check(test.ctx, test.r); err == nil {
				t.Errorf("no error, but %+v", out)
			}
		})
	}
}
