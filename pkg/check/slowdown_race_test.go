//go:build race

package check

// slowdown is the factor of CPU that the race detector costs.
const slowdown = 15
