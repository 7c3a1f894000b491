//go:build race

package chaos

// raced is a build with the race detector. It never gives the memory of a coroutine back, 20 MB for
// each seed, and has little to find where one task runs at a time: the runs are few then.
const raced = true
