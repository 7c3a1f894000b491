// Package recipes tests that the recipes of CONTRIBUTING.md are true. Nothing else is in it.
//
// Each page in docs/recipes shows one kind of change as a diff, and the commands to run after it.
// The test applies all of the diffs to a copy of the tracked files, builds it, vets what they
// touch, and runs the commands. It fails if a diff does not apply any more, if a recipe touches
// another number of files than CONTRIBUTING.md says, or more than is allowed, if a command fails or
// runs no test, and if -update writes other files than the page names.
//
// If a diff does not apply: apply what is left of it by hand, and put the new diff into the page,
// with one line of context (git diff -U1), so that it breaks as seldom as it can.
package recipes
