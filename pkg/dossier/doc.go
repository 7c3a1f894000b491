// Package dossier is the vocabulary of the service: its nouns, their states and transitions, what
// makes them valid, the candidate status, and the closed list of errors. It imports the standard
// library and an edit distance only.
package dossier
