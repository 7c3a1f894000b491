package figures

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
)

var anyULID = regexp.MustCompile(`[0-7][0-9A-HJKMNP-TV-Z]{25}`)

// The published limits, with their sources in docs/scaling.md.
const (
	partitionWrites = 1_000  // units a second of one partition
	partitionReads  = 3_000  // units a second of one partition
	tableUnits      = 40_000 // units a second of a table or an index on demand, by default
	openShards      = 16     // of the open tasks of all companies, as in pkg/store
)

// scenario is a load: so many documents a second, of which one company has a share.
type scenario struct {
	rate, seconds int
	share         float64 // of the largest company; the others are too small to be hot
	shards        int     // of the largest company's lists
	open          int     // shards of open tasks
}

// outcome is the result of a simulation.
type outcome struct {
	done    int     // documents of the largest company
	waiting int     // documents of the largest company at the end
	other   int     // documents of others at the end that wait
	hottest string  // the key nearest to its limit
	heat    float64 // its demand in the last second, as a multiple of the limit
}

// simulate lets documents come in, at random places but the same ones for a seed, and works on them
// second by second. Each needs its units of every key at once, because DynamoDB refuses a write for
// which an index has no capacity. Burst capacity is left out: it ends.
func simulate(c documentCost, s scenario, seed uint64) outcome {
	random := rand.New(rand.NewPCG(seed, 0))
	var o outcome
	waiting := map[place]int{}
	of := int(float64(s.rate) * s.share)
	for range s.seconds {
		for n := range s.rate {
			at := place{elsewhere, random.IntN(s.open)}
			if n < of {
				at.list = random.IntN(s.shards)
			}
			waiting[at]++
		}
		o.hottest, o.heat = c.hottest(waiting)
		o.done += c.work(random, waiting)
	}
	for at, n := range waiting {
		if at.list == elsewhere {
			o.other += n
		} else {
			o.waiting += n
		}
	}
	return o
}

// place holds the shards of a candidate: that of the company's lists, and that of open tasks.
type place struct{ list, open int }

// elsewhere is the shard of the lists of all companies that are too small to be hot.
const elsewhere = -1

// work does what there is capacity for in one second, in any order, and returns how many documents
// of the largest company are done.
func (c documentCost) work(random *rand.Rand, waiting map[place]int) (done int) {
	order := slices.SortedFunc(maps.Keys(waiting), func(a, b place) int {
		return cmp.Or(a.list-b.list, a.open-b.open)
	})
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	lists, open, whole := map[int]int{}, map[int]int{}, 0
	for _, at := range order {
		n := min(waiting[at], c.capacity(openTasks)-open[at.open])
		if at.list != elsewhere {
			n = min(n, c.capacity(spreadList)-lists[at.list], c.capacity(otherKey)-whole)
			lists[at.list] += n
			whole += n
			done += n
		}
		open[at.open] += n
		waiting[at] -= n
	}
	return done
}

// The kinds of keys, by what spreads them.
const (
	otherKey   = "other" // nothing
	spreadList = "list"  // the shards of the company's lists
	openTasks  = "open"  // the shards of open tasks
)

func (k hotKey) kind() string {
	switch {
	case k.shared:
		return openTasks
	case spreadLists.MatchString(k.name):
		return spreadList
	}
	return otherKey
}

// spreadLists are the keys that lie in shards.
var spreadLists = regexp.MustCompile(`^(list|look|group) \*#(CAND|CDT|LOG|PCL|RUN|UNREAD)\b`)

// units returns what the hottest key of a kind takes for one document, as a share of its limit.
func (c documentCost) units(kind string) (name string, most float64) {
	for _, k := range c.keys {
		of := max(k.write/partitionWrites, k.read/partitionReads)
		if k.kind() == kind && of > most {
			name, most = k.name, of
		}
	}
	return name, most
}

// capacity returns the documents a second for which one key of a kind has units.
func (c documentCost) capacity(kind string) int {
	if _, most := c.units(kind); most > 0 {
		return int(1 / most)
	}
	return math.MaxInt
}

// hottest returns the key whose demand by all waiting documents is the largest multiple of its
// limit.
func (c documentCost) hottest(waiting map[place]int) (name string, most float64) {
	lists, open, whole := map[int]int{}, map[int]int{}, 0
	for at, n := range waiting {
		open[at.open] += n
		if at.list != elsewhere {
			lists[at.list] += n
			whole += n
		}
	}
	for _, kind := range []struct {
		name string
		most int
	}{{otherKey, whole}, {spreadList, largest(lists)}, {openTasks, largest(open)}} {
		if key, each := c.units(kind.name); each*float64(kind.most) > most {
			name, most = key, each*float64(kind.most)
		}
	}
	return name, most
}

func largest(counts map[int]int) (most int) {
	for _, n := range counts {
		most = max(most, n)
	}
	return most
}

// enough returns the smallest power of two of shards with which at most a tenth of a second's
// documents of the largest company wait at the end, and 0 if 128 are too few.
func enough(c documentCost, s scenario) int {
	for s.shards = 1; s.shards <= 128; s.shards *= 2 {
		if o := simulate(c, s, 1); o.waiting <= int(float64(s.rate)*s.share)/10 {
			return s.shards
		}
	}
	return 0
}

// TestScaling holds that shards raise what one company can do, and that the simulation is the same
// for a seed.
func TestScaling(t *testing.T) {
	t.Parallel()
	c := costOfDocument(t)
	one := scenario{rate: 400, seconds: 10, share: 1, shards: 1, open: openShards}
	before := simulate(c, one, 1)
	if again := simulate(c, one, 1); again != before {
		t.Errorf("the same seed: %v, then %v", before, again)
	}
	if before.heat <= 1 || before.waiting == 0 || !spreadLists.MatchString(before.hottest) {
		t.Errorf("400 documents a second of a company with one shard: %+v", before)
	}
	one.shards = 16
	if after := simulate(c, one, 1); after.waiting != 0 || after.done != 4_000 {
		t.Errorf("with 16 shards: %+v", after)
	}
}

// BenchmarkScaling prints what one document costs, and what the limits make of many.
func BenchmarkScaling(b *testing.B) {
	c := costOfDocument(b)
	title("one document, from the upload to the webhook: units of keys that DynamoDB cannot split")
	for _, k := range c.keys {
		fmt.Printf("%-28s %5.1f WCU %5.1f RCU\n", k.name, k.write, k.read)
	}
	title("of the table and its indexes, and what the default quota of 40,000 units allows")
	for _, index := range slices.Sorted(maps.Keys(c.indexes)) {
		l := c.indexes[index]
		fmt.Printf("%-28s %5.1f WCU %5.1f RCU %8.0f documents a second\n",
			cmp.Or(index, "table"), l.write, l.read, tableUnits/max(l.write, l.read, 0.5))
	}
	fmt.Printf("invocations %v, requests to EventBridge %d, to SQS %d\n", c.invoked, c.sent.buses,
		c.sent.queues)
	title("simulated, 20 seconds, seed 1")
	fmt.Printf("%9s %7s %7s %5s %9s %9s %9s  %s\n", "documents", "largest", "list", "open",
		"its done", "it waits", "others", "hottest key")
	fmt.Printf("%9s %7s %7s %5s %9s %9s %9s\n", "/s", "company", "shards", "", "/s", "", "wait")
	for _, rate := range []int{1_000, 10_000} {
		for _, share := range []float64{0.1, 1} {
			for _, open := range []int{openShards, 255} {
				s := scenario{rate: rate, seconds: 20, share: share, shards: 1, open: open}
				row(c, s)
				if s.shards = enough(c, s); s.shards > 1 {
					row(c, s)
				} else if s.shards == 0 {
					s.shards = 128
					row(c, s)
				}
			}
		}
	}
}

// row prints the outcome of a scenario.
func row(c documentCost, s scenario) {
	o := simulate(c, s, 1)
	fmt.Printf("%9d %6.0f%% %7d %5d %9d %9d %9d  %s at %.2f of its limit\n", s.rate, 100*s.share,
		s.shards, s.open, o.done/s.seconds, o.waiting, o.other, o.hottest, o.heat)
}
