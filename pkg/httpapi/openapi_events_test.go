package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

// delivered is the body of a delivery, as pkg/store makes it.
type delivered struct {
	event.Event
	Candidate             *dossier.Candidate             `json:"candidate,omitzero"`
	CandidateDocumentType *dossier.CandidateDocumentType `json:"candidateDocumentType,omitzero"`
}

// eventTypes adds a schema for each event of the catalogue, as the log has it and as it is
// delivered, and Event and Delivery as one of them, told apart by type.
func eventTypes(s *spec.Source) {
	s.Types = append(append(s.Types, eventDataTypes()...), parserTypes()...)
	events := &spec.Schema{Description: "One thing that happened to a candidate. `type` tells the shape of `data`."}
	deliveries := &spec.Schema{Description: "What an integration receives: the event. With the payload `full` also the candidate and the candidate document type, " +
		"as they are when the event is handed out."}
	for _, kind := range event.Catalogue {
		sample, _ := event.Sample(kind.Name)
		name := strings.ToUpper(kind.Name[:1]) + kind.Name[1:]
		fields := spec.Fields{
			"id": says(
				"Id of the event. It is the same in every attempt to deliver it."),
			"type": says("The name of the event.").Const(kind.Name),
			"version": says("The version of the shape of `data`.").Const(
				kind.Version),
			"timestamp": says("When it happened."),
			"sequence": says(
				"Counts the events of the candidate, without gaps, from 1.").AtLeast(1),
			"cause":                 spec.Field{},
			"data":                  says("What the event tells.").Holds(sample.Data),
			"candidate":             says("With the payload `full`."),
			"companyId":             says("Id of the company."),
			"candidateId":           says("Id of the candidate."),
			"candidateDocumentType": says("With the payload `full`, if the event is about one."),
		}
		only := []string{"id", "type", "version", "timestamp", "companyId", "candidateId",
			"sequence", "cause", "data"}
		s.Types = append(s.Types, spec.Type{Name: name + "Event", Of: delivered{},
			Mode: spec.Response, Text: "The event `" + kind.Name + "`.", Only: only,
			Fields: fields})
		only = append(slices.Clone(only), "candidate")
		if aboutDocument(sample.Data) {
			only = append(only, "candidateDocumentType")
		}
		s.Types = append(s.Types, spec.Type{Name: name + "Delivery", Of: delivered{},
			Mode: spec.Response, Text: "The delivery of `" + kind.Name + "`.", Only: only,
			Fields: fields})
		alternative(events, kind.Name, name+"Event")
		alternative(deliveries, kind.Name, name+"Delivery")
	}
	s.Named["Event"], s.Named["Delivery"] = events, deliveries
	s.Named["RejectionState"] = enum("The state of a document that did not pass.",
		[]string{dossier.StateRejected, dossier.StateNeedsResubmission}, nil)
	s.Named["EventName"] = enum("The name of a candidate event.", event.Names, nil)
}

// alternative adds one of the schemas of a oneOf that type tells apart.
func alternative(s *spec.Schema, value, name string) {
	if s.Discriminator == nil {
		s.Discriminator = &spec.Discriminator{PropertyName: "type", Mapping: map[string]string{}}
	}
	s.OneOf = append(s.OneOf, spec.RefTo(name))
	s.Discriminator.Mapping[value] = spec.RefTo(name).Ref
}

// aboutDocument reports whether the payload of an event names a candidate document type.
func aboutDocument(data any) bool {
	_, ok := reflect.TypeOf(data).FieldByName("CandidateDocumentTypeID")
	return ok
}

var changedNames = says("The names of the fields that changed; `cf_<reference>` for custom fields. `forms` where the candidate is asked for a form, or to submit one again, and " +
	"`presetIds` where a preset is taken back.")

func payload(name, text string, of any, fields spec.Fields) []spec.Type {
	return spec.Output(name, "", text, of, fields)
}

// documentEventTypes describes the payloads of events about a document.
func documentEventTypes() []spec.Type {
	return slices.Concat(
		payload("EventDocumentRequested", "What `candidateDocumentRequested` tells.",
			event.Requested{}, spec.Fields{
				"required": says("Whether the candidate's status depends on it.")}),
		payload("EventDocumentUploaded", "What `candidateDocumentUploaded` tells.",
			event.Uploaded{},
			spec.Fields{
				"version": says("The version of the document.").AtLeast(1)}),
		payload("EventDocumentValidated", "What `candidateDocumentValidated` tells.",
			event.Validated{}, spec.Fields{
				"status": says("The status of the candidate, after the rules.").Is(
					"CandidateStatus")}),
		payload("EventDocumentRejected", "What `candidateDocumentRejected` tells.",
			event.Rejected{},
			spec.Fields{
				"state":   is("RejectionState"),
				"reasons": says("The codes of the reasons.")}),
		payload("EventDocumentExpired", "What `candidateDocumentExpired` tells.", event.Expired{},
			nil),
		payload("EventDocumentExpiring", "What `candidateDocumentExpiring` tells.",
			event.Expiring{},
			spec.Fields{
				"expiresAt": says("The last day on which the document is valid.").Format("date"),
				"daysBefore": says(
					"Which of the days of the document type's `remindBefore` it is. After days without a sweep it may come later.").AtLeast(1)}),
		payload("EventDocumentOverdue", "What `candidateDocumentOverdue` tells.", event.Overdue{},
			spec.Fields{"dueAt": says("When the document was due.")}),
		payload("EventDocumentRemoved", "What `candidateDocumentRemoved` tells.",
			event.DocumentRemoved{}, nil),
		payload("EventCheckFailed", "What `candidateDocumentCheckFailed` tells.",
			event.CheckFailed{}, nil),
	)
}

// eventDataTypes describes the payloads.
func eventDataTypes() []spec.Type {
	return slices.Concat(
		payload("Cause", "What an event followed from.", event.Cause{}, spec.Fields{
			"documentId":    says("Id of the document."),
			"ruleRunId":     says("Id of the rule run."),
			"correlationId": says("Id of the request that started the chain.").Plain(),
			"rootSequence": says(
				"In an event that a scenario caused: the number of the event that started the chain."),
			"scenarioIds": says("The scenarios between the two."),
			"principal": says(
				"Who did what the event followed from. Left out if nobody did, as for an expiry or for what a check found."),
			"depth": says(fmt.Sprintf(
				"The number of scenarios between a person's act and the event. Beyond %d no scenario reacts any more.", event.MaxDepth)).AtLeast(0),
		}),
		payload("EventCreated", "What `candidateCreated` tells.", event.Created{},
			spec.Fields{"status": is("CandidateStatus")}),
		payload("EventUpdated", "What `candidateUpdated` tells.", event.Updated{}, spec.Fields{
			"changed": changedNames}),
		payload("EventImported", "What `candidateImported` tells.", event.Imported{}, spec.Fields{
			"created": says("Whether the candidate is new."), "changed": changedNames,
			"candidateDocumentTypeIds": says("Ids of the recorded documents' requests."),
			"status":                   is("CandidateStatus")}),
		payload("EventStatusChange",
			"What `candidateStatusChanged`, `candidateApproved` and `candidateRejected` tell.",
			event.StatusChange{}, spec.Fields{
				"status": is("CandidateStatus"), "previousStatus": is("CandidateStatus")}),
		documentEventTypes(),
		payload("EventFormSubmitted", "What `candidateFormSubmitted` tells.",
			event.FormSubmitted{}, nil),
		payload("EventFormRemoved", "What `candidateFormRemoved` tells.", event.FormRemoved{}, nil),
		payload("EventPresetApplied", "What `candidatePresetApplied` tells.", event.PresetApplied{},
			spec.Fields{"presetId": says("Id of the preset.")}),
		payload("EventPassVerification",
			"What `candidatePassVerificationVerified` and `candidatePassVerificationFailed` tell.",
			event.PassVerification{}, spec.Fields{
				"status": is("PassStatus")}),
		payload("EventMessageSent", "What `candidateMessageSent` tells.", event.MessageSent{},
			spec.Fields{
				"messageId": says("Id of the message."), "authorType": is("AuthorType")}),
	)
}

// parserTypes describes the bodies of a parser service.
func parserTypes() []spec.Type {
	return slices.Concat(
		spec.Output("ParseRequest", "", "What your parser service receives.", parseRequest{},
			spec.Fields{"parts": says("The parts of the document.")}),
		spec.Output("ParsePart", "", "One file to parse.", parsePart{}, spec.Fields{
			"name": says("Name of the part."), "fileName": says("Name of the file."),
			"contentType": is("PartContentType"), "size": says("Bytes.").AtLeast(0),
			"sha256":  says("SHA-256 of the bytes, in lower-case hexadecimal."),
			"content": says("The bytes of a small part, in base64."),
			"url":     says("A short-lived link to the bytes of a big part.").Format("uri")}),
		spec.Input("ParseAnswer",
			"What your parser service answers within 60 seconds. With any reason, the document is `needsResubmission`.", parseResponse{}, spec.Fields{
				"parsed":     says("The values, nested by the dots of the references.").Needed(),
				"confidence": says("How sure it is.").Between(0, 1),
				"reasons":    says("Why the document does not pass.")}),
	)
}

// webhooks are the requests that the service sends.
func webhooks() []spec.Webhook {
	header := func(name, text, example string) spec.Parameter {
		return spec.Parameter{Name: name, In: "header", Required: true, Description: text,
			Schema: &spec.Schema{Type: "string"}, Example: example}
	}
	sample, _ := event.Sample(event.CandidateDocumentValidated)
	signed := []spec.Parameter{
		header("webhook-id", "Id of the message; the same in every attempt.", sample.ID),
		header("webhook-timestamp", "Unix seconds of the attempt.", "1795162802"),
		header("webhook-signature",
			"`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. During a rotation there are two, separated by a space.",
			"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
	}
	var deliveries []spec.Example
	for _, name := range event.Names {
		e, _ := event.Sample(name)
		body, _ := json.Marshal(e)
		deliveries = append(deliveries, spec.Example{Name: name, Body: body})
	}
	return []spec.Webhook{
		{Name: "candidateEvent", ID: "deliverEvent", Tag: "integrations",
			Summary: "Receive an event", In: "Delivery", Parameters: signed, Examples: deliveries,
			Text: "A Standard Webhook, delivered at least once, always with the same id and bytes, and in order for each candidate and integration, after the rules. 2xx is success, " +
				"410 disables the integration, and anything else is tried again over 5 days. After 5 days of failures only, the integration is disabled and its events are held.",
			Responses: map[string]string{"2XX": "The event was received.",
				"410": "The address is gone. The integration is disabled."}},
		{Name: "parseDocument", ID: "parseDocument", Tag: "documentTypes",
			Summary: "Parse a document", In: "ParseRequest", Out: "ParseAnswer", Parameters: signed,
			Text: "For document types whose check has the parser `http`. It is signed like a delivery, with the secret of `check.http`. No answer, a 5xx and an answer of another shape " +
				"are technical failures: the request is sent three times, then the document is `checkFailed`.",
			Examples: []spec.Example{{Name: "example",
				Response: []byte(
					`{"parsed":{"permit":{"number":"NL-204","class":"CE"}},"confidence":0.97,"reasons":[]}`),
				Body: []byte(
					`{"documentId":"doc_01JD7QC1S3T5V7W9X1Y3Z5A7BD","candidateId":"cnd_01JD7Q8ZK4M2X9RBTV5N3C6WHA","documentTypeId":"dty_01JD7PX3E5G7H9J1K3M5N7P9QA",` +
						`"parts":[{"name":"front","fileName":"permit.pdf","contentType":"application/pdf","size":15,"sha256":"` + sumOf("%PDF-1.4\n%%EOF\n") + `","content":"JVBERi0xLjQKJSVFT0YK"}]}`)}},
			Responses: map[string]string{"200": "What was read."}},
	}
}

// info returns the document's description of itself.
func info() spec.Info {
	return spec.Info{Title: "Dossier", Version: "1.0.0",
		Summary: "Dossiers of candidates: documents, checks, rules, integrations.",
		License: map[string]string{"name": "MIT", "identifier": "MIT"},
		Contact: map[string]string{"name": "The Dossier authors"},
		Description: strings.Join([]string{
			"Dossier keeps the dossier of each candidate: the documents that were asked for, what was uploaded, what an automatic check read from it, and what followed.",
			"**Requests** are JSON, `application/json`, of at most 1 MiB; uploads may be larger. Unknown members and parameters are refused and named, never ignored, and so is what the " +
				"service sets itself (`id`, `…At`, most `state`s). An embedded resource is asked for by id: `documentTypeIds` in, `documentTypes` out. A PATCH is a JSON Merge Patch " +
				"(RFC 7396), also taken as `application/merge-patch+json`: `null` takes a value away, or sets it back to its default. Within a list, which replaces the whole list, and in the body " +
				"of a POST `null` is refused: leave out what has no value. A text that is needed has at least one character that is no white space. A POST that needs no body takes none, or `{}`. " +
				"Every GET answers HEAD too, and every address OPTIONS. Another method is refused with 405 and the header `Allow`.",
			"**Answers.** Every success is 200. A field without a value is left out, except lists (`[]`) and maps (`{}`). Timestamps are RFC 3339 in UTC with milliseconds. Lists are plain arrays; " +
				"the next page is in the `Link` header. Query parameters have brackets, escaped or not: `filter[events][]=a&filter[events][]=b` is any of both, `filter[triggerEvent]=x` is one.",
			"**Errors** have one shape, see `Error`. 404 is also the answer for what belongs to another company.",
			"**Credentials.** `Authorization: Bearer dsr_…`; or a JWT of the configured OIDC issuer; or a candidate's token `dst_…`, which opens the candidate's own dossier only. Each operation " +
				"names the scope that it needs.",
			firstDocument,
		}, "\n\n")}
}

// firstDocument is the section of the document for who begins with an empty company.
const firstDocument = `## From nothing to a validated document

Send these requests in order with an administrator's key, on an empty company. Put the ids of the answers where …_ID stands. On the page /docs, give the key under "Authorize" first.

1. POST /documentTypes with {"name": "Work permit"} answers a document type: DOCUMENT_TYPE_ID. Without a check, an administrator decides on its documents.
2. POST /candidates with {"firstName": "Ada", "documentTypeIds": ["DOCUMENT_TYPE_ID"]} answers a candidate: CANDIDATE_ID. Its status is "collecting".
3. GET /candidateDocumentTypes?filter[candidateId]=CANDIDATE_ID lists what the candidate is asked for, in the state "requested": CANDIDATE_DOCUMENT_TYPE_ID.
4. POST /candidateDocumentTypes/CANDIDATE_DOCUMENT_TYPE_ID/upload with the example "inline", a small PDF, answers the state "processing" and a lock.
5. GET /candidateDocumentTypes/CANDIDATE_DOCUMENT_TYPE_ID, a moment later, shows the state "inReview".
6. POST /candidateDocumentTypes/CANDIDATE_DOCUMENT_TYPE_ID/validate answers the state "validated".
7. GET /candidates/CANDIDATE_ID shows the status "approved". GET /candidates/CANDIDATE_ID/events shows everything that happened.`
