package webhook

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestSchedule(t *testing.T) {
	t.Parallel()
	h := time.Hour
	for failed, want := range []time.Duration{0, 5 * time.Second, time.Minute, 5 * time.Minute,
		30 * time.Minute,
		2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h, 24 * h, 24 * h, 24 * h, 24 * h} {
		for _, c := range []struct{ rnd, factor float64 }{{0, 0.8}, {0.5, 1}, {1, 1.2}} {
			got, ok := NextDelay(failed, 0, c.rnd)
			if !ok || math.Abs(float64(got)-float64(want)*c.factor) > 1000 {
				t.Errorf("after %d failures, rnd %v: %v %v, want %v × %v", failed, c.rnd, got,
					ok, want, c.factor)
			}
		}
	}
}

func TestDelayProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		failed := random.IntN(40) - 5
		retryAfter := time.Duration(random.Int64()) >> random.IntN(60)
		if random.IntN(4) == 0 {
			retryAfter = -retryAfter
		}
		rnd := []float64{random.Float64(), 0, math.NaN(), -1, 2, math.Inf(1),
			math.Inf(-1)}[min(random.IntN(20), 6)%7]
		delay, ok := NextDelay(failed, retryAfter, rnd)
		bare, _ := NextDelay(failed, 0, rnd)
		switch {
		case ok != (failed < lastAttempts):
			t.Fatalf("failed %d: ok %v", failed, ok)
		case delay < 0 || delay > 24*time.Hour*12/10:
			t.Fatalf("failed %d, retryAfter %v, rnd %v: %v is out of bounds", failed,
				retryAfter, rnd, delay)
		case delay < bare:
			t.Fatalf("Retry-After %v made the wait shorter: %v < %v", retryAfter, delay, bare)
		case ok && failed > 0 && delay < min(retryAfter, MaxRetryAfter):
			t.Fatalf("Retry-After %v was not honoured: %v", retryAfter, delay)
		}
	}
}

func TestAttemptsEnd(t *testing.T) {
	t.Parallel()
	for _, rnd := range []float64{0, 0.5, 0.999} {
		var sum time.Duration
		for failed := 1; ; failed++ {
			delay, ok := NextDelay(failed, 0, rnd)
			if !ok {
				break
			}
			sum += delay
		}
		if sum < DisableAfter || sum > 2*DisableAfter {
			t.Errorf("rnd %v: the attempts end after %v", rnd, sum)
		}
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "1": time.Second, " 120 ": 2 * time.Minute, "86401": MaxRetryAfter,
		"99999999999999999999999": MaxRetryAfter,
		"-1":                      0, "1.5": 0, "soon": 0, "+5": 0,
		"Fri, 01 May 2026 12:05:00 GMT": 5 * time.Minute, "Fri, 01 May 2026 11:00:00 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT":  MaxRetryAfter,
		"Friday, 01-May-26 12:00:10 GMT": 10 * time.Second,
	} {
		if got := parseRetryAfter(value, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
