package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/dynamo"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
)

// most is the highest number of times that one request is sent.
const most = 8

func item(t *testing.T, sk string) kv.Item {
	return kv.Item{Key: kv.Key{PK: t.Name(), SK: sk}, Rev: 1,
		Fields: map[string]string{"state": "new"}}
}

func create(i kv.Item) kv.Write {
	return kv.Write{Put: &i, If: kv.Condition{Absent: true}}
}

// stored makes sure that the table holds the items. Its reads meet no faults.
func stored(t *testing.T, name string, want ...kv.Item) {
	t.Helper()
	page, err := dynamo.New(dynamotest.Client(t), name).Query(t.Context(),
		kv.Query{Partition: t.Name()})
	if diff := cmp.Diff(want, page.Items); err != nil || diff != "" {
		t.Errorf("stored: %v (-want +got)\n%s", err, diff)
	}
}

// operations are the requests an engine makes; each works on the item "a" of the test, which is
// stored for those that read or delete it.
var operations = []struct {
	name   string
	stored bool
	single bool // a conditional write without a token
	writes bool
	do     func(t *testing.T, e *dynamo.Engine) error
}{
	{"Put", false, true, true, func(t *testing.T, e *dynamo.Engine) error {
		return e.Commit(t.Context(), create(item(t, "a")))
	}},
	{"Delete", true, true, true, func(t *testing.T, e *dynamo.Engine) error {
		k := item(t, "a").Key
		return e.Commit(t.Context(), kv.Write{Delete: &k, If: kv.Condition{Rev: 1}})
	}},
	{"Transaction", false, false, true, func(t *testing.T, e *dynamo.Engine) error {
		b := item(t, "b").Key
		return e.Commit(t.Context(), create(item(t, "a")),
			kv.Write{Check: &b, If: kv.Condition{Absent: true}})
	}},
	{"Get", true, false, false, func(t *testing.T, e *dynamo.Engine) error {
		items, err := e.Get(t.Context(), false, item(t, "a").Key)
		return found(items, err)
	}},
	{"GetTwo", true, false, false, func(t *testing.T, e *dynamo.Engine) error {
		items, err := e.Get(t.Context(), false, item(t, "a").Key, item(t, "b").Key)
		return found(items, err)
	}},
	{"Query", true, false, false, func(t *testing.T, e *dynamo.Engine) error {
		page, err := e.Query(t.Context(), kv.Query{Partition: t.Name()})
		return found(page.Items, err)
	}},
}

func found(items []kv.Item, err error) error {
	if err == nil && (len(items) == 0 || items[0].SK != "a") {
		return fmt.Errorf("found %v", items)
	}
	return err
}

// TestFaults lets each fault happen to each operation, once and again and again.
func TestFaults(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t)
	for _, c := range []struct {
		fault  fault
		surely bool // it surely was not done: even a single write may be sent again
		lasts  bool // also tried as one that stays, which takes its time
	}{
		{conflict, true, true}, {throughput, true, true}, {throttled, true, false},
		{refused, true, false},
		{internal, false, true}, {away, false, false}, {timeout, false, true},
		{reset, false, false}, {cutShort, false, false},
		{internal.done(), false, false}, {away.done(), false, false},
		{timeout.done(), false, false}, {reset.done(), false, false},
		{cutShort.done(), false, false},
	} {
		for _, o := range operations {
			if c.fault.after && !o.writes || c.fault.name == conflict.name && !o.single {
				continue // the same as before it was done; what only a single write is answered
			}
			again := c.surely || !o.single
			t.Run(c.fault.name+"/"+o.name, func(t *testing.T) {
				t.Parallel()
				t.Run("Once", func(t *testing.T) {
					t.Parallel()
					once(t, name, c.fault, again, o.stored, o.writes, o.do)
				})
				if c.lasts {
					t.Run("Always", func(t *testing.T) {
						t.Parallel()
						always(t, name, c.fault, again, o.stored, o.do)
					})
				}
			})
		}
	}
}

// once makes sure that a fault that passes is not noticed, or, where nobody can know whether it was
// done, that this is said.
func once(t *testing.T, name string, f fault, again, before, writes bool,
	do func(*testing.T, *dynamo.Engine) error) {
	e, w := wired(t, name)
	if before {
		put(t, e, item(t, "a"))
	}
	w.arm(false, f)
	err := do(t, e)
	if again {
		if err != nil {
			t.Errorf("got %v, want it done", err)
		}
		w.sent(t, 2)
	} else {
		unavailable(t, err)
		w.sent(t, 1)
	}
	if there := before != (writes && (again || f.after)); there {
		stored(t, name, item(t, "a"))
	} else {
		stored(t, name)
	}
}

// always makes sure that a fault that stays ends in ErrUnavailable.
func always(t *testing.T, name string, f fault, again, before bool,
	do func(*testing.T, *dynamo.Engine) error) {
	e, w := wired(t, name)
	if before {
		put(t, e, item(t, "a"))
	}
	w.arm(true, f)
	unavailable(t, do(t, e))
	if again {
		w.sent(t, most)
	} else {
		w.sent(t, 1)
	}
}

func put(t *testing.T, e *dynamo.Engine, i kv.Item) {
	t.Helper()
	if err := e.Commit(t.Context(), create(i)); err != nil {
		t.Fatal(err)
	}
}

func unavailable(t *testing.T, err error) {
	t.Helper()
	var failed *kv.ConditionFailed
	if !errors.Is(err, kv.ErrUnavailable) || errors.As(err, &failed) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

// TestTransactionFaults is about what only transactions are answered.
func TestTransactionFaults(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t)
	a, b := func(t *testing.T) kv.Item { return item(t, "a") }, func(t *testing.T) kv.Item {
		return item(t, "b")
	}
	for _, f := range []fault{
		cancelled("None", "TransactionConflict"), cancelled("ThrottlingError", "None"),
		cancelled("None", "ProvisionedThroughputExceeded"),
		cancelled("TransactionConflict", "ThrottlingError"), inProgress,
	} {
		t.Run("OK"+f.name, func(t *testing.T) {
			t.Parallel()
			e, w := wired(t, name)
			w.arm(false, f, f, f)
			if err := e.Commit(t.Context(), create(a(t)), create(b(t))); err != nil {
				t.Errorf("got %v, want it done", err)
			}
			w.sent(t, 4)
			stored(t, name, a(t), b(t))
		})
		t.Run("Err"+f.name, func(t *testing.T) {
			t.Parallel()
			e, w := wired(t, name)
			w.arm(true, f)
			unavailable(t, e.Commit(t.Context(), create(a(t)), create(b(t))))
			w.sent(t, most)
			stored(t, name)
		})
	}
}

// TestTransactionAnswers is about one bad answer, or several after each other, that decide what a
// transaction has come to.
func TestTransactionAnswers(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t)
	a, b := func(t *testing.T) kv.Item { return item(t, "a") }, func(t *testing.T) kv.Item {
		return item(t, "b")
	}
	t.Run("ErrTokenMismatch", func(t *testing.T) {
		t.Parallel()
		e, w := wired(t, name)
		w.arm(false, mismatch)
		unavailable(t, e.Commit(t.Context(), create(a(t)), create(b(t))))
		w.sent(t, 1)
	})
	// the second answer must not make anybody forget that the first may have been done
	t.Run("OKDoneThenConflict", func(t *testing.T) {
		t.Parallel()
		e, w := wired(t, name)
		w.arm(false, timeout.done(), inProgress, internal, cancelled("TransactionConflict", "None"))
		if err := e.Commit(t.Context(), create(a(t)), create(b(t))); err != nil {
			t.Errorf("got %v, want it done", err)
		}
		w.sent(t, 5)
		stored(t, name, a(t), b(t))
	})
	t.Run("ErrConditionBesideConflict", func(t *testing.T) {
		t.Parallel()
		e, w := wired(t, name)
		w.arm(false, cancelled("TransactionConflict", "ConditionalCheckFailed", "ThrottlingError"))
		err := e.Commit(t.Context(), create(a(t)), create(b(t)), create(item(t, "c")))
		var failed *kv.ConditionFailed
		if !errors.As(err, &failed) || len(failed.Failed) != 1 || failed.Failed[1].SK != "" ||
			errors.Is(err, kv.ErrUnavailable) {
			t.Errorf("got %v, want a ConditionFailed at 1", err)
		}
		w.sent(t, 1)
	})
	// not done at first, and by the second try somebody else had done something
	t.Run("ErrOthersCameFirst", func(t *testing.T) {
		t.Parallel()
		e, w := wired(t, name)
		put(t, e, b(t))
		w.arm(false, timeout, internal)
		err := e.Commit(t.Context(), create(a(t)), create(b(t)))
		var failed *kv.ConditionFailed
		if !errors.As(err, &failed) {
			t.Fatalf("got %v, want a ConditionFailed", err)
		}
		if diff := cmp.Diff(map[int]kv.Item{1: b(t)}, failed.Failed); diff != "" {
			t.Error(diff)
		}
		w.sent(t, 3)
	})
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t)
	for _, f := range []fault{wrong, answer(400, "AccessDeniedException"),
		answer(400, "ResourceNotFoundException"), cancelled("ValidationError", "None")} {
		t.Run("Err"+f.name, func(t *testing.T) {
			t.Parallel()
			e, w := wired(t, name)
			w.arm(false, f)
			err := e.Commit(t.Context(), create(item(t, "a")), create(item(t, "b")))
			var failed *kv.ConditionFailed
			if err == nil || errors.Is(err, kv.ErrUnavailable) || errors.As(err, &failed) {
				t.Errorf("got %v, want a plain error", err)
			}
			w.sent(t, 1)
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t)
	e, w := wired(t, name)
	ctx, cancel := context.WithCancel(t.Context())
	w.arm(true, throughput)
	result := make(chan error)
	go func() { result <- e.Commit(ctx, create(item(t, "a"))) }()
	for w.count() < 2 { // it is being repeated
		if t.Context().Err() != nil {
			t.Fatal("never repeated")
		}
	}
	cancel()
	err := <-result
	unavailable(t, err)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

func (w *wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

// TestUnprocessed is about the keys that a BatchGetItem leaves out.
func TestUnprocessed(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t)
	left := func(items ...kv.Item) fault {
		var keys []string
		for _, i := range items {
			keys = append(keys, fmt.Sprintf(`{"pk":{"S":%q},"sk":{"S":%q}}`, i.PK, i.SK))
		}
		return fault{status: 200, body: fmt.Sprintf(
			`{"Responses":{},"UnprocessedKeys":{%q:{"ConsistentRead":true,"Keys":[%s]}}}`,
			name, strings.Join(keys, ","))}
	}
	t.Run("OK", func(t *testing.T) {
		t.Parallel()
		e, w := wired(t, name)
		a, b := item(t, "a"), item(t, "b")
		put(t, e, a)
		put(t, e, b)
		w.arm(false, left(b, a), left(a, b))
		items, err := e.Get(t.Context(), false, a.Key, item(t, "c").Key, b.Key)
		if diff := cmp.Diff([]kv.Item{a, {}, b}, items); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
		w.sent(t, 3)
	})
	t.Run("ErrAlways", func(t *testing.T) {
		t.Parallel()
		e, w := wired(t, name)
		a, b := item(t, "a"), item(t, "b")
		w.arm(true, left(a, b))
		_, err := e.Get(t.Context(), false, a.Key, b.Key)
		unavailable(t, err)
		w.sent(t, most)
	})
}
