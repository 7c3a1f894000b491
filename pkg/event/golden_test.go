package event_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/event"
)

var update = flag.Bool("update", false,
	"write the goldens of new events; a changed one needs a new version")

const folder = "../../events"

// TestGolden pins the shape of every event: a change that an integration would notice fails here.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, kind := range event.Catalogue {
		name := kind.Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, ok := event.Sample(name)
			if !ok {
				t.Fatal("the event has no sample")
			}
			if e.Type != name || e.Version != kind.Version || kind.Version < 1 {
				t.Fatalf("the sample is %s, version %d", e.Type, e.Version)
			}
			got, err := json.Marshal(e, jsontext.WithIndent("  "))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, fmt.Sprintf("%s.v%d.json", name, kind.Version))
			if *update {
				if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("the shape changed without a new version (-golden +now):\n%s", diff)
			}
		})
	}
}

// TestGoldenOrphans fails for a golden of no event, and unless there is one golden for each version
// up to the one that is emitted now.
func TestGoldenOrphans(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(folder, "*.v*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("goldens: %v, %v", files, err)
	}
	want := map[string]bool{}
	for _, kind := range event.Catalogue {
		for v := range kind.Version {
			want[fmt.Sprintf("%s.v%d.json", kind.Name, v+1)] = true
		}
	}
	for _, f := range files {
		if !want[filepath.Base(f)] {
			t.Errorf("%s belongs to no event", f)
		}
		delete(want, filepath.Base(f))
	}
	for name := range want {
		t.Errorf("the golden %s is missing", name)
	}
}
