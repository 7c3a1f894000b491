package store

import (
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// scrubWrite returns the write that removes the personal data of an item, a zero Write if the item
// holds none.
func scrubWrite(i kv.Item) (kv.Write, error) {
	is := func(prefix string) bool { return strings.HasPrefix(i.SK, prefix) }
	switch {
	case isMessageKey(i.Key), isIdempotencyKey(i.Key), is(prefixUpload), is(prefixCheck),
		is(prefixJob), is(prefixCall), is(prefixEntry), is(prefixReplacement):
		return remove(i), nil
	case is(prefixCDT):
		// It leaves every list, and its expiry is no task any more.
		listed := i.Open+i.List+i.Lookup+i.Group != ""
		i.Open, i.Due, i.List, i.ListSort, i.Lookup, i.LookupSort = "", "", "", "", "", ""
		i.Group, i.GroupSort = "", ""
		return rewrite(i, listed, func(r *storedCDT) {
			r.Metadata, r.CustomFields = nil, nil
			if r.Document != nil {
				r.Document.scrub()
			}
			if r.InForce != nil {
				r.InForce.Document.scrub()
			}
		})
	case is(prefixDocument):
		return rewrite(i, false, (*StoredDocument).scrub)
	case is(prefixRun):
		listed := i.Lookup != ""
		i.Lookup, i.LookupSort = "", ""
		return rewrite(i, listed, scrubRun)
	case is(prefixEvent):
		return scrubEvent(i)
	case is(prefixDelivery), is(prefixReaction), is(prefixLog):
		return rewrite(i, false, scrubDelivery)
	}
	return kv.Write{}, nil
}

// rewrite changes the document of an item. Its fields hold nothing personal and stay. moved reports
// that its index attributes changed, so that it is written in any case.
func rewrite[T any](i kv.Item, moved bool, change func(*T)) (kv.Write, error) {
	v, err := decode[T](i)
	if err != nil {
		return kv.Write{}, err
	}
	change(&v)
	doc, err := json.Marshal(v, json.Deterministic(true))
	if err != nil || !moved && string(doc) == string(i.Doc) {
		return kv.Write{}, err
	}
	i.Doc, i.Rev = doc, i.Rev+1
	return put(i), nil
}

func (d *StoredDocument) scrub() {
	d.Parsed, d.Readings, d.Blobs, d.Correlation, d.Trace = nil, nil, nil, "", ""
	for n := range d.Parts {
		// names come from the uploader
		d.Parts[n].Name, d.Parts[n].FileName, d.Parts[n].SHA256 = "", "", ""
	}
	d.Comment = ""
	for n := range d.Corrections {
		d.Corrections[n].Read, d.Corrections[n].Value = nil, nil
	}
	for n := range d.Reasons {
		d.Reasons[n].Message = ""
	}
}

func scrubRun(r *storedRun) {
	r.Facts, r.Effects = nil, nil
	for _, rule := range r.Rules {
		for n := range rule.Conditions {
			rule.Conditions[n].Read = nil
		}
	}
}

// scrubEvent removes the request id and the trace context, which the client chooses.
func scrubEvent(i kv.Item) (kv.Write, error) {
	e, err := decode[event.Event](i)
	if err != nil || e.Cause.CorrelationID == "" && len(i.Fields) == 0 {
		return kv.Write{}, err
	}
	i.Fields = nil
	return rewrite(i, true, func(e *event.Event) { e.Cause.CorrelationID = "" })
}

// scrubDelivery leaves the event in the body, without the request id: the rest of it is ids only.
func scrubDelivery(d *storedDelivery) {
	d.Cause.CorrelationID, d.Trace = "", ""
	var body map[string]any
	if json.Unmarshal(d.Body, &body) != nil {
		return
	}
	cause, _ := body["cause"].(map[string]any)
	if body["candidate"] == nil && cause["correlationId"] == nil {
		return
	}
	delete(body, "candidate")
	delete(body, "candidateDocumentType")
	delete(cause, "correlationId")
	d.Body, _ = json.Marshal(body, json.Deterministic(true))
}
