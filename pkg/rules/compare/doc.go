// Package compare measures the rules beside other engines of expressions. It is a module of its
// own, so that these stay out of the product's dependencies: run `go test -bench .` in this folder.
package compare
