package dossier

// Limits of texts and lists in a request.
const (
	MaxName         = 200      // characters of a name, label, subject or reason
	MaxText         = 4000     // characters of a message, description or value
	MaxReference    = 100      // characters of a reference
	MaxURL          = 2000     // bytes of an address
	MaxParts        = 20       // parts of a document
	MaxPartSize     = 25 << 20 // bytes of a part
	MaxInlineSize   = 4 << 20  // bytes of the parts of an inline upload together, decoded
	MaxCustomFields = 200      // values on one candidate or candidate document type
	MaxRequested    = 100      // document types a candidate is asked for
	MaxForms        = 50       // forms of a candidate
)
