package dynamotest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// FolderVariable names the environment variable with the folder that holds DynamoDB Local's `lib`.
// Without it, the folder is .tools/dynamodb-local at the root of the repository.
const FolderVariable = "DYNAMODB_LOCAL"

// startWait bounds the start of the server, on a machine that is busy with other tests.
const startWait = 60 * time.Second

// server returns the address of this binary's server. It starts it on the first call.
var server = sync.OnceValues(func() (string, error) {
	folder, err := folder()
	if err != nil {
		return "", err
	}
	for range 3 { // between the choice of a port and its use somebody else may take it
		var endpoint string
		if endpoint, err = start(folder); err == nil {
			return endpoint, nil
		}
	}
	return "", err
})

func folder() (string, error) {
	dir := os.Getenv(FolderVariable)
	if dir == "" {
		root, err := repositoryRoot()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, ".tools", "dynamodb-local")
	}
	if jars, err := filepath.Glob(filepath.Join(dir, "lib", "DynamoDBLocal-*.jar")); err != nil ||
		len(jars) == 0 {
		return "",
			fmt.Errorf("DynamoDB Local is not in %s: run `make tools`, or set %s to its folder",
				dir, FolderVariable)
	}
	return dir, nil
}

// repositoryRoot is the nearest folder above with a go.mod.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod in this folder or above")
		}
		dir = parent
	}
}

// script runs its arguments and ends them when its standard input ends. The other end of that pipe
// is this process's alone, so the server never outlives it, not even when it is killed.
const script = `exec 3<&0; "$@" 3<&- & child=$!; (cat <&3 >/dev/null; kill -9 $child 2>/dev/null) & exec 3<&-; wait $child`

// start runs a server and returns when it answers.
func start(folder string) (string, error) {
	port, err := freePort()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("sh", "-c", script, "sh",
		"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m",
		"-Djava.library.path=lib", "-cp", "lib/*",
		"com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-inMemory",
		"-disableTelemetry", "-port", strconv.Itoa(port))
	cmd.Dir = folder
	var said output
	cmd.Stdout, cmd.Stderr = &said, &said
	alive, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	// it also holds the pipe, which nothing may close before this process ends
	go func() { ended <- cmd.Wait() }()
	endpoint := "http://127.0.0.1:" + strconv.Itoa(port)
	if err := answers(endpoint, ended); err != nil {
		return "", errors.Join(fmt.Errorf("DynamoDB Local: %w\n%s", err, said.String()),
			alive.Close())
	}
	return endpoint, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// answers waits until the server answers anything at all.
func answers(endpoint string, ended <-chan error) error {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	late := time.After(startWait)
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("ended before it answered (%v)", err)
		case <-late:
			return fmt.Errorf("did not answer within %s", startWait)
		case <-poll.C:
			if response, err := http.Get(endpoint); err == nil {
				return response.Body.Close()
			}
		}
	}
}

// output keeps the first 64 KB of the server's output.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf.Write(p[:min(len(p), max(0, 64<<10-o.buf.Len()))])
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
