package httpapi

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	interfaceHeading = "## The interface, and the test of each row"
	interfaceRows    = 58
)

var (
	quoted    = regexp.MustCompile("`([^`]+)`")
	testName  = regexp.MustCompile(`^(Test|Fuzz)[A-Z]\w*$`)
	addressed = regexp.MustCompile(`^(GET|POST|PATCH|DELETE) /`)
)

// Each row of the README's table of the interface names tests that exist, and each endpoint in it is a route.
func TestReadmeNamesTests(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(readme), "\n"+interfaceHeading+"\n")
	if !found {
		t.Fatalf("the README has no %q", interfaceHeading)
	}
	var routes []string
	for _, rt := range (&API{}).routes(Groups()) {
		routes = append(routes, rt.String())
	}
	rows := 0
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "## ") {
			break
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| row |") {
			continue
		}
		rows++
		checkRow(t, line, routes)
	}
	if rows != interfaceRows {
		t.Errorf("the table has %d rows, the interface %d", rows, interfaceRows)
	}
}

// checkRow looks for the tests of one row, each behind the folder of its package.
func checkRow(t *testing.T, row string, routes []string) {
	t.Helper()
	folder, tests := "", 0
	for _, m := range quoted.FindAllStringSubmatch(row, -1) {
		switch name := m[1]; {
		case strings.HasPrefix(name, "pkg/"):
			folder = name
		case testName.MatchString(name):
			tests++
			if !hasTest(t, folder, name) {
				t.Errorf("%s has no %s: %s", folder, name, row)
			}
		case addressed.MatchString(name) && !slices.Contains(routes, name):
			t.Errorf("%s is no route", name)
		}
	}
	if tests == 0 {
		t.Errorf("no test covers: %s", row)
	}
}

// hasTest reports whether a package has a test of that name.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
