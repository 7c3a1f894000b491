// Package rules decides what the rules of a document type do to a candidate, and reviews rules
// before they are saved. It is pure: no clock, no storage, no network. Simulation and the real run
// call the same functions.
//
// How values are compared, in one place:
//
//   - Text is trimmed and brought to Unicode NFC; case counts. A number is its shortest decimal
//     text and a boolean is "true" or "false", so the number 5 equals the text "5", but not the
//     text "5.0".
//   - A missing value, a blank text, a list without values and an empty object all read as empty:
//     they equal an empty text and nothing else, and contain nothing. Blank elements of a list
//     don't count. 0 and false are values.
//   - isEqual: a scalar equals any of the listed values; a list equals the listed values as a set.
//   - contains: a scalar has any of the listed values as a part of its text; a list shares an
//     element with them. Nothing contains an empty text.
//   - An object that is not empty equals nothing and contains nothing.
//   - notX is exactly not X.
//
// The operators are listed in dossier.Operators; comparisons (operator.go) has what each does, and
// ActionTypes (action.go) the actions.
//
// A `fields` reference is followed through nested objects at its dots. In a list, a number in the
// reference picks one element, counted from 0; any other name is read from every element, which
// gives a list. Where a key itself holds dots, the nested value wins, and the key with the dots is
// tried where that leads nowhere.
package rules
