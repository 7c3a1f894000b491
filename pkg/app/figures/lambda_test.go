package figures

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What each function is started with: an event that makes it ask the table.
const (
	key      = "dsr_01JAAAAAAAAAAAAAAAAAAAAAAA01JKKKKKKKKKKKKKKKKKKKKKKK_s3cr3ts3cr3ts3cr3ts3cr3t"
	httpCall = `{"version":"2.0","routeKey":"$default","rawPath":%q,"rawQueryString":"","headers":{"authorization":"Bearer ` + key + `"},` +
		`"requestContext":{"stage":"$default","http":{"method":"GET","path":%[1]q,"protocol":"HTTP/1.1","sourceIp":"192.0.2.1"}},"isBase64Encoded":false}`
	entry = `{"kind":%q,"pk":"01JAAAAAAAAAAAAAAAAAAAAAAA#CAND#01JCCCCCCCCCCCCCCCCCCCCCCC","sk":%q,"due":"2026-01-02T03:04:05.000Z"}`
)

func notificationOf(kind, sk string) string {
	return fmt.Sprintf(`{"version":"0","source":"dossier","detail-type":"ring","detail":`+entry+`}`,
		kind, sk)
}

func path(p string) string { return fmt.Sprintf(httpCall, p) }

// functions are all of template.yaml, each with its first event.
var functions = []struct{ name, event string }{
	{"candidates", path("/candidates")},
	{"messages", path("/candidates/cnd_01JCCCCCCCCCCCCCCCCCCCCCCC/messages")},
	{"documents", path("/candidateDocumentTypes")},
	{"documenttypes", path("/documentTypes")},
	{"scenarios", path("/scenarios")},
	{"registrationpages", path("/registration-pages")},
	{"integrations", path("/integrations")},
	{"settings", path("/forms")},
	{"web", path("/console/candidates")},
	{"check", notificationOf("check", "CHK#01JTTTTTTTTTTTTTTTTTTTTTTT")},
	{"rules", notificationOf("rules", "C#JOB#0000000001")},
	{"dispatch", notificationOf("dispatch", "EVT#0000000001")},
	{"deliver", `{"Records":[{"messageId":"1","body":` +
		strconv.Quote(fmt.Sprintf(entry, "deliver", "DLV#01JTTTTTTTTTTTTTTTTTTTTTTT#0000000001")) +
		`}]}`},
	{"sweep", `{}`},
	{"provision", `{"name":"Company"}`},
}

// build makes the binary of a command for an architecture: ours as the Makefile does for SAM, what
// they are compared with as anybody would.
func build(tb testing.TB, dir, arch, pkg string) string {
	tb.Helper()
	out, tags := filepath.Join(dir, filepath.Base(pkg)+"-"+arch), "lambda.norpc,nethttpomithttp2"
	if strings.HasPrefix(pkg, comparedSource) {
		tags = "lambda.norpc"
	}
	cmd := exec.CommandContext(tb.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-tags",
		tags, "-ldflags", "-s -w", "-o", out, "./"+pkg)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", pkg, err, text)
	}
	return inOrder(tb, out)
}

// inOrder replaces a binary by a copy that is written from its beginning to its end, as a deployed
// one is. The linker writes all over its file, and how the system then holds it in memory differs
// from build to build: that alone makes a start up to a quarter slower.
func inOrder(tb testing.TB, binary string) string {
	tb.Helper()
	content, err := os.ReadFile(binary)
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.Remove(binary); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(binary, content, 0o755); err != nil {
		tb.Fatal(err)
	}
	return binary
}

// nothing is an AWS on which nothing is stored. calls are the operations that were asked for; a
// request that only opens a connection is none.
type nothing struct {
	*httptest.Server
	calls chan string
}

func newNothing(tb testing.TB) *nothing {
	n := &nothing{calls: make(chan string, 1000)}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if operation := r.Header.Get("X-Amz-Target"); operation != "" {
			n.calls <- operation
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = io.WriteString(w, `{}`)
	}))
	tb.Cleanup(n.Close)
	return n
}

// runtimeAPI hands one event out; who asks for another waits until it is ended. The answer comes
// with the path that it was sent to.
func runtimeAPI(event string) (server *httptest.Server, answered chan string) {
	events := make(chan string, 1)
	events <- event
	answered = make(chan string, 1)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			text, _ := io.ReadAll(r.Body)
			w.WriteHeader(http.StatusAccepted)
			answered <- r.URL.Path + " " + string(text)
			return
		}
		select {
		case event := <-events:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms",
				strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10))
			w.Header().Set("Content-Length", strconv.Itoa(len(event)))
			_, _ = io.WriteString(w, event)
		case <-r.Context().Done():
		}
	})), answered
}

// start runs a function in an environment with nothing else in it, until its first answer.
func start(tb testing.TB, aws *nothing, binary, event string,
	environment ...string) (took time.Duration, said string) {
	tb.Helper()
	ctx, stop := context.WithTimeout(tb.Context(), time.Minute)
	defer stop()
	server, answered := runtimeAPI(event)
	defer server.Close()
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + server.Listener.Addr().String(),
		"AWS_ENDPOINT_URL=" + aws.URL,
		"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b",
		"AWS_LAMBDA_FUNCTION_NAME=f",
		"DOSSIER_TABLE=t", "DOSSIER_BUS=b", "DOSSIER_BUCKET=b",
		"DOSSIER_QUEUE_URL=" + aws.URL + "/q"}, environment...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	var answer string
	select {
	case answer = <-answered:
		took = time.Since(began)
	case <-ctx.Done():
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !strings.Contains(answer, "/response ") {
		tb.Fatalf("%s answered %q\n%s", binary, answer, stderr.String())
	}
	return took, stderr.String()
}

// asked empties the list of operations that the function called.
func (n *nothing) asked() (operations []string) {
	for {
		select {
		case o := <-n.calls:
			operations = append(operations, o)
		default:
			return operations
		}
	}
}

var initLine = regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, (\d+) allocs`)

// initialised sums what the packages of a binary allocate before main.
func initialised(said string) (bytes, allocs int) {
	lines := bufio.NewScanner(strings.NewReader(said))
	for lines.Scan() {
		if m := initLine.FindStringSubmatch(lines.Text()); m != nil {
			b, _ := strconv.Atoi(m[2])
			a, _ := strconv.Atoi(m[3])
			bytes, allocs = bytes+b, allocs+a
		}
	}
	return bytes, allocs
}
