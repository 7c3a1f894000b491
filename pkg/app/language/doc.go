// Package language checks the text of the project against its style: comments at most 100 columns
// wide, none of the private words that the code used to have, no "is what" or "is who" where a noun
// would do. It has tests only; CONTRIBUTING.md says how to write instead.
package language
