package figures

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// The targets of figures 1 and 2.
const (
	rounds    = 25
	maxStart  = 1.5 // times a bare handler
	maxBytes  = 800_000
	maxAllocs = 4_500
	maxBinary = 8_500_000
)

// comparedSource is the folder of the functions for comparison.
const comparedSource = "pkg/app/figures/testdata/"

// measured is a function of figures 1 and 2, and its first event.
type measured struct{ name, source, event string }

// allMeasured are the bare handler; what the SDK alone takes of the start, with the client of the
// table, and with EventBridge's, which eight functions need, beside it; and ours.
func allMeasured() []measured {
	all := []measured{
		{"bare handler", comparedSource + "bare", `{}`},
		{"one GetItem", comparedSource + "getitem", `{}`},
		{"and EventBridge", comparedSource + "eventbridge", `{}`},
	}
	for _, f := range functions {
		all = append(all, measured{f.name, "functions/" + f.name, f.event})
	}
	return all
}

// TestInit holds the part of figure 2 that does not depend on the machine, for the functions with
// most and with fewest clients.
func TestInit(t *testing.T) {
	t.Parallel()
	aws := newNothing(t)
	for _, f := range functions {
		if f.name != "documents" && f.name != "deliver" {
			continue
		}
		_, said := start(t, aws, build(t, t.TempDir(), runtime.GOARCH, "functions/"+f.name),
			f.event, "GODEBUG=inittrace=1")
		if bytes, allocs := initialised(said); bytes == 0 || bytes > maxBytes ||
			allocs > maxAllocs {
			t.Errorf("%s allocates %d bytes in %d pieces before main", f.name, bytes, allocs)
		}
		if asked := aws.asked(); len(asked) == 0 {
			t.Errorf("%s answered without asking the table", f.name)
		}
	}
}

// BenchmarkFigure1And2 prints how long each function takes to its first answer, what it allocates
// before main, and how large it is.
func BenchmarkFigure1And2(b *testing.B) {
	aws, dir, all := newNothing(b), b.TempDir(), allMeasured()
	binaries := make([]string, len(all))
	for n, f := range all {
		binaries[n] = build(b, dir, runtime.GOARCH, f.source)
	}
	took := make([][]time.Duration, len(all))
	for range rounds {
		for n, f := range all {
			one, _ := start(b, aws, binaries[n], f.event)
			aws.asked()
			took[n] = append(took[n], one)
		}
	}
	title(
		fmt.Sprintf(
			"figures 1 and 2: start to first answer, table asked (%d rounds in turn, median and fastest); init; stripped arm64 binary", rounds))
	fmt.Printf("%-18s %9s %9s %8s %9s %7s %8s %7s\n", "", "ms", "fastest", "/ bare", "fastest",
		"init KB", "allocs", "MB")
	fmt.Printf("%-18s %9s %9s %8.2f %9s %7d %8d %7.1f\n", "target", "", "", maxStart, "",
		maxBytes/1000, maxAllocs, maxBinary/1e6)
	for n, f := range all {
		slices.Sort(took[n])
		_, said := start(b, aws, binaries[n], f.event, "GODEBUG=inittrace=1")
		bytes, allocs := initialised(said)
		size, err := os.Stat(build(b, dir, "arm64", f.source))
		if err != nil {
			b.Fatal(err)
		}
		median, best := took[n][rounds/2], took[n][0]
		fmt.Printf("%-18s %9.2f %9.2f %8.2f %9.2f %7d %8d %7.1f\n", f.name, ms(median), ms(best),
			ms(median)/ms(took[0][rounds/2]), ms(best)/ms(took[0][0]), bytes/1000, allocs,
			float64(size.Size())/1e6)
	}
	parser, err := os.Stat(build(b, dir, "arm64", "pkg/check/child/parser"))
	if err != nil {
		b.Fatal(err)
	}
	fmt.Printf(
		"beside check, for each file that it reads: parser %.1f MB. The table is asked over plain HTTP: no handshake is in the times.\n", float64(parser.Size())/1e6)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
