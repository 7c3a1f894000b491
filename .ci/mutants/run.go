package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// testCase is one test function, with what its run without a bug took and which bugs it reached.
type testCase struct {
	pkg, name string
	took      time.Duration
	reached   []byte
}

// tests finds the names in what a test binary lists; its own output may stand between them.
var tests = regexp.MustCompile(`(?m)^(Test|Fuzz|Example)\w*$`)

func parse(files *token.FileSet, name, source string) (*ast.File, error) {
	return parser.ParseFile(files, name, source, 0)
}

func (s *score) binary(pkg string) string {
	return filepath.Join(s.work, strings.ReplaceAll(pkg, "/", "_")+".test")
}

// build makes the test binary of every package whose tests count.
func (s *score) build(overlay string) error {
	for _, pkg := range s.tests {
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay,
			"-o", s.binary(pkg), "./"+pkg)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
	}
	return nil
}

// compile builds the package alone with its bugs, and prints their names.
func (s *score) compile(overlay string) error {
	cmd := exec.Command("go", "build", "-overlay", overlay, "./"+s.pkg)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	for _, m := range s.mutants {
		fmt.Printf("%s\n\t%s\n", m.name, m.line)
	}
	return nil
}

// reach runs every test alone and without a bug. A test that fails already finds nothing: it is
// printed, and left out.
func (s *score) reach() error {
	done := map[string]bool{}
	for _, pkg := range s.tests {
		if done[pkg] {
			continue
		}
		done[pkg] = true
		cmd := exec.Command(s.binary(pkg), "-test.list", "^(Test|Fuzz|Example)")
		cmd.Dir = filepath.Join(s.root, pkg)
		list, err := cmd.Output()
		if err != nil {
			return err
		}
		for _, name := range tests.FindAllString(string(list), -1) {
			file := s.workFile("reached", string(make([]byte, 1<<16)))
			start := time.Now()
			if text, err := s.run(pkg, []string{name}, 10*time.Minute,
				"MUTANTS_REACHED="+file); err != nil {
				log.Printf("%s %s fails without a bug, and is left out: %v\n%s", pkg, name, err,
					text)
				continue
			}
			reached, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			s.cases = append(s.cases, &testCase{pkg, name, time.Since(start), reached})
		}
	}
	sort.SliceStable(s.cases, func(i, j int) bool { return s.cases[i].took < s.cases[j].took })
	return nil
}

// run runs these tests of a package, with this variable.
func (s *score) run(pkg string, names []string, limit time.Duration,
	variable string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary(pkg), "-test.run", "^("+strings.Join(names, "|")+")$",
		"-test.short", "-test.failfast", "-test.timeout", limit.String())
	cmd.Dir = filepath.Join(s.root, pkg)
	cmd.Env = append(os.Environ(), variable)
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return text, err
}

// cheap bounds the time of the tests that are tried first.
const cheap = time.Second

// try switches a bug on for the tests that reach it: the cheap ones first, then the others.
func (s *score) try(m *mutant) {
	if s.named[m.name] {
		s.same++
		return
	}
	var first, rest []*testCase
	sum := time.Duration(0)
	for _, c := range s.cases {
		if c.reached[m.id] == 0 {
			continue
		}
		if sum += c.took; sum <= cheap || len(first) == 0 {
			first = append(first, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(first) == 0 {
		s.unreached++
		fmt.Printf("NOT REACHED %s\n\t%s\n", m.name, m.line)
		return
	}
	if s.found(m, first) || s.found(m, rest) {
		return
	}
	s.lived++
	fmt.Printf("LIVED %s\n\t%s\n\t%d tests reach it\n", m.name, m.line, len(first)+len(rest))
}

// fails repeats tests that failed with a bug: one that fails under load alone finds no bug.
func (s *score) fails(m *mutant, pkg string, names []string, took time.Duration) bool {
	_, err := s.run(pkg, names, time.Minute+20*took, "MUTANT="+strconv.Itoa(m.id))
	if err == nil {
		log.Printf("%s: a test failed only once with %s", pkg, m.name)
	}
	return err != nil
}

// found runs tests with a bug, package by package, until one fails. It counts the bug if one does.
func (s *score) found(m *mutant, cases []*testCase) bool {
	names, took, order := map[string][]string{}, time.Duration(0), []string{}
	for _, c := range cases {
		if names[c.pkg] == nil {
			order = append(order, c.pkg)
		}
		names[c.pkg] = append(names[c.pkg], c.name)
		took += c.took
	}
	for _, pkg := range order {
		text, err := s.run(pkg, names[pkg], time.Minute+20*took, "MUTANT="+strconv.Itoa(m.id))
		switch {
		case errors.Is(err, context.DeadlineExceeded),
			strings.Contains(string(text), "panic: test timed out"):
			s.out++
			return true
		case err == nil:
		case s.fails(m, pkg, names[pkg], took):
			s.killed++
			return true
		}
	}
	return false
}
