package chaos

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

// roleVariable makes this test binary the standalone process on a disk that is full until it is
// told SIGUSR1.
const roleVariable = "DOSSIER_CHAOS_TEST_DISK"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "" {
		os.Exit(m.Run())
	}
	if err := onFullDisk(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// diskSize bounds the size of files on the disk that is full.
const diskSize = 1 << 20

func onFullDisk() error {
	signal.Ignore(syscall.SIGXFSZ) // the write itself fails then, as on a full disk
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE,
		&syscall.Rlimit{Cur: diskSize, Max: limit.Max}); err != nil {
		return err
	}
	room := make(chan os.Signal, 1)
	signal.Notify(room, syscall.SIGUSR1)
	go func() {
		<-room
		// what was allowed before is allowed again
		_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	}()
	cfg, err := app.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return standalone.Run(ctx, cfg, os.Stdout, app.Log(slog.LevelInfo))
}

// built is the standalone process, built once.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dossier-chaos-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "standalone")
	out, err := exec.Command("go", "build", "-o", path,
		"../../../functions/standalone").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// server is a standalone process under test.
type server struct {
	cmd *exec.Cmd
	url string
	key string // of the first start
}

// serve starts a process on a folder and returns when it answers.
func serve(t *testing.T, path, data string, env ...string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(path, "serve")}
	s.cmd.Env = append(append(os.Environ(), "DOSSIER_ADDR=127.0.0.1:0", "DOSSIER_DATA="+data,
		"DOSSIER_LEASE=1s", "DOSSIER_SWEEP=200ms", "DOSSIER_RATE=100000"), env...)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		text, last := lines.Text(), false
		if address, ok := strings.CutPrefix(text, "Dossier answers at "); ok {
			var first bool
			// more follows at the first start, and the key after it
			s.url, _, first = strings.Cut(address, ". ")
			last = !first
		}
		if key, ok := strings.CutPrefix(text, "admin key: "); ok {
			s.key, last = key, true
		}
		if last {
			if !s.answers() {
				t.Fatalf("%s is told to be at %q, and does not answer there", path, s.url)
			}
			go func() { _, _ = io.Copy(io.Discard, out) }() // so that it never waits for a reader
			return s
		}
	}
	t.Fatalf("%s did not start: %v", path, s.cmd.Wait())
	return nil
}

func (s *server) answers() bool {
	got, err := http.Get(s.url + "/healthz")
	if err != nil {
		return false
	}
	return got.Body.Close() == nil && got.StatusCode == http.StatusOK
}

// kill ends the process without a word.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	_ = s.cmd.Wait()
}

// send makes one request; status 0 is no answer.
func (s *server) send(key string, r request) (answer, []byte) {
	h, err := http.NewRequest(r.method, s.url+r.path, strings.NewReader(r.body))
	if err != nil {
		panic(err)
	}
	h.Header.Set("Authorization", "Bearer "+key)
	if r.body != "" {
		h.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		h.Header.Set("Idempotency-Key", r.key)
	}
	client := http.Client{Timeout: 30 * time.Second}
	got, err := client.Do(h)
	if err != nil {
		return answer{}, nil
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return answer{}, nil
	}
	a := answer{status: got.StatusCode, header: got.Header}
	_ = json.Unmarshal(body, &a.body) // a list stays nil
	return a, body
}
