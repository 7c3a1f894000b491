//go:build race

package model

// inMemory is the number of sessions that `go test -race` runs in memory: each takes ten times as
// long.
const inMemory = 40
