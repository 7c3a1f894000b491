// Package language checks the text of the project against its style: comments of at most 100
// columns, none of the private words that the code once used, and no "is what" or "is who" in place
// of a noun. It has tests only; CONTRIBUTING.md says how to write.
package language
