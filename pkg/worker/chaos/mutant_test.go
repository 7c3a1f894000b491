package chaos

import (
	"slices"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/worker/chaos/planted"
)

// mutants are bugs that somebody could make. TestMutants plants each and sees that TestChaos, the
// crash matrix or the meetings find it.
var mutants = []planted.Bug{
	{"notifies before it commits", "store/store.go",
		"	if err := s.engine.Commit(ctx, all...); err != nil {",
		"	s.notify(ctx, writes)\n	if err := s.engine.Commit(ctx, all...); err != nil {"},
	{"never notifies, and opens nothing to sweep", "store/task.go",
		"func taskOf(i kv.Item) (Task, bool) {",
		"func taskOf(i kv.Item) (Task, bool) {\n	if strings.HasPrefix(i.SK, \"C#JOB#\") {\n		return Task{}, false\n	}"},
	{"hands out events from the one it was notified of", "store/task_dispatch.go",
		"	for n > 1 {", "	for n > 1 && n < 0 {"},
	{"takes the result of a stale check", "store/task_check.go",
		"if check.task.Rev == 0 || check.request.Token != claim.Token {",
		"if check.task.Rev == 0 {"},
	{"gives a check that is taken away its old token", "store/task_check.go",
		"r.Token, r.Tries = r.Token+1, r.Tries+1", "r.Tries = r.Tries + 1"},
	{"runs the newest job first", "store/task_rules.go",
		"job := d.jobs[0]", "job := d.jobs[len(d.jobs)-1]"},
	{"makes it validated before the rules have run", "store/task_rules_job.go",
		"c.cand.JobSeq, dossier.StateProcessing", "c.cand.JobSeq, dossier.StateValidated"},
	{"forgets the status after the rules", "store/task_rules.go",
		"	for dt, r := range a.touched {\n		a.cand.Requested[dt.ULID()] = r.requested()\n	}\n", "	a.cand.Forms = nil\n"},
	{"a newer document ends the force of the validated one", "store/document_upload.go",
		"	r.keepInForce()\n", ""},
	{"sends whatever it was notified of", "store/delivery_attempt.go",
		"queue, gone || to.Ordered, maxClaimed)", "queue, false, maxClaimed)"},
	{"hands nothing to integrations that fail", "store/task_dispatch.go",
		"	if integration.State == dossier.IntegrationDisabled {",
		"	if integration.State == dossier.IntegrationDisabled {\n		return kv.Write{Check: &key, If: kv.Condition{Absent: true}}, nil\n	}\n	if integration.State == dossier.IntegrationDisabled {"},
	{"closes an event without its deliveries", "store/task_dispatch.go",
		"		writes = append(writes, w)\n",
		"		if e.Sequence%7 != 0 {\n			writes = append(writes, w)\n		}\n"},
	{"keeps no answer to a request", "store/idempotency.go",
		"	if i == nil || i.done || answer == nil {", "	if true {"},
	{"answers before it is stored", "store/store.go",
		"	if err := s.engine.Commit(ctx, all...); err != nil {",
		"	if err := s.engine.Commit(ctx, all...); err != nil && !errors.Is(err, kv.ErrUnavailable) {"},
	{"erases only what it finds first", "store/candidate_erase.go",
		"	for left := true; left; {", "	for left := true; left; left = false {"},
	{"drops what is to be sent where an erased candidate is scrubbed", "store/candidate_scrub.go",
		"	case is(prefixDelivery), is(prefixReaction), is(prefixLog):",
		"	case is(prefixDelivery):\n		return remove(i), nil\n	case is(prefixReaction), is(prefixLog):"},
	{"gives up a check without another try", "worker/check.go",
		"return unlessStale(w.Store.FailCheck(ctx, claim, cause(err), result.Call))",
		"return unlessStale(w.Store.FinishCheck(ctx, claim, store.CheckResult{State: \"requested\"}))"},
	{"counts a delivery that was interrupted as made", "worker/deliver.go",
		"		switch sent.Result {\n",
		"		if sent.Result == dossier.Interrupted {\n			sent.Result = dossier.Delivered\n		}\n		switch sent.Result {\n"},
	{"sweeps what is open, but not dates", "worker/sweep.go",
		"err = w.Store.ReportDates(ctx, t)", "err = nil"},
}

// TestMutantsApply holds that each bug can still be planted, without running it.
func TestMutantsApply(t *testing.T) {
	t.Parallel()
	planted.Check(t, "../..", mutants)
}

// signs are in the lines of the tests that find a bug.
var signs = []string{"breaks a promise", "-undisturbed", "undisturbed: ", "of the erasure meets"}

// TestMutants compiles pkg/worker/chaos with each bug in turn. It takes minutes, and is part of the
// full size only.
func TestMutants(t *testing.T) {
	if !*full {
		t.Skip("part of `make chaos`")
	}
	for _, m := range mutants {
		t.Run(m.Name, func(t *testing.T) {
			out, err := planted.Test(t, "../..", m,
				"-run", "^(TestChaos|TestCrashMatrix|TestErasureRace)$", ".", "-args", "-seeds=400")
			found := ""
			for line := range strings.Lines(out) {
				has := func(sign string) bool { return strings.Contains(line, sign) }
				if slices.ContainsFunc(signs, has) || has("matrix_test.go") && has("call ") {
					found = strings.TrimSpace(line)
					break
				}
			}
			if err == nil || found == "" {
				t.Fatalf("not found: %v\n%s", err, out[max(0, len(out)-2000):])
			}
			t.Logf("found: %s", found)
		})
	}
}
