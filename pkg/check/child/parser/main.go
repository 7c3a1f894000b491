// Command parser is the child process of a program that links no parsers itself.
package main

import (
	"fmt"
	"os"

	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

func main() {
	fmt.Fprintln(os.Stderr, "parser: started by a check only")
	os.Exit(2)
}
