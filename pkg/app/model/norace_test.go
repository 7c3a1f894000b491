//go:build !race

package model

// inMemory is the number of sessions that `go test` runs in memory.
const inMemory = 300
