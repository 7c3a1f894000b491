package model

import "slices"

// company is one tenant with its settings, each list in the order in which it was made.
type company struct {
	id, group    string
	name         string
	model        *model
	fields       map[string]string // types of the custom fields, by cf_ or dcf_ reference
	forms        []*form
	presets      []*preset
	scenarios    []*scenario
	types        []*docType // those that it owns
	integrations []*integration
	candidates   []*candidate
	calls        []*parserCall
	people       []*principal
}

type form struct{ id, name string }

type preset struct {
	id    string
	set   object
	types []*docType
	forms []*form
}

type scenario struct {
	id, event, text string // no text: no notification
	active          bool
	types           []*docType
}

type docType struct {
	id              string
	owner           *company
	shared          []*company
	version         int              // counts the changes of the rules
	copies          map[*company]int // the version that a company has with which it was shared last
	pass, automatic bool
	parser          bool              // a parser service reads its documents
	confirmed       map[*company]bool // that shares it: the documents may go to that service
	replaceable     string
	required        []string
	writeBack       [][2]string // from, to
	rules           []rule
}

type integration struct {
	id, event, secret string
	status            int  // with which the endpoint answers
	gone              bool // disabled, because the endpoint answered 410
	received          []*event
}

// principal is a caller: a key, or the token of a candidate.
type principal struct {
	id, kind, secret string
	company          *company
	scopes           []string
	candidate        *candidate // of a token
}

// types returns the document types that a company may ask for: its own, and those that are shared
// with it.
func (m *model) types(c *company) []*docType {
	var all []*docType
	for _, o := range m.companies {
		for _, t := range o.types {
			if o == c || slices.Contains(t.shared, c) {
				all = append(all, t)
			}
		}
	}
	return all
}

// save saves the document type, which is shared with these companies from now on. One with which it
// is not shared any more keeps it as it is now.
func (t *docType) save(shared []*company) {
	for _, c := range slices.Concat(t.shared, shared) {
		t.copies[c] = t.version
	}
	for _, c := range t.shared {
		t.confirmed[c] = t.confirmed[c] && slices.Contains(shared, c)
	}
	t.shared = shared
}
