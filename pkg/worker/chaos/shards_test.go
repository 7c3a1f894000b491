package chaos

import (
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// stores notes an item and checks its shard.
func (u *truth) stores(i kv.Item) {
	u.items[i.Key] = i
	u.shard(i)
}

// shard checks that the lists of an item are read: each lies in a shard of those that its company
// has, and all in the same one. The number never shrinks.
func (u *truth) shard(i kv.Item) {
	company, kind, _ := strings.Cut(i.PK, "#")
	if kind == "SHD" {
		set := decoded[store.ListShards](i)
		if set.Count <= u.shards[company] {
			u.wrong("shards", "%d become %d", u.shards[company], set.Count)
		}
		u.shards[company] = set.Count
		return
	}
	found := map[int]bool{}
	for _, partition := range []string{i.List, i.Lookup, i.Group} {
		_, rest, _ := strings.Cut(partition, "#")
		switch list, _, _ := strings.Cut(rest, "#"); list {
		case "CAND", "CDT", "LOG", "PCL", "RUN", "UNREAD":
			_, text, _ := strings.Cut(rest, "#S0")
			shard, _ := strconv.Atoi(text) // 0 without
			found[shard] = true
			if shard >= max(1, u.shards[company]) {
				u.wrong("shards", "%s is listed in %s, of %d", i.SK, partition, u.shards[company])
			}
		}
	}
	if len(found) > 1 {
		u.wrong("shards", "%s is listed in the shards %v", i.SK, found)
	}
}

// growLists raises the number of shards of the company's lists until it has happened.
func (w *simulation) growLists(count int) {
	for range 5 {
		err := errFault
		w.start("grow lists", 0, func(*task) {
			_, err = w.machines[0].store.SetListShards(background, w.clients.company, count)
		})
		w.drain()
		if err == nil {
			w.now = w.now.Add(3 * time.Minute) // every process reads them now
			return
		}
	}
	w.truth.wrong("shards", "they never become %d", count)
}
