package check

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// pooled checks JSON parts for companies.
type pooled struct {
	*testing.T
	checker *Checker
	dir     string
}

func newPooled(t *testing.T) *pooled {
	c := newChecker(Config{SmallTimeout: time.Minute, Timeout: time.Minute})
	c.children.wait, c.children.resident = time.Hour, 1<<30 // the race detector has more memory
	return &pooled{t, c, t.TempDir()}
}

// read checks a part, and returns the child that waits for the company's next one, nil if none
// does.
func (r *pooled) read(company, content, verdict string) *child {
	r.Helper()
	path := filepath.Join(r.dir, "part")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		r.Fatal(err)
	}
	out, err := r.checker.Check(context.Background(), Request{
		Company: company, Parts: []Part{partAt(r.T, path, sniff.JSON)}, Today: today,
		Check: dossier.Check{Parser: dossier.ParserJSON, Required: []string{"permit.number"}},
	})
	if err != nil || out.Verdict != verdict {
		r.Fatalf("%s: %+v %v", content, out, err)
	}
	r.checker.children.mu.Lock()
	defer r.checker.children.mu.Unlock()
	for _, c := range r.checker.children.idle {
		if c.company == company {
			return c
		}
	}
	return nil
}

const permitJSON = `{"permit":{"number":"NL-204"}}`

// TestChild reads the parts of one company, and of no other.
func TestChild(t *testing.T) {
	t.Parallel()
	r := newPooled(t)
	first := r.read("a", permitJSON, Passed)
	if other := r.read("b", permitJSON, Passed); other == nil || other == first {
		t.Error("two companies share a child")
	}
	if again := r.read("a", permitJSON, Passed); again != first || first.parts != 2 {
		t.Errorf("the second part of a company has a child of its own")
	}
	if left := r.read("", permitJSON, Passed); left != nil {
		t.Error("a child of nobody waits for another part")
	}
	for n := range idleChildren {
		r.read(strconv.Itoa(n), permitJSON, Passed)
	}
	<-first.ended
	if waiting := len(r.checker.children.idle); waiting != idleChildren {
		t.Errorf("%d children wait", waiting)
	}
}

// TestChildEnds ends a child after an unreadable part, after many parts, and when it waits too
// long. The next part has another.
func TestChildEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*pooled, *child){
		"unreadable": func(r *pooled, _ *child) {
			if r.read("a", "{", NeedsResubmission) != nil {
				r.Error("it waits for another part")
			}
		},
		"spent": func(r *pooled, c *child) {
			c.parts = childParts - 1
			r.read("a", permitJSON, Passed)
		},
		"too long": func(r *pooled, c *child) { r.checker.children.drop(c) },
		"killed":   func(_ *pooled, c *child) { c.kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newPooled(t)
			c := r.read("a", permitJSON, Passed)
			end(r, c)
			<-c.ended
			if next := r.read("a", permitJSON, Passed); next == nil || next == c {
				t.Error("the next part has no other child")
			}
		})
	}
}

// TestChildTaken does not end a child that has got a part when its time to wait is over.
func TestChildTaken(t *testing.T) {
	t.Parallel()
	r := newPooled(t)
	c := r.read("a", permitJSON, Passed)
	taken := r.checker.children.take("a")
	r.checker.children.drop(c)
	r.checker.children.put(taken)
	if again := r.read("a", permitJSON, Passed); again != c {
		t.Error("it was ended")
	}
}
