package model

import (
	"flag"
	"path/filepath"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

var (
	full = flag.Bool("full", false, "the full size: 10,000 sessions, and planted bugs")
	only = flag.Int("sessions", 0, "run so many sessions, all in memory")
	seed = flag.Uint64("seed", 1, "of the sessions: the same one makes the same sessions")
)

// engine is one engine, and its share of the sessions of `go test` and of `make chaos`.
type engine struct {
	name        string
	little, all int
	open        func(*testing.T) func() kv.Engine // returns what opens one for each session
}

var engines = []engine{
	{"memory", inMemory, 9600, func(*testing.T) func() kv.Engine {
		return func() kv.Engine { return kvtest.NewMemory() }
	}},
	{"bolt", 5, 300, func(t *testing.T) func() kv.Engine {
		opened, err := bolt.Open(filepath.Join(t.TempDir(), "table"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		return func() kv.Engine { return opened }
	}},
	{"dynamo", 2, 100, func(t *testing.T) func() kv.Engine {
		opened := dynamotest.New(t)
		return func() kv.Engine { return opened }
	}},
}

// TestModel draws sessions, and compares the service with the model after every request.
func TestModel(t *testing.T) {
	endpoints, dir, origin := newEndpoints(t), t.TempDir(), uint64(0)
	for _, e := range engines {
		sessions := e.little
		switch {
		case *only > 0 && e.name != "memory", e.name == "dynamo" && testing.Short():
			t.Logf("without the engine %s", e.name)
			continue
		case *only > 0:
			sessions = *only
		case *full:
			sessions = e.all
		}
		t.Run(e.name, func(t *testing.T) {
			t.Logf("%d sessions of the seed %d", sessions, *seed)
			open := e.open(t)
			set(t, "rapid.checks", strconv.Itoa(sessions))
			set(t, "rapid.seed", strconv.FormatUint(*seed, 10))
			set(t, "rapid.nofailfile", "true")
			set(t, "rapid.steps", "50")
			rapid.Check(t, func(rt *rapid.T) {
				origin++
				s := newSession(rt, open(), endpoints, dir, origin)
				s.create()
				s.create()
				rt.Repeat(s.actions())
				s.T = rt
				s.settle()
				s.observe()
			})
		})
	}
}

// set sets a flag of rapid.
func set(t *testing.T, name, value string) {
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}
