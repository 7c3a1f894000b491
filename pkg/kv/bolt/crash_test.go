package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
)

// roleVariable makes this test binary play a process of its own: one that is killed, or one whose
// disk is full.
const roleVariable = "DOSSIER_BOLT_TEST_ROLE"

// background is the context of the processes that the binary plays.
var background = context.Background()

func TestMain(m *testing.M) {
	role, path, _ := strings.Cut(os.Getenv(roleVariable), ":")
	var err error
	switch role {
	case "":
		os.Exit(m.Run())
	case "write":
		err = writeUntilKilled(path)
	case "full":
		err = fillDisk(path)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func child(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role+":"+path)
	return cmd
}

// writeUntilKilled commits pairs of items from eight goroutines and prints each pair that was
// answered.
func writeUntilKilled(path string) error {
	e, err := bolt.Open(path)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for g := range 8 {
		all.Go(func() {
			for n := range 100_000 {
				name := fmt.Sprintf("%d-%d-%d", os.Getpid(), g, n)
				left, right := item(name+"-l"), item(name+"-r")
				if err := e.Commit(background, create(left), create(right)); err != nil {
					failed <- err
					return
				}
				fmt.Println(name)
			}
		})
	}
	all.Wait()
	close(failed)
	return fmt.Errorf("not killed: %w", <-failed)
}

// TestKill kills a writing process again and again: each commit that was answered is there, and
// none is there by half.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table")
	answered := map[string]bool{}
	for round := range 5 {
		cmd := child(t, "write", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, before := bufio.NewScanner(out), len(answered)
		for lines.Scan() {
			answered[lines.Text()] = true
			if len(answered)-before == 50+37*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || len(answered) < before+50 {
			t.Fatalf("round %d: %v after %d answers", round, err, len(answered)-before)
		}
		sound(t, path)
		allThere(t, path, answered)
	}
	t.Logf("%d commits answered, all there", len(answered))
}

func allThere(t *testing.T, path string, answered map[string]bool) {
	t.Helper()
	e := open(t, path)
	defer closed(t, e)
	for _, q := range []kv.Query{{Partition: "company"},
		{Index: kv.IndexList, Partition: "company#list"}} {
		page, err := e.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		halves := map[string]int{}
		for _, i := range page.Items {
			halves[i.SK[:len(i.SK)-2]]++
		}
		for name, n := range halves {
			if n != 2 {
				t.Errorf("%s is there by half", name)
			}
		}
		for name := range answered {
			if halves[name] == 0 {
				t.Errorf("%s was answered and is lost", name)
			}
		}
	}
}

// fillDisk lets the file grow to 1 MB at most, commits until that is reached, then lets it grow on.
func fillDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ) // the write itself fails then, as on a full disk
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	set := func(bytes uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: limit.Max})
	}
	if err := set(1 << 20); err != nil {
		return err
	}
	e, err := bolt.Open(path)
	if err != nil {
		return err
	}
	big := func(n int) kv.Item {
		i := item(strconv.Itoa(n))
		i.Doc = []byte(`"` + strings.Repeat("x", 50_000) + `"`)
		return i
	}
	stored := 0
	for ; err == nil; stored++ {
		err = e.Commit(background, create(big(stored)))
	}
	stored--
	if !errors.Is(err, kv.ErrUnavailable) ||
		!strings.Contains(err.Error(), syscall.EFBIG.Error()) || stored < 5 {
		return fmt.Errorf("on the full disk, after %d commits: %w", stored, err)
	}
	if page, err := e.Query(background, kv.Query{Partition: "company"}); err != nil ||
		len(page.Items) != stored {
		return fmt.Errorf("reading on the full disk: %d items of %d, %w", len(page.Items), stored,
			err)
	}
	if err := e.Close(); err != nil {
		return err
	}
	if e, err = bolt.Open(path); err != nil {
		return fmt.Errorf("opening on the full disk: %w", err)
	}
	// Opening finds free pages again, so some more may fit before the disk is full again.
	for err = nil; err == nil; stored++ {
		err = e.Commit(background, create(big(stored)))
	}
	stored--
	if !errors.Is(err, kv.ErrUnavailable) {
		return fmt.Errorf("on the full disk again: %w", err)
	}
	if err := set(limit.Max); err != nil {
		return err
	}
	if err := e.Commit(background, create(big(stored))); err != nil {
		return fmt.Errorf("after space was made: %w", err)
	}
	return e.Close()
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table")
	if out, err := child(t, "full", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sound(t, path)
}
