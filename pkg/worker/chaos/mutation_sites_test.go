package chaos

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

// site is one condition in the source of pkg/store: which function makes the write, what it writes,
// and what it asks.
type site struct{ function, write, asks string }

func (s site) String() string {
	return fmt.Sprintf("%-24s %-34s %s", s.function, s.write, s.asks)
}

// conditionMutation counts the decisions of each condition, and leaves one condition out.
type conditionMutation struct {
	seed    uint64
	without func(site) bool
	alone   bool // nobody comes in between but who does in the seed
	seen    map[site]*conditionCount
}

// conditionCount counts the decisions of a condition.
type conditionCount struct {
	tried, failed, alone int      // alone: the commit failed by this condition and by no other
	asked, decided       []uint64 // seeds in which it was tried, and in which it decided alone
}

func newConditionMutation(seed uint64, without func(site) bool) *conditionMutation {
	return &conditionMutation{seed: seed, without: without, seen: map[site]*conditionCount{}}
}

// commit tries each condition by itself.
func (t *conditionMutation) commit(ctx context.Context, m *kvtest.Memory, writes []kv.Write) error {
	function := writer()
	var failing []site
	err := m.CommitIf(ctx, func(_ int, w kv.Write, stored kv.Item) bool {
		allowed := true
		for asks, part := range parts(w.If) {
			s := site{function, writeName(w), asks}
			b := t.seen[s]
			if b == nil {
				b = &conditionCount{}
				t.seen[s] = b
			}
			b.tried++
			b.asked = append(b.asked, t.seed)
			if part.Holds(stored) || t.without != nil && t.without(s) {
				continue
			}
			b.failed++
			failing = append(failing, s)
			allowed = false
		}
		return allowed
	}, writes)
	slices.SortFunc(failing, func(a, b site) int { return strings.Compare(a.String(), b.String()) })
	if failing = slices.Compact(failing); len(failing) == 1 {
		b := t.seen[failing[0]]
		b.alone++
		b.decided = append(b.decided, t.seed)
	}
	return err
}

// parts takes a condition apart, by what it asks.
func parts(c kv.Condition) map[string]kv.Condition {
	all := map[string]kv.Condition{}
	if c.Absent {
		all["absent"] = kv.Condition{Absent: true}
	}
	if c.Rev != 0 {
		all["revision as read"] = kv.Condition{Rev: c.Rev}
	}
	for name, value := range c.Is {
		all[name+" is"] = kv.Condition{Is: map[string]string{name: value}}
	}
	for name, value := range c.Not {
		all[name+" is not "+value] = kv.Condition{Not: map[string]string{name: value}}
	}
	return all
}

// writeName says what a write does to what.
func writeName(w kv.Write) string {
	does := "change"
	switch {
	case w.Delete != nil:
		does = "delete"
	case w.Check != nil:
		does = "check"
	case w.Put.Rev == 1 || w.If.Absent:
		does = "make"
	}
	return does + " " + itemName(w.Key())
}

// itemName says what is stored under a key.
func itemName(k kv.Key) string {
	if _, rest, ok := strings.Cut(k.PK, "#CAND#"); ok && !strings.HasSuffix(rest, "#MSG") {
		kind, more, _ := strings.Cut(k.SK, "#")
		if kind == "A" || kind == "B" || kind == "C" {
			kind, _, _ = strings.Cut(more, "#")
		}
		return map[string]string{"CAND": "candidate", "CDT": "candidate document type",
			"JOB": "job", "CHK": "check", "DOC": "document",
			"RUN": "rule run", "EVT": "event", "DLV": "delivery", "SCN": "reaction",
			"LOG": "log entry", "UPL": "announced upload",
			"FND":    "search entry",
			"TOKENS": "issued tokens", "CHAIN": "chain"}[kind]
	}
	parts := strings.Split(k.PK, "#")
	return map[string]string{"CAND": "message", "EXT": "external id", "FND": "backfill",
		"DT":  "document type",
		"DTV": "version of rules",
		"STV": "version of settings",
		"SET": "settings revision", "INT": "integration",
		"SCN": "scenario", "FRM": "form", "PRE": "preset", "RPG": "page", "CFD": "custom field",
		"KEY": "key", "TOK": "token", "SES": "session", "LNK": "sign-in link",
		"SIP": "sign-in provider", "SIA": "attempt to sign in",
		"CO": "company", "REQ": "bucket of requests", "GRP": "group",
		"SHD":  "number of shards",
		"IDEM": "kept answer"}[parts[1]]
}

// writer is the function of pkg/store that makes the commit, without the ones that all commits go
// through. The place in the source tells, because a closure that was inlined has the name of
// another function.
func writer() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if filepath.Base(filepath.Dir(frame.File)) == "store" {
			if name := source().at(frame.File, frame.Line); name != "commit" &&
				name != "Commit" && name != "retryOnConflict" {
				return name
			}
		}
		if !more {
			return "?"
		}
	}
}

// functions are the functions of pkg/store, by file.
type functions map[string][]function

type function struct {
	name     string
	from, to int // lines
	commits  bool
}

// source reads the functions of pkg/store.
var source = sync.OnceValue(func() functions {
	all, files := functions{}, token.NewFileSet()
	paths, err := filepath.Glob("../../store/*.go")
	if err != nil || len(paths) == 0 {
		panic("no source")
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			panic(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				all[filepath.Base(path)] = append(all[filepath.Base(path)],
					function{f.Name.Name, files.Position(f.Pos()).Line,
						files.Position(f.End()).Line, commits(f)})
			}
		}
	}
	return all
})

// commits reports whether a function calls a commit itself.
func commits(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		found = found || ok && (call.Sel.Name == "commit" || call.Sel.Name == "Commit")
		return true
	})
	return found && f.Name.Name != "commit" && f.Name.Name != "Commit"
}

func (f functions) at(path string, line int) string {
	for _, function := range f[filepath.Base(path)] {
		if function.from <= line && line <= function.to {
			return function.name
		}
	}
	return "?"
}
