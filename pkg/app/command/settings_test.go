package command_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app/command"
	"github.com/dossierhq/dossier/pkg/app/processtest"
)

// operator runs commands on the settings of the company of one server.
type operator struct {
	*server
	file string
}

// operate serves a new installation, and returns an operator with a settings file.
func operate(t *testing.T, text string) operator {
	t.Helper()
	s, refused := serve(t, t.TempDir())
	if refused != "" {
		t.Fatal(refused)
	}
	o := operator{s, filepath.Join(t.TempDir(), "settings.yaml")}
	o.write(text)
	return o
}

func (o operator) write(text string) {
	o.t.Helper()
	if err := os.WriteFile(o.file, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// run runs a command and returns its exit code and all that it wrote.
func (o operator) run(args ...string) (int, string) {
	var out processtest.Output
	code := command.Run(o.t.Context(), command.Process{Args: args, Out: &out, Err: &out,
		Terminal: true, Environ: []string{"DOSSIER_URL=" + o.base, "DOSSIER_KEY=" + o.key,
			"HR_TOKEN=t0k3n"}})
	return code, out.String()
}

// want runs a command that has to exit with a code and to write some texts.
func (o operator) want(code int, texts []string, args ...string) string {
	o.t.Helper()
	got, out := o.run(args...)
	for _, text := range texts {
		if !strings.Contains(out, text) {
			o.t.Errorf("dossier %q: %q is missing in\n%s", args, text, out)
		}
	}
	if got != code {
		o.t.Fatalf("dossier %q: exit code %d, want %d\n%s", args, got, code, out)
	}
	return out
}

func settings(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/settings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestApply brings an empty installation to the settings of the main job, and does the main job
// with them: the rule asks for the second document. Another apply changes nothing.
func TestApply(t *testing.T) {
	t.Parallel()
	o := operate(t, settings(t))
	o.want(0, []string{`create the document type "Work permit"`, "7 to change."}, "plan", o.file)
	o.want(1, []string{"not as the file says"}, "plan", "--check", o.file)
	o.want(2, []string{"--secrets", "integrations/HR system"}, "apply", o.file)
	secrets := filepath.Join(t.TempDir(), "secrets")
	o.want(0, []string{`created the registration page "drivers"`}, "apply", "--secrets", secrets,
		o.file)
	for path, want := range map[string]bool{secrets: true, o.file: false,
		o.file + ".state": false} {
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "whsec_") != want {
			t.Errorf("%s: %v\n%s", path, err, text)
		}
	}
	for range 2 {
		o.want(0, []string{"Nothing to change."}, "apply", o.file)
	}
	o.want(0, []string{"0 to change."}, "plan", "--check", o.file)
	o.mainJob()
}

// mainJob registers a candidate, uploads the permit, and waits for what the rule asks for.
func (o operator) mainJob() {
	o.t.Helper()
	var pages []struct{ ID, Slug string }
	o.list("/registration-pages", &pages)
	if len(pages) != 1 || pages[0].Slug != "drivers" {
		o.t.Fatalf("pages %v", pages)
	}
	candidate := o.create("/registration-pages/"+pages[0].ID+"/register",
		`{"firstName":"Ada","lastName":"Lovelace"}`)
	var documents []struct {
		ID    string
		State string
	}
	o.list("/candidateDocumentTypes?filter[candidateId]="+candidate, &documents)
	pdf, err := os.ReadFile("../../check/testdata/chromium-plain.pdf")
	if err != nil || len(documents) != 1 {
		o.t.Fatalf("%v %v", documents, err)
	}
	status, answer := o.send(http.MethodPost,
		"/candidateDocumentTypes/"+documents[0].ID+"/upload",
		fmt.Sprintf(
			`{"parts":[{"name":"front","fileName":"p.pdf","contentType":"application/pdf","content":%q}]}`,
			base64.StdEncoding.EncodeToString(pdf)))
	if status != http.StatusOK {
		o.t.Fatalf("%d %v", status, answer)
	}
	for deadline := time.Now().Add(time.Minute); len(documents) < 2; {
		if time.Now().After(deadline) {
			o.t.Fatalf("the second document is not asked for: %v", documents)
		}
		time.Sleep(20 * time.Millisecond)
		o.list("/candidateDocumentTypes?filter[candidateId]="+candidate, &documents)
	}
}

// list reads a list of one page.
func (o operator) list(path string, into any) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, o.base+path, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+o.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		o.t.Fatal(err)
	}
}

// TestDrift changes settings behind the back of the file. An apply refuses to change them, and
// leaves alone what it never made.
func TestDrift(t *testing.T) {
	t.Parallel()
	const one = "forms:\n- name: A\n"
	o := operate(t, one)
	o.want(0, nil, "apply", o.file)
	var all []struct{ ID, Name string }
	o.list("/forms", &all)
	change := func(body string) {
		if status, answer := o.send(http.MethodPatch, "/forms/"+all[0].ID, body); status != 200 {
			t.Fatalf("%d %v", status, answer)
		}
	}
	const field = `{"fields":[{"reference":"x","label":"X","type":"text"}]}`
	change(field)
	drifted := []string{o.file + `:2: /forms/0: The form "A" was changed since the last apply.`}
	o.want(1,
		append(drifted, `/fields: [{"label":"X","reference":"x","type":"text"}] becomes nothing`),
		"plan", o.file)
	o.want(1, append(drifted, "nothing was changed"), "apply", o.file)
	o.want(0, []string{`updated the form "A"`}, "apply", "--overwrite", o.file)
	change(field) // and the file takes it over
	o.write(one + "  fields: [{reference: x, label: X, type: text}]\n")
	o.want(0, []string{"Nothing to change."}, "apply", o.file)

	o.create("/forms", `{"name":"B"}`)
	o.write("forms:\n- name: B\n  fields: [{reference: y, label: Y, type: text}]\n")
	o.want(1, []string{`There is another form "B", which no apply of this file made.`}, "apply",
		o.file)
	change(`{"fields":[]}`)
	o.write("")
	o.want(1, []string{`The form "A" was changed since the last apply, and is not in the file.`},
		"apply", o.file)
	change(field)
	o.want(0, []string{`deleted the form "A"`}, "apply", o.file)
	o.list("/forms", &all)
	if len(all) != 1 || all[0].Name != "B" {
		t.Errorf("forms %v, want B, which no apply made", all)
	}
	o.write(one)
	o.want(0, nil, "apply", o.file)
	o.list("/forms", &all)
	for _, f := range all {
		o.send(http.MethodDelete, "/forms/"+f.ID, "")
	}
	o.want(1, []string{`The form "A" was deleted since the last apply.`}, "apply", o.file)
}
