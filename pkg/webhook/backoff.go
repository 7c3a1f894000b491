package webhook

import "time"

// DisableAfter is the time of nothing but failures after which an integration is disabled.
const DisableAfter = 5 * 24 * time.Hour

// MaxRetryAfter is the longest wait an endpoint can ask for with Retry-After; a longer wish counts
// as this.
const MaxRetryAfter = 24 * time.Hour

// schedule is the wait before each attempt: the first is made at once. Its last step repeats.
var schedule = [...]time.Duration{
	0, 5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// lastAttempts is the number of failures after which the schedule exceeds DisableAfter at any
// jitter.
const lastAttempts = 15

const jitter = 0.2

// NextDelay returns the wait before the next attempt after failed attempts that were made (0: the
// first attempt, at once): now, 5 s, 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, and 24 h
// again, each ±20 %.
//
// retryAfter, what the endpoint asked for (0: nothing), makes the wait longer and never shorter,
// and counts as MaxRetryAfter at most; up to 20 % is added to it, so that what waited together
// doesn't come back together. No wait is longer than 24 h + 20 %.
//
// rnd is a random number from 0 (inclusive) to 1. False means that failures have lasted longer than
// DisableAfter even by the schedule alone, so that there is no next attempt: the caller disables
// the integration, which holds its events.
func NextDelay(failed int, retryAfter time.Duration, rnd float64) (time.Duration, bool) {
	if failed <= 0 {
		return 0, true
	}
	if failed >= lastAttempts {
		return 0, false
	}
	if !(rnd >= 0) { // also NaN
		rnd = 0
	}
	rnd = min(rnd, 1)
	step := schedule[min(failed, len(schedule)-1)]
	delay := time.Duration(float64(step) * (1 - jitter + 2*jitter*rnd))
	asked := min(max(retryAfter, 0), MaxRetryAfter)
	return max(delay, time.Duration(float64(asked)*(1+jitter*rnd))), true
}
