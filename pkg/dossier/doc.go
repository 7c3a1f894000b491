// Package dossier is the vocabulary of the service: its nouns, their states and transitions, what
// makes them valid, the candidate status, and the closed list of errors. It imports the standard
// library and an edit distance only.
//
// A file has one noun: its type, its input and the validation of that, which all that comes in from
// outside goes through. Closed lists are one table each, which code, review, pages and the OpenAPI
// document read: Operators (operator.go), ParserTypes (parser.go), the transitions (state.go),
// the codes of errors (error.go) and of fields (problem.go).
package dossier
