package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

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
