//go:build race

package check

// environment is the environment of a child. A binary with the race detector would wait a second
// before it ends.
var environment = []string{"GORACE=atexit_sleep_ms=0"}
