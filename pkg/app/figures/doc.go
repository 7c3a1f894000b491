// Package figures measures what the service costs: what `make bench` prints beside its targets.
// What can be counted is also held by tests, so that a change that costs more fails: the requests
// and units of every operation, and that they do not grow. It has no code of its own, only tests
// and benchmarks.
package figures
