package model

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

type rule struct {
	id         string
	and        bool
	conditions []condition
	actions    []action
}

type condition struct {
	kind, reference, operator string
	value                     any // nil for isEmpty and isNotEmpty
}

type action struct {
	kind     string
	docType  *docType
	form     *form
	preset   *preset
	scenario *scenario
	metadata object
}

// holds compares one value. A negated operator is exactly the opposite of its counterpart.
func (c condition) holds(read any) bool {
	switch c.operator {
	case "isEmpty":
		return empty(read)
	case "isNotEmpty":
		return !empty(read)
	case "isEqual":
		return equal(read, c.value)
	case "isNotEqual":
		return !equal(read, c.value)
	case "contains":
		return contains(read, c.value)
	}
	return !contains(read, c.value)
}

// word is a scalar as it is compared: trimmed, in NFC, numbers in their shortest decimal form.
func word(v any) (text string, scalar bool) {
	switch v := v.(type) {
	case string:
		return norm.NFC.String(strings.TrimSpace(v)), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// words are the scalars of a list, or of one value.
func words(v any) []string {
	var all []string
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, e := range list {
		if text, scalar := word(e); scalar {
			all = append(all, text)
		}
	}
	return all
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !empty(e) })
	case object:
		return len(v) == 0
	}
	text, _ := word(v)
	return text == ""
}

// equal: a scalar equals any of the values, a list all of them as a set. What is empty equals an
// empty text.
func equal(read, value any) bool {
	values := words(value)
	if empty(read) {
		return slices.Contains(values, "")
	}
	if text, scalar := word(read); scalar {
		return slices.Contains(values, text)
	}
	of := func(list []string) []string {
		list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
		slices.Sort(list)
		return slices.Compact(list)
	}
	_, isList := read.([]any)
	return isList && slices.Equal(of(words(read)), of(values))
}

// contains: a text has one of the values as a part, a list shares an element with them.
func contains(read, value any) bool {
	return slices.ContainsFunc(words(value), func(part string) bool {
		if part == "" {
			return false
		}
		if text, scalar := word(read); scalar {
			return strings.Contains(text, part)
		}
		_, isList := read.([]any)
		return isList && slices.Contains(words(read), part)
	})
}

// lookup follows the dots of a reference through objects.
func lookup(parsed object, reference string) any {
	var v any = parsed
	for name := range strings.SplitSeq(reference, ".") {
		inside, _ := v.(object)
		v = inside[name]
	}
	return v
}

// read is the value that a condition reads, while the rules of a document run.
func (run *ruleRun) read(c condition) any {
	of := run.job.request.of
	if c.kind == "fields" {
		return lookup(run.job.document.parsed, c.reference)
	}
	list := []any{}
	switch c.reference {
	case "status":
		return run.before
	case "passVerification":
		return of.pass["status"]
	case "documentTypes":
		for _, r := range of.requests {
			if r.state != "removed" {
				list = append(list, r.docType.id)
			}
		}
		return list
	case "forms":
		for _, f := range of.forms {
			list = append(list, f.form.id)
		}
		return list
	case "presets":
		for _, p := range of.presets {
			list = append(list, p.id)
		}
		return list
	}
	if reference, custom := strings.CutPrefix(c.reference, "cf_"); custom {
		return of.fields[reference]
	}
	if reference, custom := strings.CutPrefix(c.reference, "dcf_"); custom {
		return run.job.request.fields[reference]
	}
	if text := of.texts[c.reference]; text != "" {
		return text
	}
	return nil
}

// coerce brings a parsed value to the type of a custom field.
func coerce(kind string, v any) (value any, fits bool) {
	var text string
	switch v := v.(type) {
	case string:
		text = strings.TrimSpace(v)
	case float64, bool:
		text, _ = word(v)
	default:
		return nil, false
	}
	switch kind {
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil
	case "text":
		return text, true
	}
	return nil, false
}

// set writes a value to a text field or custom field of the candidate, and reports whether that
// changed it.
func (c *candidate) set(key string, value any) bool {
	if reference, custom := strings.CutPrefix(key, "cf_"); custom {
		v, fits := coerce(c.company.fields[key], value)
		changed := fits && c.fields[reference] != v
		if changed {
			c.fields[reference] = v
		}
		return changed
	}
	text, scalar := coerce("text", value)
	if !scalar || c.texts[key] == text || key == "birthDate" && !isDate(text.(string)) {
		return false
	}
	c.texts[key] = text.(string)
	return true
}

// ruleRun is the transaction that validates a document.
type ruleRun struct {
	job     job
	before  string // the status
	why     cause
	changed []string
	from    int                   // events of the candidate before the actions
	asked   map[*docType]*request // types that this run added, and what was there before
	opened  []*form               // forms that a preset of this run added
	presets []*preset             // that this run applied
	sent    []*scenario
}

// apply makes one action, or returns the reason why it changes nothing.
func (run *ruleRun) apply(a action) string {
	of := run.job.request.of
	switch a.kind {
	case "addDocumentType":
		return run.add(a.docType, a.metadata)
	case "removeDocumentType":
		return run.remove(a.docType)
	case "removeForm":
		return run.removeForm(a.form)
	case "sendNotification":
		if slices.Contains(run.sent, a.scenario) {
			return "alreadyApplied"
		}
		run.sent = append(run.sent, a.scenario)
		of.send(run.why, of.filled(a.scenario.text), "system", "system")
		return ""
	}
	if slices.Contains(of.presets, a.preset) {
		return "alreadyApplied"
	}
	of.presets, run.presets = append(of.presets, a.preset), append(run.presets, a.preset)
	of.emit(run.why, "candidatePresetApplied", as(object{"presetId": a.preset.id}))
	for _, key := range sortedKeys(a.preset.set) {
		if of.setFor(a.preset, key) {
			run.changed = append(run.changed, key)
		}
	}
	record := of.record(a.preset)
	for _, t := range a.preset.types {
		if run.add(t, nil) == "" {
			record.types[t] = of.request(t).since
		}
	}
	for _, f := range a.preset.forms {
		if of.open(f) {
			run.opened, record.forms = append(run.opened, f), append(record.forms, f)
		}
	}
	return ""
}

func (run *ruleRun) add(t *docType, metadata object) string {
	of := run.job.request.of
	before := of.request(t)
	if before != nil && before.state != "removed" {
		return "alreadyRequested"
	}
	required, given := metadata["required"].(bool)
	fields, _ := metadata["customFields"].(object)
	of.ask(run.why, t, required || !given, metadata, fields)
	run.asked[t] = before
	return ""
}

// remove stops asking for a type. What this run added is as if it never had been.
func (run *ruleRun) remove(t *docType) string {
	of := run.job.request.of
	r := of.request(t)
	switch {
	case r == nil || r.state == "removed":
		return "notRequested"
	case r.state == "processing":
		return "beingChecked"
	}
	before, added := run.asked[t]
	if !added {
		r.state, r.force = "removed", nil
		r.reportRemoved(run.why)
		return ""
	}
	delete(run.asked, t)
	for _, p := range run.presets {
		delete(of.record(p).types, t)
	}
	of.requests = slices.DeleteFunc(of.requests, func(o *request) bool { return o == r })
	if before != nil {
		of.requests = append(of.requests, before)
		of.sortRequests()
	}
	run.takeBack("candidateDocumentRequested", "documentTypeId", t.id)
	return ""
}

// takeBack takes an event of this run back.
func (run *ruleRun) takeBack(name, member, id string) {
	of := run.job.request.of
	for n, e := range of.events[run.from:] {
		if e.name == name && e.data()[member] == id {
			of.events = slices.Delete(of.events, run.from+n, run.from+n+1)
			break
		}
	}
	for n, e := range of.events {
		e.sequence = n + 1
	}
}

func (run *ruleRun) removeForm(f *form) string {
	of := run.job.request.of
	is := func(o candidateForm) bool { return o.form == f }
	if !slices.ContainsFunc(of.forms, is) {
		return "formNotPresent"
	}
	of.forms = slices.DeleteFunc(of.forms, is)
	of.forget(f)
	if slices.Contains(run.opened, f) {
		run.opened = slices.DeleteFunc(run.opened, func(o *form) bool { return o == f })
		return ""
	}
	of.emit(run.why, "candidateFormRemoved", as(object{"formId": f.id}))
	return ""
}
