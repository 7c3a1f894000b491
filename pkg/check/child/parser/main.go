// Command parser is the child process of a program that links no parsers itself.
package main

import (
	"fmt"
	"os"

	"github.com/dossierhq/dossier/pkg/check/child"
)

func main() {
	child.Run()
	fmt.Fprintln(os.Stderr, "parser: started by a check only")
	os.Exit(2)
}
