package trace

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const sent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, want string }{
		"Version 00":  {sent, sent},
		"Later":       {"cc" + sent[2:] + "-what-the-future-will-be-like", sent},
		"LaterAlone":  {"cc" + sent[2:], sent},
		"Empty":       {"", ""},
		"Longer":      {sent + "-x", ""},
		"LaterLonger": {"cc" + sent[2:] + ".x", ""},
		"Forbidden":   {"ff" + sent[2:], ""},
		"UpperCase":   {strings.ToUpper(sent), ""},
		"NoID":        {"00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", ""},
		"NoSpan":      {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", ""},
		"Hyphens":     {strings.Replace(sent, "-", "0", 1), ""},
		"Short":       {sent[:54], ""},
	} {
		if got := Parse(c.header); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := FromHeaders(http.Header{Header: {sent, sent}}); got != "" {
		t.Errorf("two headers: %q", got)
	}
	if got := ID(sent); got != "0af7651916cd43dd8448eb211c80319c" || ID("") != "" {
		t.Errorf("the id is %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sent)
	f.Add("cc" + sent[2:] + "-x")
	f.Fuzz(func(t *testing.T, header string) {
		if got := Parse(header); got != "" && (Parse(got) != got || got[2:] != header[2:len(got)]) {
			t.Errorf("Parse(%q) = %q", header, got)
		}
	})
}

func TestFromAmazon(t *testing.T) {
	t.Parallel()
	const root, id = "Root=1-67891233-abcdef012345678912345678", "67891233abcdef012345678912345678"
	for header, want := range map[string]string{
		root: "00-" + id + "-2345678912345678-00",
		"Self=1-0-0; " + root + ";Parent=463ac35c9f6413ad;Sampled=1": "00-" + id +
			"-463ac35c9f6413ad-00",
		"Root=1-67891233-abcdef": "",
		"Root=":                  "",
		"":                       "",
	} {
		if got := FromAmazon(header); got != want {
			t.Errorf("%q: %q", header, got)
		}
	}
}

// spans is a tracer that remembers what began and ended.
type spans struct{ begun, ended []string }

const own = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"

func (s *spans) Start(ctx context.Context, w Work) (context.Context, func(Outcome)) {
	s.begun = append(s.begun, w.Name+" below "+From(ctx))
	return With(ctx, own), func(o Outcome) {
		if o.Failed || o.Err != nil {
			s.ended = append(s.ended, w.Name)
		}
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	s := &spans{}
	for _, parent := range []string{sent, ""} {
		ctx := Noting(t.Context())
		within, end := Resume(ctx, s, parent, Work{Name: Rules})
		end(Outcome{Err: errors.New("x")})
		again, _ := Resume(ctx, s, "00-11111111111111111111111111111111-1111111111111111-01",
			Work{})
		want := parent
		if parent == "" {
			want = own
		}
		if From(within) != own || From(again) != own || Noted(ctx) != want {
			t.Errorf("%q: within %q, noted %q", parent, From(within), Noted(ctx))
		}
	}
	if len(s.begun) != 4 || s.begun[0] != "rules below "+sent || s.begun[2] != "rules below " ||
		len(s.ended) != 2 {
		t.Errorf("begun %q, failed %q", s.begun, s.ended)
	}
	within, end := Resume(t.Context(), nil, sent, Work{})
	end(Outcome{})
	if From(within) != sent || Noted(within) != "" {
		t.Errorf("without a tracer: %q", From(within))
	}
}

// Without a tracer, and where no client sent a trace context, nothing is allocated.
func TestOffCostsNothing(t *testing.T) {
	ctx, header := context.Background(), http.Header{"Content-Type": {"application/json"}}
	err := errors.New("x")
	if n := testing.AllocsPerRun(100, func() {
		within := With(ctx, FromHeaders(header))
		within, end := Start(within, nil, Work{Kind: Server, Route: "/candidates"})
		within, done := Resume(within, nil, "", Work{Name: Rules, CompanyID: "com_1"})
		done(Outcome{Err: err})
		end(Outcome{Status: 200})
		if within != ctx || Noted(within) != "" {
			t.Error("the context changed")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTransport(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get(Header))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	s := &spans{}
	for _, c := range []struct {
		tracer Tracer
		parent string
	}{{nil, ""}, {nil, sent}, {s, sent}} {
		r, err := http.NewRequestWithContext(With(t.Context(), c.parent), http.MethodPost,
			server.URL,
			nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := Transport{http.DefaultTransport, c.tracer, Parser}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if len(r.Header) != 0 {
			t.Errorf("the request was changed: %v", r.Header)
		}
	}
	if strings.Join(got, " ") != " "+sent+" "+own || len(s.ended) != 1 {
		t.Errorf("sent %q; failed: %v", got, s.ended)
	}
}
