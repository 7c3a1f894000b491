// Package spec makes the OpenAPI document out of Go types, of what is said about their fields, and
// of a table of operations. Reflection finds names, types, and what may be left out; Fields add
// what Go doesn't know: descriptions, limits, references to other schemas. Only tests link it.
package spec
