//go:build !race

package chaos

const raced = false
