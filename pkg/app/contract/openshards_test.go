package contract

import (
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// TestOpenShards holds that a sweep finds the open tasks of every shard: of those there were before
// their number grew, and of those since, on each engine.
func TestOpenShards(t *testing.T) {
	t.Parallel()
	for name, engine := range engines {
		if name == "dynamo" && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := engine(t)
			later := func() time.Time { return time.Now().Add(time.Hour) }
			made := 0
			for _, shards := range []int{0, 40, 80} {
				s := store.New(table, store.Config{OpenShards: shards})
				company, err := s.CreateCompany(t.Context(), "", "Company")
				if err != nil {
					t.Fatal(err)
				}
				for range 30 {
					if _, err := s.CreateCandidate(t.Context(), company.ID,
						store.NewCandidate{}); err != nil {
						t.Fatal(err)
					}
				}
				made += 30
				sweeper := store.New(table, store.Config{OpenShards: shards, Now: later})
				found := map[string]bool{}
				var cursors store.SweepCursors
				for range 4 { // with a cursor, and from the start again
					due, _, err := sweeper.Due(t.Context(), 5, &cursors)
					if err != nil {
						t.Fatal(err)
					}
					for _, task := range due {
						found[task.PK+task.SK] = true
					}
				}
				if len(found) != made {
					t.Errorf("%d shards: %d tasks are found, not %d", shards, len(found), made)
				}
			}
		})
	}
}
