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

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
