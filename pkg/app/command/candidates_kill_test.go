package command_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/app/command"
	"github.com/dossierhq/dossier/pkg/app/processtest"
)

// asProgram makes the test binary the program dossier.
const asProgram = "TEST_RUNS_DOSSIER"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	os.Exit(command.Run(context.Background(), command.Process{Args: os.Args[1:], In: os.Stdin,
		Out: os.Stdout, Err: os.Stderr, Terminal: true, Environ: os.Environ()}))
}

// program is a process of the program dossier.
type program struct {
	*exec.Cmd
	out   *processtest.Output
	ended chan struct{}
}

// start starts a command in a process of its own, which the end of the test kills.
func start(t *testing.T, environ []string, args ...string) *program {
	t.Helper()
	p := &program{exec.Command(os.Args[0], args...), &processtest.Output{}, make(chan struct{})}
	p.Env = append(environ, asProgram+"=1")
	p.Stdout, p.Stderr = p.out, p.out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.Wait() // the state tells
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the process as kill -9 does, and waits until it has ended.
func (p *program) kill() {
	_ = p.Process.Kill() // it may have ended
	<-p.ended
}

// serveAlone serves a data folder in a process of its own, with more variables.
func serveAlone(t *testing.T, data, key string, more ...string) (*program, *server) {
	t.Helper()
	p := start(t, append([]string{"DOSSIER_ADDR=127.0.0.1:0", "DOSSIER_DATA=" + data,
		"DOSSIER_RATE=100000", "DOSSIER_TESSERACT=off"}, more...), "serve")
	address := regexp.MustCompile(`(?m)(http://127\.0\.0\.1:\d+)\b[^\n]*\n`)
	secret := regexp.MustCompile(`(?m)^admin key: (dsr_\S+)$`)
	s := &server{t: t, key: key}
	within(t, "the start", func() bool {
		text := p.out.String()
		found := address.FindStringSubmatch(text)
		if m := secret.FindStringSubmatch(text); m != nil {
			s.key = m[1]
		}
		if found == nil || s.key == "" {
			return false
		}
		s.base = found[1]
		response, err := http.Get(s.base + "/healthz")
		if err == nil {
			_ = response.Body.Close() // only its coming counts
		}
		return err == nil
	})
	return p, s
}

// within waits for what has to happen within minutes, however slow the machine is.
func within(t *testing.T, what string, happens func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !happens(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

// TestImportKilled imports candidates with two certificates each, and three times kills the import
// or the service with it on the way. Started again, the import leaves nothing out and nothing
// twice. In full size it measures too.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	n := size(120, 10_000)
	var file bytes.Buffer
	file.WriteString("externalId,First name,First aid,Work permit: permit.number," +
		"Work permit: permit.expires\n")
	for i := range n {
		fmt.Fprintf(&file, "A-%d,Ada %d,yes,NL-%d,2099-05-01\n", i, i, i)
	}
	data := t.TempDir()
	served, s := serveAlone(t, data, "")
	o := operator{s, t.TempDir() + "/settings.yaml"}
	o.write(imported)
	o.want(0, nil, "apply", o.file)
	path := o.beside("candidates.csv", file.String())
	for kill := range 3 {
		importing := start(t, o.environ(), "import", path)
		within(t, "the import of some", func() bool {
			return o.there(fmt.Sprintf("A-%d", n*(kill+1)/4)) || importing.over()
		})
		if kill != 1 {
			served.kill()
		}
		importing.kill()
		if kill != 1 {
			served, s = serveAlone(t, data, s.key)
			o.server = s
		}
	}
	began := time.Now()
	out := o.want(0, []string{fmt.Sprintf("of %d\n", n)}, "import", path)
	t.Logf("the last of four runs took %v: %s", time.Since(began),
		out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
	o.imported(n)
	o.want(0, []string{fmt.Sprintf("0 candidates created, 0 updated, %d unchanged", n)}, "import",
		path)
	if *full {
		_, s = serveAlone(t, t.TempDir(), "")
		o.server = s
		_ = os.Remove(o.file + ".state") // of the other installation
		o.want(0, nil, "apply", o.file)
		began = time.Now()
		o.want(0, []string{fmt.Sprintf("%d candidates created", n)}, "import", path)
		t.Logf("%d candidates with two certificates each: %v, the dry run before it included", n,
			time.Since(began))
	}
}

// over reports whether the process has ended by itself.
func (p *program) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (o operator) environ() []string {
	return []string{"DOSSIER_URL=" + o.base, "DOSSIER_KEY=" + o.key}
}

// there reports whether there is a candidate with an external id.
func (o operator) there(external string) bool {
	var list []struct{ ID string }
	o.list("/candidates?filter[externalId]="+external, &list)
	return len(list) > 0
}

// imported fails unless there are n candidates, each with its two documents in their first version
// and one event.
func (o operator) imported(n int) {
	o.t.Helper()
	c, err := client.New(o.base, o.key)
	if err != nil {
		o.t.Fatal(err)
	}
	page := client.PageSize(100)
	found := map[string]bool{}
	for candidate, err := range c.ListCandidates(o.t.Context(),
		&client.ListCandidatesParams{PageSize: &page}) {
		if err != nil {
			o.t.Fatal(err)
		}
		if candidate.Status != "approved" || found[*candidate.ExternalId] {
			o.t.Errorf("%s is %s, or twice", *candidate.ExternalId, candidate.Status)
		}
		found[*candidate.ExternalId] = true
		events := 0
		for _, err := range c.ListCandidateEvents(o.t.Context(), candidate.Id, nil) {
			if events++; err != nil {
				o.t.Fatal(err)
			}
		}
		if events != 1 {
			o.t.Errorf("%s has %d events", *candidate.ExternalId, events)
		}
	}
	documents := 0
	for d, err := range c.ListCandidateDocumentTypes(o.t.Context(),
		&client.ListCandidateDocumentTypesParams{PageSize: &page}) {
		if err != nil {
			o.t.Fatal(err)
		}
		if documents++; d.State != "validated" || d.Document.MustGet().Version != 1 {
			o.t.Errorf("%s is %s", d.Id, d.State)
		}
	}
	if len(found) != n || documents != 2*n {
		o.t.Errorf("%d candidates with %d documents, want %d with two each", len(found),
			documents, n)
	}
}
