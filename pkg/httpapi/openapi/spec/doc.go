// Package spec builds the OpenAPI document from Go types, descriptions of their fields, and a table
// of operations. Reflection finds names, types, and what may be left out; Fields add what Go
// doesn't know: descriptions, limits, references to other schemas. Only tests link it.
package spec
