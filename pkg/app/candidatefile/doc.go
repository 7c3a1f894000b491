// Package candidatefile imports and exports candidates, with the documents they already have, as
// CSV files. It reads and writes them through the API.
//
// The columns are mapped by their headers: a field of the candidate such as "First name", the label
// or reference of a custom field, "Work permit: number" for a value of a document of that type, and
// "Work permit" for the document itself, yes or no.
package candidatefile
