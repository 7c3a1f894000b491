package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// site is a place in a file of the package at which gremlins would plant bugs of these kinds.
type site struct {
	file         string
	line, column int
}

// list asks gremlins for its mutants of the package.
func (s *score) list() (map[site][]string, error) {
	out := filepath.Join(s.work, "gremlins.json")
	cmd := exec.Command(".tools/gremlins", "unleash", "./"+s.pkg, "--dry-run", "--workers", "1",
		"--invert-logical", "--invert-loopctrl", "-o", out)
	cmd.Env = append(os.Environ(), "GOFLAGS=-run=^$ -vet=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var report struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, err
	}
	sites := map[site][]string{}
	for _, f := range report.Files {
		if strings.Contains(f.Name, "/") {
			continue // of a package below this one
		}
		for _, m := range f.Mutations {
			at := site{f.Name, m.Line, m.Column}
			sites[at] = append(sites[at], m.Type)
		}
	}
	return sites, nil
}

// readNamed reads the names of the bugs that change nothing. A name stands on a line of its own,
// the reason on the indented lines after it.
func readNamed(file string) (map[string]bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	named, last := map[string]bool{}, ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t"):
			named[last] = true
		case last != "" && !named[last]:
			return nil, fmt.Errorf("%s: no reason after %q", file, last)
		default:
			last = line
		}
	}
	return named, lines.Err()
}

// listed reads the names that an earlier run printed, or nil without a file.
func listed(file string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		for _, status := range []string{"LIVED ", "NOT REACHED "} {
			if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), status); ok {
				names[name] = true
			}
		}
	}
	return names, nil
}

// stale returns an error that lists the names that are no bugs of this package any more.
func (s *score) stale() error {
	known := map[string]bool{}
	for _, m := range s.mutants {
		known[m.name] = true
	}
	var gone []string
	for name := range s.named {
		if strings.HasPrefix("pkg/"+name, s.pkg+"/") && !known[name] {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		sort.Strings(gone)
		return fmt.Errorf("named.txt has names of no bug:\n%s", strings.Join(gone, "\n"))
	}
	return nil
}
