package bolt_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
)

// BenchmarkCommit is the price of two durable items of 1 KB: by one goroutine, and by many, who
// share the syncs of the disk.
func BenchmarkCommit(b *testing.B) {
	for _, workers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("%dAtOnce", workers), func(b *testing.B) {
			e := filled(b, 0)
			var next atomic.Int64
			b.SetParallelism((workers + 1) / 2) // of two cores
			if workers == 1 {
				b.SetParallelism(1)
			}
			b.ResetTimer()
			commit := func() {
				n := next.Add(1)
				if err := e.Commit(b.Context(), create(kilobyte(fmt.Sprintf("%09d-l", n))),
					create(kilobyte(fmt.Sprintf("%09d-r", n)))); err != nil {
					b.Error(err)
				}
			}
			if workers == 1 {
				for b.Loop() {
					commit()
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					commit()
				}
			})
		})
	}
}

// BenchmarkQuery reads a page of 50 items of 1 KB out of 10,000.
func BenchmarkQuery(b *testing.B) {
	e := filled(b, 10_000)
	for name, q := range map[string]kv.Query{
		"Main":  {Partition: "company", From: "000005000", Limit: 50},
		"Index": {Index: kv.IndexList, Partition: "company#list", From: "000005000", Limit: 50},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if page, err := e.Query(b.Context(), q); err != nil || len(page.Items) != 50 {
					b.Fatal(len(page.Items), err)
				}
			}
		})
	}
}

func kilobyte(sk string) kv.Item {
	i := item(sk)
	i.Fields = map[string]string{"state": "processing", "token": "12"}
	i.Doc = []byte(`"` + strings.Repeat("x", 900) + `"`)
	return i
}

func filled(b *testing.B, n int) *bolt.Engine {
	b.Helper()
	e, err := bolt.Open(filepath.Join(b.TempDir(), "table"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	})
	for done := 0; done < n; done += 100 {
		var writes []kv.Write
		for k := range 100 {
			writes = append(writes, create(kilobyte(fmt.Sprintf("%09d", done+k))))
		}
		if err := e.Commit(b.Context(), writes...); err != nil {
			b.Fatal(err)
		}
	}
	return e
}
