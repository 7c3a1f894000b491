package app

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSettings holds that Config reads each variable of names and no other, and that each is
// explained where operators look or set by the stack.
func TestSettings(t *testing.T) {
	t.Parallel()
	var read []string
	if _, err := FromEnv(func(name string) string {
		read = append(read, name)
		return ""
	}); err != nil {
		t.Fatal(err)
	}
	docs := file(t, "../../docs/operating.md")
	stack := file(t, "../../template.yaml")
	for _, name := range names {
		if !slices.Contains(read, name) {
			t.Errorf("FromEnv does not read %s", name)
		}
		if !strings.Contains(docs, "`"+name+"`") && !strings.Contains(stack, " "+name+": ") {
			t.Errorf("%s is neither in docs/operating.md nor in template.yaml", name)
		}
	}
	for _, name := range read {
		if !slices.Contains(names, name) {
			t.Errorf("FromEnv reads %s, which names lacks", name)
		}
	}
}

// wrongSettings has a wrong value of each variable that is parsed or needs another.
var wrongSettings = map[string]string{
	"DOSSIER_ADDR":          "8080",
	"DOSSIER_LEASE":         "-1s",
	"DOSSIER_SWEEP":         "5",
	"DOSSIER_ALLOW_TARGETS": "example.com",
	"DOSSIER_RATE":          "0",
	"DOSSIER_SEAL_KEY":      "short",
	"DOSSIER_OIDC_ISSUER":   "https://issuer.example.com",
	"DOSSIER_OIDC_AUDIENCE": "dossier",
	"DOSSIER_METRICS_ADDR":  "9464",
	"DOSSIER_LOG":           "loud",
	"DOSSIER_PROXIES":       "-1",
	"DOSSIER_OPEN_SHARDS":   "15",
}

// TestWrongSettings holds that the error of a wrong value names its variable.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	for name, value := range wrongSettings {
		_, err := FromEnv(func(asked string) string {
			if asked == name {
				return value
			}
			return ""
		})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// TestOpenShardsBounds holds which numbers of shards are taken, and what stands for none.
func TestOpenShardsBounds(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"": 16, "16": 16, "17": 17, "255": 255, "0": 0,
		"-16": 0, "256": 0, "16.5": 0, "many": 0, " 16": 0} {
		cfg, err := FromEnv(func(name string) string {
			if name == "DOSSIER_OPEN_SHARDS" {
				return value
			}
			return ""
		})
		switch {
		case want != 0 && (err != nil || cfg.OpenShards != want):
			t.Errorf("%q: %d %v", value, cfg.OpenShards, err)
		case want == 0 && (err == nil || !strings.Contains(err.Error(), "DOSSIER_OPEN_SHARDS") ||
			!strings.Contains(err.Error(), "from 16 to 255")):
			t.Errorf("%q is taken as %d: %v", value, cfg.OpenShards, err)
		}
	}
}

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
