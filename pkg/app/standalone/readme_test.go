package standalone_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var sessionBlock = regexp.MustCompile("(?s)<!-- session -->\n```sh\n(.*?)```")

// TestSessionsOfTheDocumentation pastes the sessions of the README and of the guide into a shell,
// twice each, as a reader would.
func TestSessionsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	for path, wants := range map[string][]string{
		"README.md": {`"matched":true`, `"read":"CE"`, `"name":"Tachograph card"`},
		"docs/main-job.md": {`"state":"validated"`, `:"NL-204"`, `"applied":true`,
			`"text":"Please upload your tachograph card."`,
			`"eventName":"candidateDocumentValidated"`},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			script := sessionOf(t, path)
			c := start(t, "127.0.0.1:9000")
			for range 2 {
				out := paste(t, script, "K="+c.key, "D="+c.base)
				for _, want := range wants {
					if !strings.Contains(out, want) {
						t.Errorf("the session does not show %s:\n%s", want, out)
					}
				}
				// Nothing may fail but the upload that meets a running check.
				failed := strings.ReplaceAll(out, "FAILED: POST /containers/", "")
				if strings.Contains(failed, "FAILED") {
					t.Errorf("a call failed:\n%s", out)
				}
			}
		})
	}
}

// TestSessionFailsLoudly gives the README's session a key that does not exist.
func TestSessionFailsLoudly(t *testing.T) {
	t.Parallel()
	c := start(t)
	script, _, _ := strings.Cut(sessionOf(t, "README.md"), "PAGE=")
	out := paste(t, script, "K=dsr_unknown", "D="+c.base)
	if !strings.Contains(out, "FAILED: POST /documentTypes") ||
		!strings.Contains(out, "UNAUTHORIZED") {
		t.Errorf("the session does not say what failed:\n%s", out)
	}
}

func sessionOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile("../../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range sessionBlock.FindAllStringSubmatch(string(text), -1) {
		script.WriteString(block[1])
	}
	if script.Len() == 0 {
		t.Fatalf("%s has no session", path)
	}
	return script.String()
}

// paste runs the lines in a shell that goes on after a failure, as an interactive one does.
func paste(t *testing.T, script string, env ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out the sessions of the pages: they need curl, sed and grep")
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
