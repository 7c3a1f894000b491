// Command mutants prints the mutation score of packages: how many small bugs their tests, and those
// of the packages that use them, find.
//
// The bugs are those of gremlins (github.com/go-gremlins/gremlins): another comparison, logical
// operator, sign, step or loop control. Gremlins itself runs the tests of one package only, or
// those of the whole module, and builds them anew for each bug, which takes days here. This
// command builds all bugs of a package into the test binaries at once, each behind its number; a
// first run notes which tests reach which bug, and then each bug is switched on for the tests that
// reach it, cheap ones first, until one fails. A bug that no test can find because it changes
// nothing is named in named.txt, with why.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

const module = "github.com/dossierhq/dossier"

func main() {
	log.SetFlags(0)
	tests := flag.String("tests", "pkg/httpapi pkg/app/contract pkg/app/model pkg/app/golden "+
		"pkg/worker pkg/worker/chaos", "packages whose tests count beside the package's own")
	again := flag.String("again", "", "only the bugs that this file, the output of a run, lists")
	list := flag.Bool("list", false, "build and list the bugs, and run no test")
	every := flag.Int("every", 1, "a sample: one of so many bugs")
	flag.Parse()
	only, err := listed(*again)
	if err != nil {
		log.Fatal(err)
	}
	failed := false
	for _, name := range flag.Args() {
		s := score{pkg: "pkg/" + name, only: only, every: *every, list: *list}
		s.tests = append([]string{s.pkg}, strings.Fields(*tests)...)
		if err := s.measure(); err != nil {
			log.Printf("pkg/%s: %v", name, err)
			failed = true
			if errors.Is(err, context.Canceled) {
				break
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// score is a measurement of one package.
type score struct {
	pkg         string
	tests       []string
	only        map[string]bool
	every       int
	list        bool
	root, work  string
	mutants     []*mutant
	notViable   int
	constants   int
	cases       []*testCase
	named       map[string]bool
	killed, out int
	lived, same int
	unreached   int
}

func (s *score) measure() (err error) {
	if s.root, err = os.Getwd(); err != nil {
		return err
	}
	if s.work, err = os.MkdirTemp("", "mutants"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.work) }()
	if s.named, err = readNamed(filepath.Join(s.root, ".ci/mutants/named.txt")); err != nil {
		return err
	}
	overlay, err := s.plant()
	if err != nil {
		return fmt.Errorf("plant the bugs: %w", err)
	}
	if err := s.stale(); err != nil {
		return err
	}
	log.Printf("%s: %d bugs planted", s.pkg, len(s.mutants))
	if s.list {
		return s.compile(overlay)
	}
	if err := s.build(overlay); err != nil {
		return fmt.Errorf("build the tests: %w", err)
	}
	if err := s.reach(); err != nil {
		return fmt.Errorf("note what the tests reach: %w", err)
	}
	log.Printf("%s: %d tests of %d packages", s.pkg, len(s.cases), len(s.tests))
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for i, m := range s.mutants {
		if interrupted.Err() != nil {
			break
		}
		if i%s.every == 0 && (s.only == nil || s.only[m.name]) {
			s.try(m)
		}
	}
	s.print()
	return interrupted.Err()
}

func (s *score) print() {
	behave := s.killed + s.out + s.lived + s.unreached
	percent := 100.0
	if behave > 0 {
		percent = 100 * float64(s.killed+s.out) / float64(behave)
	}
	if tried := behave + s.same; tried < len(s.mutants) {
		fmt.Printf("%s: only %d of %d bugs were tried\n", s.pkg, tried, len(s.mutants))
	}
	fmt.Printf("%s: %.1f %% of %d bugs found (%d by a test that failed, %d by one that hung; "+
		"%d lived, %d not reached); left out: %d named in named.txt, %d that do not compile, "+
		"%d in constants\n",
		s.pkg, percent, behave, s.killed, s.out, s.lived, s.unreached, s.same, s.notViable,
		s.constants)
}
