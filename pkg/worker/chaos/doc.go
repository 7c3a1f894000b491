// Package chaos proves with tests that nothing is lost and nothing is done twice, whatever fails,
// stops or comes late: a seeded scheduler with a clock of its own runs the real use cases, handlers
// and consumers against every kind of failure, a matrix stops the pipeline at each of its calls,
// and each write condition is taken away in turn to see that a test misses it.
//
// `go test` runs a size that takes seconds; `make chaos` the full one. A failing seed prints how to
// run it again.
package chaos
