//go:build !race

package check

// executable is the child of the tests: the test itself.
const executable = ""
