package app_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const module = "github.com/dossierhq/dossier/"

// pkg is a package as `go list` prints it.
type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
	Doc        string
}

func packages(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list",
		"-json=ImportPath,Imports,Deps,Standard,Doc", "-deps", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]pkg{}
	for d := jsontext.NewDecoder(bytes.NewReader(out)); d.PeekKind() == '{'; {
		var p pkg
		if err := json.UnmarshalDecode(d, &p); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, module)] = p
	}
	return all
}

// in reports whether a path is one of the packages or below one.
func in(path string, list ...string) bool {
	for _, p := range list {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// TestImports checks which packages may import which.
func TestImports(t *testing.T) {
	t.Parallel()
	all := packages(t)
	aws := []string{"github.com/aws", "github.com/awslabs"}
	technology := []string{"pkg/check", "pkg/webhook", "pkg/blob", "pkg/notify", "pkg/kv/bolt",
		"pkg/kv/dynamo", "pkg/lambdahttp"}
	for path, p := range all {
		if !in(path, "client", "pkg", "functions") {
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s has no doc sentence", path)
		}
		for _, dep := range p.Deps {
			own := strings.TrimPrefix(dep, module)
			switch {
			case path == "pkg/kv" && !all[own].Standard:
				t.Errorf("%s imports more than the standard library: %s", path, own)
			case in(path, "pkg/kv") && in(own, "pkg") && !in(own, "pkg/kv"):
				t.Errorf("%s links %s: an engine knows nothing of the business", path, own)
			case path == "pkg/dossier" && !all[own].Standard &&
				own != "github.com/agnivade/levenshtein":
				t.Errorf("%s imports more than the standard library and an edit distance: %s", path,
					own)
			case path == "pkg/rules" && !all[own].Standard &&
				!in(own, "golang.org/x/text", "github.com/agnivade/levenshtein", "pkg/dossier"):
				t.Errorf("%s is not pure: it imports %s", path, own)
			case in(path, "pkg/httpapi", "pkg/check", "pkg/webhook", "pkg/worker", "pkg/rules",
				"pkg/event") && in(own, aws...):
				t.Errorf("%s knows of AWS: %s", path, own)
			// printed reads dates as people type them, and is pure.
			case path == "pkg/web" && in(own, "pkg") &&
				!in(own, "pkg/web", "pkg/dossier", "pkg/event", "pkg/check/printed"):
				t.Errorf("%s is more than a client of the API: it imports %s", path, own)
			case path == "client" && in(own, "pkg", "functions"):
				t.Errorf("%s is for other programs: it imports %s", path, own)
			case path == "pkg/store" && in(own, aws...):
				t.Errorf("%s knows of AWS: %s", path, own)
			}
		}
		for _, dep := range p.Imports {
			own := strings.TrimPrefix(dep, module)
			for _, a := range technology {
				for _, b := range technology {
					if a != b && in(path, a) && in(own, b) {
						t.Errorf("%s imports %s: technology packages don't know each other", path,
							own)
					}
				}
			}
			if in(own, "pkg/app") && !in(path, "pkg/app", "functions") {
				t.Errorf("%s imports %s: only the composition root knows which parts are used",
					path, own)
			}
		}
	}
}

// TestSpans checks that only the program dossier links what sends spans.
func TestSpans(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for path, p := range all {
		for _, dep := range p.Deps {
			own := strings.TrimPrefix(dep, module)
			if in(path, "pkg", "functions", "client") &&
				in(own, "go.opentelemetry.io", "google.golang.org/grpc", "pkg/app/tracing") &&
				!in(path, "pkg/app/tracing", "pkg/app/command", "functions/standalone") {
				t.Errorf("%s links %s", path, own)
			}
			if path == "pkg/trace" && !all[own].Standard {
				t.Errorf("%s imports more than the standard library: %s", path, own)
			}
		}
	}
}

// TestLinks holds that a function links what it uses and no more.
func TestLinks(t *testing.T) {
	t.Parallel()
	all := packages(t)
	const parsers, s3, sqs, events, store = "pkg/check/parse",
		"github.com/aws/aws-sdk-go-v2/service/s3",
		"github.com/aws/aws-sdk-go-v2/service/sqs",
		"github.com/aws/aws-sdk-go-v2/service/eventbridge", "go.etcd.io/bbolt"
	foreign := []string{parsers, "github.com/pdfcpu/pdfcpu", "github.com/ledongthuc/pdf", s3, sqs,
		events, store, "pkg/webhook", "client",
		"github.com/aws/aws-sdk-go-v2/config", "pkg/httpapi", "pkg/httpapi/docs",
		"pkg/web"}
	links := map[string][]string{
		"candidates": {events, "pkg/httpapi"}, "messages": {events, "pkg/httpapi"},
		"registrationpages": {events, "pkg/httpapi"},
		"documents":         {events, s3, "pkg/httpapi"},
		"documenttypes":     {"pkg/webhook", "pkg/httpapi"},
		"scenarios":         {"pkg/httpapi"},
		"integrations":      {sqs, "pkg/webhook", "pkg/httpapi"},
		"settings":          {"pkg/webhook", "pkg/httpapi"},
		"web":               {events, s3, sqs, "pkg/webhook", "pkg/httpapi", "pkg/web"},
		"check":             {events, s3, "pkg/webhook"},
		"rules":             {events}, "dispatch": {events, sqs}, "deliver": {"pkg/webhook"},
		"sweep": {events, sqs, s3}, "provision": {},
	}
	for name, allowed := range links {
		p, ok := all["functions/"+name]
		if !ok {
			t.Errorf("there is no function %s", name)
		}
		for _, dep := range p.Deps {
			own := strings.TrimPrefix(dep, module)
			for _, f := range foreign {
				if own == f && !in(own, allowed...) {
					t.Errorf("function %s links %s", name, own)
				}
			}
		}
	}
	for path := range all {
		if name, ok := strings.CutPrefix(path, "functions/"); ok && name != "standalone" &&
			links[name] == nil {
			t.Errorf("function %s has no row here", name)
		}
	}
}
