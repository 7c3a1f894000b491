//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	program "github.com/dossierhq/dossier/pkg/app/command"
	"github.com/dossierhq/dossier/pkg/app/processtest"
)

// operator runs commands of the program dossier on the stack, as an administrator of a company.
type operator struct {
	*company
	address string // of the API, for the commands
}

// operate returns the operator of a new company. The commands reach the API through a proxy: only
// the emulator knows the API's name.
func operate(t *testing.T) operator {
	t.Helper()
	api, err := url.Parse(stack.api)
	if err != nil {
		t.Fatal(err)
	}
	c := provision(t)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: c.http.Transport,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(api) }})
	t.Cleanup(proxy.Close)
	return operator{c, proxy.URL}
}

// want runs a command that has to exit with a code and to write some texts.
func (o operator) want(code int, texts []string, args ...string) string {
	o.t.Helper()
	var out processtest.Output
	got := program.Run(o.t.Context(), program.Process{Args: args, Out: &out, Err: &out,
		Terminal: true, Environ: []string{"DOSSIER_URL=" + o.address, "DOSSIER_KEY=" + o.key,
			"HR_TOKEN=t0k3n"}})
	for _, text := range texts {
		if !strings.Contains(out.String(), text) {
			o.t.Errorf("dossier %q: %q is missing in\n%s", args, text, out.String())
		}
	}
	if got != code {
		o.t.Fatalf("dossier %q: exit code %d, want %d\n%s", args, got, code, out.String())
	}
	return out.String()
}

// TestApply brings a new company on the stack to the settings of the main job. Another apply
// changes nothing, and what was changed meanwhile is refused.
func TestApply(t *testing.T) {
	t.Parallel()
	o, dir := operate(t), t.TempDir()
	file, secrets := filepath.Join(dir, "settings.yaml"), filepath.Join(dir, "secrets")
	if err := os.WriteFile(file, read(t, "docs/settings.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.want(0, []string{`create the document type "Work permit"`, "7 to change."}, "plan", file)
	o.want(0, []string{`created the registration page "drivers"`}, "apply", "--secrets", secrets,
		file)
	for range 2 {
		o.want(0, []string{"Nothing to change."}, "apply", file)
	}
	o.want(0, []string{"0 to change."}, "plan", "--check", file)
	form := at(t, o.get("/forms"), 0, "id").(string)
	o.ok(http.MethodPatch, "/forms/"+form, `{"fields":[]}`)
	o.want(1, []string{`The form "Permit declaration" was changed since the last apply.`,
		"nothing was changed"}, "apply", file)
	if fields := at(t, o.get("/forms/"+form), "fields").([]any); len(fields) != 0 {
		t.Errorf("the refused apply changed the form: %v", fields)
	}
	o.want(0, []string{`updated the form "Permit declaration"`}, "apply", "--overwrite", file)
	o.want(0, []string{"Nothing to change."}, "apply", file)
}

// TestImport imports candidates with a document each into the stack, twice, and exports them.
func TestImport(t *testing.T) {
	t.Parallel()
	const rows = 150 // the emulator ends a connection after a thousand requests
	o, dir := operate(t), t.TempDir()
	settings := filepath.Join(dir, "settings.yaml")
	if err := os.WriteFile(settings, []byte("documentTypes:\n- name: First aid\n"), 0o600); err !=
		nil {
		t.Fatal(err)
	}
	o.want(0, nil, "apply", settings)
	var text strings.Builder
	text.WriteString("externalId,First name,First aid\n")
	for n := range rows {
		fmt.Fprintf(&text, "A-%d,Ada %d,yes\n", n, n)
	}
	file := filepath.Join(dir, "candidates.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o.want(0, []string{fmt.Sprintf("%d candidates would be created", rows)}, "import", "--dry-run",
		file)
	o.want(0, []string{fmt.Sprintf(
		"%d candidates created, 0 updated, 0 unchanged; %d documents recorded", rows, rows)},
		"import", file)
	o.want(0, []string{fmt.Sprintf("0 candidates created, 0 updated, %d unchanged", rows)},
		"import", file)
	exported := o.want(0, nil, "export", "candidates")
	if n := strings.Count(exported, ",yes\n"); n != rows {
		t.Errorf("exported %d candidates with their documents, want %d:\n%s", n, rows, exported)
	}
}
