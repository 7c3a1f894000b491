package standalone_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the main job as the README has it, line by line, in a shell.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	session := regexp.MustCompile("(?s)<!-- session -->\n```sh\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(session) != 3 {
		t.Fatalf("%d blocks of the session, not 3", len(session))
	}
	var script strings.Builder
	script.WriteString("set -eu\n")
	for _, b := range blocks {
		if strings.Contains(b[1], "call() {") {
			script.WriteString(strings.Replace(b[1], "export K=dsr_...\n", "", 1))
		}
	}
	for _, b := range session {
		script.WriteString(b[1])
	}
	c := start(t, "127.0.0.1:9000")
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "K="+c.key, "D="+c.base)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The second upload comes while the first is checked, unless this machine took longer to send it: then it is the second version.
	if !strings.Contains(string(out), `"code":"NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING"`) && !strings.Contains(string(out), `"version":2`) {
		t.Errorf("the second upload was neither refused nor taken:\n%s", out)
	}
	for _, want := range []string{`"state":"validated"`, `"permitNumber":"NL-204"`,
		`"applied":true`, `"text":"Please upload your tachograph card."`, `"eventName":"candidateDocumentValidated"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the session does not show %s:\n%s", want, out)
		}
	}
}
