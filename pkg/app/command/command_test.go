package command_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/app/command"
	"github.com/dossierhq/dossier/pkg/app/processtest"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

var full = flag.Bool("full", false, "the full size of every test of this package")

// size returns how much a test does: little under go test, all of it under make chaos.
func size(little, all int) int {
	if *full {
		return all
	}
	return little
}

// run runs a command on a data folder and returns its exit code and what it wrote.
func run(t *testing.T, data string, args ...string) (code int, out, errors string) {
	t.Helper()
	var o, e processtest.Output
	code = command.Run(t.Context(), command.Process{Args: args, Out: &o, Err: &e, Terminal: true,
		Environ: []string{"HOME=/", "DOSSIER_ADDR=127.0.0.1:0", "DOSSIER_DATA=" + data}})
	return code, o.String(), e.String()
}

// succeed is run for what has to succeed.
func succeed(t *testing.T, data string, args ...string) (out string) {
	t.Helper()
	code, out, errors := run(t, data, args...)
	if code != 0 {
		t.Fatalf("dossier %s: exit code %d: %s", strings.Join(args, " "), code, errors)
	}
	return out
}

// server is a process that serves a data folder.
type server struct {
	t         *testing.T
	base, key string
	stop      func()
}

// serve starts a process; refused is its error if it does not start.
func serve(t *testing.T, data string) (s *server, refused string) {
	t.Helper()
	var out, errors processtest.Output
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- command.Run(ctx, command.Process{Args: []string{"serve"}, Out: &out, Err: &errors,
			Terminal: true,
			Environ: []string{"DOSSIER_ADDR=127.0.0.1:0", "DOSSIER_DATA=" + data,
				"DOSSIER_SWEEP=200ms", "DOSSIER_RATE=100000"}})
	}()
	address, key := regexp.MustCompile(`http://127\.0\.0\.1:\d+`),
		regexp.MustCompile(`(?m)^admin key: (dsr_\S+)$`)
	for deadline := time.After(time.Minute); ; {
		select {
		case <-ended:
			cancel()
			return nil, errors.String()
		case <-deadline:
			t.Fatalf("the process did not start: %s%s", out.String(), errors.String())
		case <-time.After(5 * time.Millisecond):
		}
		if text := out.String(); address.MatchString(text) && strings.HasSuffix(text, "\n") {
			s := &server{t: t, base: address.FindString(text), stop: sync.OnceFunc(func() {
				cancel()
				<-ended
			})}
			if m := key.FindStringSubmatch(text); m != nil {
				s.key = m[1]
			}
			t.Cleanup(s.stop)
			return s, ""
		}
	}
}

// send makes a request and returns the status and the decoded body.
func (s *server) send(method, path, body string) (int, map[string]any) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, s.base+path,
		strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Error(err)
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	var object map[string]any
	text, _ := io.ReadAll(response.Body)
	_ = json.Unmarshal(text, &object) // lists stay nil
	return response.StatusCode, object
}

// create posts and returns the id in the response.
func (s *server) create(path, body string) string {
	s.t.Helper()
	status, object := s.send(http.MethodPost, path, body)
	if status != http.StatusOK {
		s.t.Errorf("POST %s: %d %v", path, status, object)
	}
	id, _ := object["id"].(string)
	return id
}

const upload = `{"parts":[{"name":"front","fileName":"a.json","contentType":"application/json","content":"eyJhIjoxfQ=="}]}`

// document uploads a document of a new candidate and returns the path of its part.
func (s *server) document(documentType string) string {
	candidate := s.create("/candidates",
		fmt.Sprintf(`{"firstName":"Ada","documentTypeIds":[%q]}`, documentType))
	id := "cdt_" + strings.TrimPrefix(candidate, "cnd_") + strings.TrimPrefix(documentType, "dty_")
	status, object := s.send(http.MethodPost, "/candidateDocumentTypes/"+id+"/upload", upload)
	document, _ := object["document"].(map[string]any)
	if status != http.StatusOK || document == nil {
		s.t.Errorf("upload: %d %v", status, object)
	}
	return fmt.Sprintf("/candidateDocumentTypes/%s/documents/%s/parts/front", id, document["id"])
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args, env []string
		code      int
		want      []string
	}{
		"Help": {args: []string{"--help"},
			want: []string{"serve", "backup", "restore", "companies", "DOSSIER_DATA"}},
		"Version":      {args: []string{"--version"}, want: []string{"\n"}},
		"ErrNoCommand": {code: 2, want: []string{"expected one of"}},
		"ErrCommand":   {args: []string{"srve"}, code: 2, want: []string{`did you mean "serve"`}},
		"ErrFlag": {args: []string{"serve", "--colour"}, code: 2,
			want: []string{"unknown flag --colour"}},
		"ErrSettings": {
			args: []string{"serve"}, env: []string{"DOSSIER_ADR=:80", "DOSSIER_LEASE=soon",
				"DOSSIER_RATE=0", "DOSSIER_OIDC_ISSUER=x"}, code: 2,
			want: []string{`DOSSIER_ADR is not a setting. Did you mean "DOSSIER_ADDR"?`,
				`DOSSIER_LEASE: "soon"`, `DOSSIER_RATE: "0"`, "DOSSIER_OIDC_AUDIENCE"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, terminal := range []bool{true, false} {
				var out bytes.Buffer
				code := command.Run(t.Context(),
					command.Process{Args: c.args, Environ: c.env, Out: &out, Err: &out,
						Terminal: terminal})
				if code != c.code {
					t.Errorf("exit code %d, want %d", code, c.code)
				}
				text := out.String()
				if !terminal {
					text = strings.ReplaceAll(text, `\"`, `"`)
				}
				for _, want := range c.want {
					if !strings.Contains(text, want) {
						t.Errorf("%q is missing in:\n%s", want, text)
					}
				}
				if lines := strings.Count(out.String(), "\n"); c.env != nil &&
					lines != len(c.want) {
					t.Errorf("%d lines for %d wrong settings:\n%s", lines, len(c.want),
						out.String())
				}
				if !terminal && c.code != 0 && !strings.HasPrefix(out.String(), "{") {
					t.Errorf("no JSON: %s", out.String())
				}
			}
		})
	}
}

// TestOperator makes companies and keys, both through the running process and on the stopped store.
func TestOperator(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if code, _, errors := run(t, data, "companies"); code != 1 ||
		!strings.Contains(errors, "there is no table in "+data) {
		t.Errorf("ErrNoTable: %d %s", code, errors)
	}
	s, refused := serve(t, data)
	if refused != "" {
		t.Fatal(refused)
	}
	operate := func(name string) {
		out := succeed(t, data, "company", "new", name)
		id := regexp.MustCompile(`company: (com_\S+)`).FindStringSubmatch(out)
		list := succeed(t, data, "companies")
		if id == nil || !strings.Contains(list, id[1]+"\t") ||
			!strings.Contains(list, "\t"+name+"\n") {
			t.Fatalf("the company %s is not in\n%s", out, list)
		}
		key := succeed(t, data, "key", "new", "--company", id[1])
		s.key = strings.TrimSpace(strings.TrimPrefix(key, "admin key: "))
		link := succeed(t, data, "signin", "--company", id[1])
		if !regexp.MustCompile(`sign in: http://\S+/console/signin#dsl_`).MatchString(link) {
			t.Errorf("no link: %s", link)
		}
		spread(t, data, id[1])
		for _, args := range [][]string{{"key", "new", "--company", "com_x"},
			{"company", "shards", "com_x", "4"},
			{"signin", "--company", ""}, {"company", "new", "N", "--group", "x"}} {
			if code, _, errors := run(t, data, args...); code != 1 ||
				!strings.Contains(errors, "There is no such company") {
				t.Errorf("Err %q: %d %s", args, code, errors)
			}
		}
	}
	operate("While it runs")
	if status, _ := s.send(http.MethodGet, "/candidates", ""); status != http.StatusOK {
		t.Errorf("the new key is answered %d", status)
	}
	s.stop()
	operate("While it is stopped")
	key := s.key
	if s, refused = serve(t, data); refused != "" {
		t.Fatal(refused)
	}
	if s.key = key; true {
		if status, _ := s.send(http.MethodGet, "/candidates", ""); status != http.StatusOK {
			t.Errorf("the key that was made on the stopped store is answered %d", status)
		}
	}
}

// spread gives the lists of a company more shards, and refuses numbers that are none.
func spread(t *testing.T, data, company string) {
	t.Helper()
	for _, count := range []string{"4", "4", "8"} {
		set := succeed(t, data, "company", "shards", company, count)
		if !strings.HasPrefix(set, "The lists of "+company+" have "+count+" shards, which new ") {
			t.Errorf("%s shards: %s", count, set)
		}
	}
	for _, count := range []string{"7", "0", "-1", "129", "many"} {
		if code, _, errors := run(t, data, "company", "shards", company, count); code == 0 {
			t.Errorf("ErrShards: %s shards: %d %s", count, code, errors)
		}
	}
}
