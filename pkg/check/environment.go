//go:build !race

package check

// environment is the environment of a child: none.
var environment = []string{}
