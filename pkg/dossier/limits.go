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
	MaxID           = 200      // bytes of an id
	MaxMetadata     = 4 << 10  // bytes of metadata as JSON
	MaxListValues   = 100      // texts of a value of the type list
	MaxFormFields   = 100      // fields of a form
	MaxAskedFields  = 30       // custom fields that a registration page asks for
	// fields that the pdf parser looks for, and references that a check requires
	MaxCheckFields  = 200
	MaxWriteBacks   = 100    // values that a document type writes back
	MaxChainEffects = 100    // messages and requests that scenarios make of one root event
	MaxVersions     = 50     // versions of one candidate document type
	MaxStoredBytes  = 500e6  // bytes of a candidate's files, all versions together
	MaxAnnounced    = 3      // announced uploads to one candidate document type at once
	MaxMessages     = 10_000 // messages of a candidate, deleted ones included
	MaxReminders    = 5      // reminders before a document expires
	MaxRemindBefore = 365    // days between a reminder and the expiry
)

// Limits of a company.
const (
	MaxActiveIntegrations = 50 // per event name, so that handing out an event is one transaction
	MaxActiveScenarios    = 20 // per event name
	// companies a document type is shared with: changing it writes a copy for each
	MaxSharedWith   = 20
	MaxCompanies    = 100          // companies of a group
	MaxTokens       = 20           // valid tokens of a candidate
	MinTokenSeconds = 60           // lifetime of a candidate's token
	MaxTokenSeconds = 24 * 60 * 60 // the same
	MinSearch       = 2            // characters of a search for candidates
	MaxListed       = 1000         // entities of one kind in a company's settings
)

// Limits of the rules of one document type.
const (
	MaxRules      = 50 // rules of a document type
	MaxConditions = 30 // conditions of a rule
	MaxActions    = 20 // actions of a rule
	MaxRuleTests  = 50 // tests of the rules of a document type
	// document types, messages and events all rules together may write: one transaction
	MaxRuleEffects   = 60
	MaxSubmissionLen = 100_000 // bytes of a submission as JSON, tests included
	// MaxRuleVersions bounds the kept versions of the rules of a document type, the newest ones.
	// Deleting the type deletes them in one transaction, with its copies.
	MaxRuleVersions = 50
)

// Limits of the document types that one setting requests from a candidate. A registration page and
// its preset are together one transaction, with two writes for each document type.
const (
	MaxPageDocuments     = 30
	MaxPresetDocuments   = 15
	MaxScenarioDocuments = 30
)
