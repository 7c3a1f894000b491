package model

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"encoding/json"
)

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

func list[T any](all []T, view func(T) any) []any {
	out := []any{}
	for _, v := range all {
		out = append(out, view(v))
	}
	return out
}

// The views hold the members of responses that the model knows.

func (c *candidate) view() object {
	o := object{"id": c.id, "status": c.status, "customFields": maps.Clone(c.fields),
		"forms": list(c.forms, func(f candidateForm) any {
			return object{"formId": f.form.id, "name": f.form.name, "state": f.state,
				"answers": maps.Clone(f.answers)}
		}),
		"presetIds": list(c.presets, func(p *preset) any { return p.id })}
	for key, text := range c.texts {
		if text != "" {
			o[key] = text
		}
	}
	if c.reason != "" {
		o["statusReason"] = c.reason
	}
	if c.pass != nil {
		o["passVerification"] = maps.Clone(c.pass)
	}
	return o
}

// view is the candidate document type as a caller sees it: a candidate sees no parsed values and
// no internal metadata, and nobody but the owner sees the rules.
func (r *request) view(by *principal) object {
	rules := list(r.docType.rules, func(r rule) any { return r.id })
	if by.candidate != nil || r.docType.owner != by.company {
		rules = []any{}
	}
	metadata := object{}
	for name, v := range r.metadata {
		if by.candidate == nil || name == "candidate" {
			metadata[name] = v
		}
	}
	o := object{"id": r.id(), "candidateId": r.of.id, "state": r.shown(), "required": r.required,
		"metadata": metadata, "customFields": clone(r.fields), "lock": r.state == "processing",
		"documentType": object{"id": r.docType.id, "rules": rules}, "document": nil}
	switch {
	case r.force != nil:
		o["document"] = r.force.view(by)
		o["replacement"] = object{"documentId": r.document.id, "state": r.state,
			"document": r.document.view(by)}
	case r.document != nil:
		o["document"] = r.document.view(by)
	}
	return o
}

func (d *document) view(by *principal) object {
	parsed := clone(d.parsed)
	if by.candidate != nil {
		parsed = object{}
	}
	reasons := slices.DeleteFunc(slices.Clone(d.reasons), func(code string) bool {
		return by.candidate != nil && (code == "CHECK_CAUSE" || code == "PARSER_NOT_CONFIRMED")
	})
	return object{"id": d.id, "version": d.version, "state": d.state, "parsed": parsed,
		"parts":   list(d.parts, func(p part) any { return p.name }),
		"reasons": list(reasons, func(code string) any { return code })}
}

func clone(o object) object {
	if o == nil {
		return object{}
	}
	return maps.Clone(o)
}

func (m *message) view() object {
	state := "unread"
	if m.byCandidate || m.byAdministrator {
		state = "read"
	}
	return object{"id": m.id, "text": m.text, "state": state, "author": m.author,
		"authorType": m.authorType, "byCandidate": m.byCandidate,
		"byAdministrator": m.byAdministrator}
}

func (e *event) id() string {
	n := strconv.Itoa(e.sequence)
	return "evt_" + e.of.id[len("cnd_"):] + strings.Repeat("0", 10-len(n)) + n
}

func (e *event) view() object {
	why := object{"depth": e.cause.depth}
	if d := e.cause.document; d != nil {
		why["documentId"] = d.id
	}
	if by := e.cause.by; by != nil {
		why["principal"] = by.id
	}
	if e.cause.root != 0 {
		why["rootSequence"] = e.cause.root
		why["scenarioIds"] = list(e.cause.scenarios, func(s *scenario) any { return s.id })
	}
	return object{"id": e.id(), "type": e.name, "sequence": e.sequence,
		"companyId": e.of.company.id, "candidateId": e.of.id, "cause": why, "data": e.data()}
}

func (e *entry) view() object {
	o := object{"eventName": e.event.name, "eventId": e.event.id(), "status": e.status,
		"reason": e.reason, "attempts": list(e.attempts, func(code int) any { return code })}
	if e.to != nil {
		o["target"] = e.to.id
	} else {
		o["target"] = e.scenario.id
	}
	return o
}

// seen reduces a response to the members of the views.
var seen = map[string]func(got object) object{
	"candidate": seenCandidate,
	"request": func(got object) object {
		o := keep(got, "id", "candidateId", "state", "required", "metadata", "customFields")
		o["lock"], o["document"] = got["lock"] != nil, nil
		docType := got["documentType"].(object)
		o["documentType"] = object{"id": docType["id"],
			"rules": each(docType["submission"].(object)["rules"], "id")}
		if d, given := got["document"].(object); given {
			o["document"] = seenDocument(d)
		}
		if newer, given := got["replacement"].(object); given {
			shown := keep(newer, "documentId", "state")
			shown["document"] = seenDocument(newer["document"].(object))
			o["replacement"] = shown
		}
		return o
	},
	"presetChange": func(got object) object {
		o := keep(got, "changed", "kept")
		o["candidate"] = seenCandidate(got["candidate"].(object))
		return o
	},
	"company": func(got object) object { return keep(got, "id", "groupId", "name") },
	"import": func(got object) object {
		o := keep(got, "result", "candidateId", "status")
		o["documents"] = list(got["documents"].([]any), func(d any) any {
			return keep(d.(object), "documentTypeId", "result")
		})
		return o
	},
	"call": func(got object) object {
		return keep(got, "documentTypeId", "candidateDocumentTypeId", "candidateId", "documentId",
			"version", "host", "statusCode")
	},
	"parser": func(got object) object {
		return keep(got, "id", "parserConfirmation")
	},
	"message": func(got object) object {
		o := keep(got, "id", "text", "state")
		o["author"], o["authorType"] = got["author"].(object)["id"], got["author"].(object)["type"]
		o["byCandidate"] = got["readByCandidateAt"] != nil
		o["byAdministrator"] = got["readByAdministratorAt"] != nil
		return o
	},
	"event": func(got object) object {
		o := keep(got, "id", "type", "sequence", "companyId", "candidateId", "data")
		why := got["cause"].(object)
		kept := keep(why, "depth", "documentId", "rootSequence", "scenarioIds")
		if by, given := why["principal"].(object); given {
			kept["principal"] = by["id"]
		}
		o["cause"] = kept
		return o
	},
	"entry": func(got object) object {
		o := keep(got, "eventName", "eventId", "status", "reason")
		if o["reason"] == nil {
			o["reason"] = ""
		}
		o["attempts"] = []any{}
		for _, a := range got["attempts"].([]any) {
			code := a.(object)["statusCode"]
			if code == nil {
				code = 0
			}
			o["attempts"] = append(o["attempts"].([]any), code)
		}
		for _, member := range []string{"integrationId", "scenarioId"} {
			if id := got[member]; id != nil {
				o["target"] = id
			}
		}
		return o
	},
	"run": func(got object) object {
		o := keep(got, "documentId", "submissionVersion", "applied", "notAppliedReason",
			"statusBefore", "statusAfter")
		o["rules"] = []any{}
		rules, _ := got["rules"].([]any)
		for _, r := range rules {
			shown := keep(r.(object), "id", "matched")
			for member, names := range map[string][]string{"conditions": {"result", "missing"},
				"actions": {"type", "changed", "reason"}} {
				all := []any{}
				for _, e := range r.(object)[member].([]any) {
					kept := keep(e.(object), names...)
					for missing, is := range map[string]any{"missing": false, "reason": ""} {
						if kept[missing] == nil && slices.Contains(names, missing) {
							kept[missing] = is
						}
					}
					all = append(all, kept)
				}
				shown[member] = all
			}
			o["rules"] = append(o["rules"].([]any), shown)
		}
		return o
	},
}

func seenCandidate(got object) object {
	delete(got, "createdAt")
	delete(got, "updatedAt")
	if pass, given := got["passVerification"].(object); given {
		delete(pass, "at")
	}
	return got
}

func seenDocument(d object) object {
	shown := keep(d, "id", "version", "state", "parsed")
	shown["parts"], shown["reasons"] = each(d["parts"], "name"), each(d["reasons"], "code")
	if shown["parsed"] == nil {
		shown["parsed"] = object{}
	}
	return shown
}

func keep(got object, names ...string) object {
	o := object{}
	for _, name := range names {
		if v, given := got[name]; given {
			o[name] = v
		}
	}
	return o
}

func each(all any, member string) []any {
	out := []any{}
	elements, _ := all.([]any)
	for _, e := range elements {
		out = append(out, e.(object)[member])
	}
	return out
}

// same compares what the service shows with a view, both as JSON.
func same(got, want any) (string, string, bool) {
	g, errG := json.Marshal(got)
	w, errW := json.Marshal(want)
	var a, b any
	_, _ = json.Unmarshal(g, &a), json.Unmarshal(w, &b) // both were encoded a line ago
	return string(g), string(w), errG == nil && errW == nil && reflect.DeepEqual(a, b)
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// cutCustom returns the reference of a custom field of candidates.
func cutCustom(key string) (reference string, custom bool) { return strings.CutPrefix(key, "cf_") }
