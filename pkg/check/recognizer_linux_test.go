package check

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"testing"
	"time"
)

// TestRecognizerSandbox runs other programs in the place of Tesseract: they can read the folders of
// programs, and neither another file nor the network. It holds on kernels with Landlock and
// seccomp.
func TestRecognizerSandbox(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	call := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d && echo connected",
		server.Addr().(*net.TCPAddr).Port)
	for name, test := range map[string]struct {
		program string
		args    []string
		denied  bool
	}{
		"OK its own folder": {"/bin/cat", []string{"/usr/bin/env"}, false},
		"ErrPasswords":      {"/bin/cat", []string{"/etc/passwd"}, true},
		"ErrProcesses":      {"/bin/cat", []string{"/proc/1/status"}, true},
		"ErrEnvironment":    {"/bin/cat", []string{"/proc/self/environ"}, true},
		"ErrWrite":          {"/bin/cp", []string{"/usr/bin/env", t.TempDir() + "/copy"}, true},
		"ErrSocket":         {"/bin/bash", []string{"-c", call}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			free, err := exec.Command(test.program, test.args...).Output()
			if err != nil {
				t.Fatalf("without a sandbox: %v", err)
			}
			c := newChecker(Config{Tesseract: test.program})
			got, err := c.launch(t.Context(), time.Minute, nil, test.args...)
			if test.denied && (err == nil || len(got) > 0) {
				t.Errorf("it was not denied: %q", got)
			}
			if !test.denied && (err != nil || !bytes.Equal(got, free)) {
				t.Errorf("%v, %d bytes of %d", err, len(got), len(free))
			}
		})
	}
}
