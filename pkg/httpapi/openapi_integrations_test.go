package httpapi

import (
	"fmt"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
	"github.com/dossierhq/dossier/pkg/store"
)

var _ = describe(integrationsDescribed)

func integrationsDescribed() description {
	d := description{
		tag: "integrations", after: "candidateDocumentTypes",
		text: "Webhooks: where events are delivered, and the log of every delivery.",
		operations: noun{"Integration", "/integrations", "integration"}.operations(
			"Open deliveries are given up; the log stays.",
			fails(limitReached), fails(limitReached), nil),
		types: slices.Concat(integrationTypes(), logTypes(), probeTypes()),
		named: integrationSchemas(), examples: integrationExamples,
	}
	for route, o := range integrationOperations() {
		d.operations[route] = o
	}
	d.filter("GET /integrations", "triggerEvent",
		is("EventName").Example("candidateApproved").Text("Integrations that this event triggers."))
	d.filter("GET /integrations/logs", "integrationId",
		says("Entries of this integration.").Length(1, maxFilterValue).Example("$int"))
	d.filter("GET /integrations/logs", "eventName",
		is("EventName").Example("candidateCreated").Text("Entries of this event."))
	d.filter("GET /integrations/logs", "status",
		is("LogStatus").Example("delivered").Text("Entries with this status."))
	d.filter("GET /integrations/logs", "candidateId",
		says("Entries about this candidate.").Length(1, maxFilterValue).Example("$cnd"))
	d.filter("GET /integrations/parser-calls", "documentTypeId",
		says("Calls of this document type's parser service.").Length(1, maxFilterValue).
			Example("$dty"))
	d.filter("GET /integrations/parser-calls", "candidateId",
		says("Calls about this candidate.").Length(1, maxFilterValue).Example("$cnd"))
	return d
}

func integrationOperations() map[string]operation {
	transition := fails(fail(dossier.CodeTransition, ""))
	return map[string]operation{
		"POST /integrations/{id}/secret/rotate": {id: "rotateIntegrationSecret",
			summary: "Rotate the secret of an integration", out: "Integration",
			text: "The answer shows the new secret once. For 24 hours deliveries are signed with both."},
		"POST /integrations/{id}/enable": {id: "enableIntegration",
			summary: "Enable a disabled integration", out: "Integration", versioned: true,
			text:  "A replay delivers the events that were held.",
			fails: fails(fail(dossier.CodeIntegrationActive, ""), limitReached)},
		"POST /integrations/send-init-request": {id: "sendInitRequest",
			summary: "Send one signed sample", in: "InitRequest", out: "InitReport",
			text: "Sends one sample with a challenge, never again, and answers the whole report: 200 whatever the target answered."},
		"GET /integrations/logs": {id: "listIntegrationLogs", summary: "List the integration log",
			text: "The newest first.", out: "[]LogEntry"},
		"GET /integrations/parser-calls": {id: "listParserCalls",
			summary: "List the calls of parser services",
			text:    "The newest first. A call is listed for 90 days, and until its candidate is erased.", out: "[]ParserCall"},
		"POST /integrations/logs/{id}/replay": {id: "replayLogEntry",
			summary: "Deliver one log entry again", out: "LogEntry",
			text:  "It is delivered with the same id and the same bytes. One that waits for its next attempt is due now.",
			fails: transition},
		"POST /integrations/{id}/replay": {id: "replayIntegration",
			summary: "Deliver log entries of a period again", in: "ReplayRequest", out: "Replayed",
			text: "They are delivered in order, with the same ids and bytes, the oldest 300 at a time. With `dryRun` nothing is delivered: the answer counts them.", fails: transition},
		"GET /integrations/logs/{id}/request": {id: "getDeliveryRequest",
			summary: "Get the request that delivers a log entry", out: "SentRequest",
			text:  "It has the same id and bytes as every attempt, and is signed now, with the current secrets: receivers refuse a signature that is more than five minutes old. Whoever reads it can send it. The scope `candidates:read` is needed too.",
			fails: transition},
		"POST /integrations/{id}/verify-signature": {id: "verifySignature",
			summary: "Say which part of a signed request is wrong", in: "SignatureCheck",
			out:  "SignatureReport",
			text: "Takes a request as a receiver got it and checks its signature with the integration's secrets, as Standard Webhooks does. Where it does not match, the request is compared with what was sent."},
	}
}

func integrationTypes() []spec.Type {
	return slices.Concat(
		spec.Resource("Integration", "integration",
			"A system of yours that receives one kind of candidate event. A company has at most 50 active ones for each event name.",
			dossier.Integration{}, dossier.IntegrationInput{}, dossier.IntegrationUpdate{},
			spec.Fields{
				"target":         spec.Field{},
				"payload":        is("IntegrationPayload").Default(dossier.PayloadThin),
				"ordered":        says("Whether events are delivered in order for each candidate. `false` delivers them as soon as possible.").Default(true),
				"state":          is("IntegrationState").Needed(),
				"disabledReason": is("DisabledReason"),
				"secret": says(
					"`whsec_…`, with which deliveries are signed (Standard Webhooks). It is shown once, when it is created or rotated: the answer to a repeated " +
						"request (`Idempotency-Key`) leaves it out."),
				"signingSecrets": says("When its secrets were made and end, the newest first: the one in use, and the one that it replaced last, which signs too until it ends."),
			}),
		spec.Output("SigningSecret", "", "A secret with which deliveries are signed, without the secret.",
			dossier.SigningSecret{}, spec.Fields{
				"createdAt": says("When it was made; absent where an earlier version replaced it."),
				"endsAt":    says("Until when it signs too; absent for the one in use."),
			}),
		spec.Shared("Target", "", "Where an integration is reached.", dossier.Target{}, spec.Fields{
			"type": says("Always `webhook`.").Const(dossier.TargetWebhook),
			"url": says("The address. Only https; a private address is refused.").Length(1,
				dossier.MaxURL).Format("uri"),
		}),
		spec.Input("ReplayRequest",
			"Which log entries of the integration to deliver again, in order.", replayInput{},
			spec.Fields{
				"since":  says("Entries since then.").Needed(),
				"until":  says("Entries until then. Without it: until now."),
				"status": says("Entries with one of these statuses. Without it: `failed` and `held`.").Count(0, len(replayable)).Unique().Each(is("ReplayableStatus")),
				"dryRun": says("Whether to count them only."),
			}),
		spec.Output("Replayed", "", "What is delivered again.", replayed{},
			spec.Fields{"replayed": says("The number of log entries.").AtLeast(0),
				"matching": says("In a dry run: how many would be delivered by one request.").AtLeast(0),
				"more":     says("In a dry run: whether there are more, for another request.")}),
		signatureTypes(),
	)
}

func signatureTypes() []spec.Type {
	return slices.Concat(
		spec.Input("SignatureCheck", "A request as a receiver got it.", signatureInput{},
			spec.Fields{
				"webhookId": says("The header `webhook-id`.").Length(1,
					maxHeaderValue).Needed(),
				"webhookTimestamp": says("The header `webhook-timestamp`.").Length(1,
					maxHeaderValue).Needed(),
				"webhookSignature": says("The header `webhook-signature`.").Length(1,
					maxHeaderValue).Needed(),
				"body": says("The body, byte for byte.").Length(1,
					maxSignedBody).Needed(),
				"secret": says("The secret that the receiver uses, to compare it with the integration's.").Length(1, maxWebhookSecret),
			}),
		spec.Output("SignatureReport", "", "What is right and wrong with a signed request.",
			signatureReport{}, spec.Fields{
				"valid": says(
					"Whether a secret of the integration signed this id, time and body, and `secret`, where given, is one of them."),
				"wrong": says("The parts that are wrong. `secret` where no part explains it: another secret signed it, or the signature was changed.").Each(is("SignedPart")),
				"expired": says(
					"Whether the time is more than five minutes away: receivers refuse it then, however well it is signed."),
				"known": says(
					"Whether the log has the delivery. Without it the parts can't be compared, and only `secret` is named."),
			}),
	)
}

func logTypes() []spec.Type {
	return slices.Concat(
		spec.Output("LogEntry", "log entry",
			"One event handed to one integration or scenario, and every attempt.",
			dossier.LogEntry{}, spec.Fields{
				"eventId":       says("Id of the event: the `webhook-id` of every attempt."),
				"integrationId": says("Id of the integration that it was handed to."),
				"scenarioId":    says("Id of the scenario that it was handed to."),
				"status":        is("LogStatus"),
				"reason":        is("SkippedReason"),
				"attempts":      says("The newest 25 attempts."),
				"nextAttemptAt": says("When the next attempt is made."),
				"createdAt":     says("When the event was handed out."),
			}),
		spec.Output("ParserCall", "parser call",
			"One call of a parser service for one version of a document.", dossier.ParserCall{},
			spec.Fields{
				"documentTypeId": says(
					"Id of the document type whose parser service was called."),
				"candidateDocumentTypeId": says("Id of the candidate document type."),
				"documentId":              says("Id of the document."),
				"version":                 says("The version of the document.").AtLeast(1),
				"host": says(
					"Host of the parser service, with the port if its address names one."),
				"at": says("When it was called."),
				"statusCode": says(
					"The status of the answer, if there was one.").Between(100, 999),
				"durationMs": says("How long it took, in milliseconds.").AtLeast(0),
				"error": says(
					"Why the check could not be made; absent if it was."),
			}),
		spec.Output("Attempt", "", "One attempt to deliver.", dossier.Attempt{}, spec.Fields{
			"at":         says("When it was made."),
			"statusCode": says("The status of the answer, if there was one.").Between(100, 999),
			"durationMs": says("How long it took, in milliseconds.").AtLeast(0),
			"error":      says("Why it failed."),
		}),
	)
}

func probeTypes() []spec.Type {
	return slices.Concat(
		spec.Input("InitRequestForIntegration",
			"Sends to a saved integration, signed with its secret.", initRequest{}, spec.Fields{
				"integrationId": says("Id of the integration.").Needed(),
				"triggerEvent":  says("The event to make a sample of. Without it: the integration's own.").Is("EventName"),
			}, "integrationId", "triggerEvent"),
		spec.Input("InitRequestForURL",
			"Sends to an address that is not saved yet, signed with a secret that is made for this request alone.", initRequest{}, spec.Fields{
				"url": says("The address. Only https; a private address is refused.").Length(1,
					dossier.MaxURL).Format("uri").Needed(),
				"triggerEvent": is("EventName").Needed(),
			}, "url", "triggerEvent"),
		spec.Output("InitReport", "", "The whole of one attempt.", dossier.DeliveryReport{},
			spec.Fields{
				"delivered": says("Whether the status of the answer was 2xx."),
				"statusCode": says("The status of the answer; 0 if there was none.").Between(0,
					999),
				"durationMs": says("How long all of it took, in milliseconds.").AtLeast(0),
				"request":    says("What was sent."),
				"response":   says("What came back: at most 50 headers, and 1 kB of the body."),
				"challengeEchoed": says(
					"Whether the answer was the challenge, or a JSON object with the same `challenge`."),
				"error": says("Why it did not succeed."),
			}),
		spec.Output("SentRequest", "", "The request that was sent.",
			dossier.DeliveryReportRequest{}, spec.Fields{
				"url":     says("The address."),
				"headers": says("Headers by name, in lower case."),
				"body":    says("The signed bytes."),
			}),
		spec.Output("ReceivedResponse", "", "The response that came back.",
			dossier.DeliveryReportResponse{}, spec.Fields{
				"headers": says("Headers by name, in lower case."),
				"body":    says("The beginning of the body."),
			}),
	)
}

func integrationSchemas() map[string]*spec.Schema {
	return map[string]*spec.Schema{
		"IntegrationPayload": enum("What is delivered.", dossier.Payloads,
			map[string]string{dossier.PayloadThin: "the event, with ids only",
				dossier.PayloadFull: "the event, with the candidate and the candidate document type as they are when the event is handed out"}),
		"IntegrationState": enum(
			"Whether an integration receives events. A PATCH with `disabled` disables it by hand; one with `active` is the same as `/enable`.",
			dossier.IntegrationStates, map[string]string{dossier.IntegrationActive: "it does",
				dossier.IntegrationDisabled: "it does not; what is under way to it is held, and so are new events, unless it was disabled by hand"}),
		"DisabledReason": enum("Why an integration is disabled.",
			[]string{dossier.DisabledByHand, dossier.DisabledGone, dossier.DisabledFailing},
			map[string]string{
				dossier.DisabledByHand:  "a PATCH of `state`",
				dossier.DisabledGone:    "the target answered 410",
				dossier.DisabledFailing: "every attempt failed for five days"}),
		"LogStatus": enum("What became of a delivery.", dossier.LogStatuses, map[string]string{
			dossier.LogPending:   "it is due at `nextAttemptAt`",
			dossier.LogDelivered: "the target took it, or the scenario has acted",
			dossier.LogFailed:    "it was given up",
			dossier.LogHeld:      "the integration is disabled; a replay delivers it",
			dossier.LogSkipped:   "it is not delivered; `reason` says why"}),
		"SignedPart":       enum("A part of a signed request.", signedParts, nil),
		"ReplayableStatus": enum("A status of a delivery that is closed.", replayable, nil),
		"SkippedReason": enum("Why a delivery was skipped.",
			[]string{store.SkippedDepth, store.SkippedReacted, store.SkippedEffects,
				store.SkippedDeleted, store.SkippedScenario, store.SkippedErased},
			map[string]string{
				store.SkippedDepth:   "the chain of events that cause each other is too long",
				store.SkippedReacted: "the scenario was handed the event that started the chain, or another of the chain",
				store.SkippedEffects: fmt.Sprintf(
					"scenarios have made %d messages and requests of the event that started the chain", dossier.MaxChainEffects),
				store.SkippedDeleted:  "the integration was deleted",
				store.SkippedScenario: "the scenario was deleted",
				store.SkippedErased:   "the candidate was erased"}),
		"InitRequest": {Description: "Where to send one signed sample with a challenge. It is never sent again.",
			OneOf: []*spec.Schema{spec.RefTo("InitRequestForIntegration"),
				spec.RefTo("InitRequestForURL")}},
	}
}

// integrationExamples ends with a disabled integration that one event was delivered to.
func integrationExamples(s *session) {
	const path, one = "/integrations", "/integrations/{id}"
	s.resource(path, "int",
		`{"name":"HR system","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://hr.example.com/hook"}}`, `{"payload":"full"}`)
	s.record("POST "+path+"/send-init-request", path+"/send-init-request",
		`{"integrationId":"$int"}`, "", "integration")
	s.record("POST "+path+"/send-init-request", path+"/send-init-request",
		`{"url":"https://hr.example.com/hook","triggerEvent":"candidateApproved"}`, "", "url")
	s.notified.take()
	s.quiet("POST /candidates", "/candidates", `{"firstName":"Katherine","lastName":"Johnson"}`,
		"cnd3")
	s.dispatchEvents(s.t)
	s.attemptDeliveries(s.t, "")
	s.ids["log"] = s.record("GET "+path+"/logs", path+"/logs?filter[integrationId]=$int", "", "")
	s.record("POST "+path+"/logs/{id}/replay", path+"/logs/$log/replay", "", "")
	s.record("POST "+one+"/replay", path+"/$int/replay",
		`{"since":"2020-01-01T00:00:00Z","status":["delivered"]}`, "")
	s.record("POST "+one+"/replay", path+"/$int/replay",
		`{"since":"2020-01-01T00:00:00Z","dryRun":true}`, "", "dryRun")
	s.record("GET "+path+"/logs/{id}/request", path+"/logs/$log/request", "", "")
	s.record("POST "+one+"/verify-signature", path+"/$int/verify-signature",
		`{"webhookId":"evt_1","webhookTimestamp":"1767225600","webhookSignature":"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=","body":"{}"}`, "")
	s.record("POST "+one+"/secret/rotate", path+"/$int/secret/rotate", "", "")
	s.quiet("PATCH "+one, path+"/$int", `{"state":"disabled"}`, "")
	s.record("POST "+one+"/enable", path+"/$int/enable", "", "")
	parserCallExamples(s)
}

// parserCallExamples has a parser service called for a document.
func parserCallExamples(s *session) {
	s.quiet("POST /documentTypes", "/documentTypes", `{"name":"Diploma","check":{"parser":"http",
		"http":{"url":"https://parser.example.com/read"}}}`, "diploma")
	s.quiet("POST /candidateDocumentTypes", "/candidateDocumentTypes",
		`{"candidateId":"$cnd3","documentTypeId":"$diploma"}`, "read")
	s.notified.take()
	s.quiet("POST /candidateDocumentTypes/{candidateDocumentTypeId}/upload",
		"/candidateDocumentTypes/$read/upload", uploadSample, "")
	s.finishChecks(store.CheckResult{State: dossier.StateInReview, Call: &dossier.Attempt{
		At: dossier.NewTime(s.clock.now()), StatusCode: 200, DurationMS: 412}})
	s.record("GET /integrations/parser-calls", "/integrations/parser-calls", "", "")
}
