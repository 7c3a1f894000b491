//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// setting is the start of the session: everything up to the candidate who is asked for a
// document.
type setting struct {
	typeA, typeB, form, integration, secret, candidate, request string
}

const workPermit = `{"name":"Work permit","requiredParts":["front"],
  "check":{"parser":"pdf","decision":"automatic","required":["permit.number","permit.class"],"expiryReference":"permit.expires",
           "fields":[{"reference":"permit.number","label":"Permit number","type":"text"},{"reference":"permit.class","label":"Class","type":"text"},{"reference":"permit.expires","label":"Valid until","type":"date"}]},
  "writeBack":[{"from":"permit.number","to":"cf_permitNumber"}],
  "submission":{"rules":[
    {"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"contains","value":["C","CE"]},{"type":"context","reference":"cf_permitNumber","operator":"isNotEmpty"}],
     "actions":[{"type":"addDocumentType","value":%q,"metadata":{"required":true,"note":"professional driver"}},{"type":"sendNotification","value":%q}]},
    {"conditionsType":"or","conditions":[{"type":"context","reference":"nationality","operator":"isEqual","value":["NLD"]},{"type":"fields","reference":"permit.number","operator":"isNotEmpty"}],
     "actions":[{"type":"removeForm","value":%q}]}]}}`

func begin(c *company, hook string) setting {
	var s setting
	c.post("/customFields",
		`{"entity":"candidate","reference":"permitNumber","label":"Permit number","type":"text"}`)
	s.form = c.post("/forms",
		`{"name":"Permit declaration","fields":[{"reference":"hasPermit","label":"Do you hold a permit?","type":"boolean","required":true}]}`)["id"].(string)
	s.typeB = c.post("/documentTypes",
		`{"name":"Tachograph card","check":{"parser":"none","decision":"manual"}}`)["id"].(string)
	scenario := c.post("/scenarios",
		`{"name":"Card needed","eventName":"candidateMessageSent","active":false,"notification":{"subject":"One more document","text":"Please upload your tachograph card."}}`)["id"]
	s.typeA = c.post("/documentTypes", workPermit, s.typeB, scenario, s.form)["id"].(string)
	integration := c.post("/integrations",
		`{"name":"HR system","triggerEvent":"candidateDocumentValidated","target":{"type":"webhook","url":%q}}`, hook)
	s.integration, s.secret = integration["id"].(string), integration["secret"].(string)
	page := c.post("/registration-pages",
		`{"name":"Drivers","slug":"drivers","documents":[{"documentTypeId":%q,"required":true}],"formIds":[%q]}`, s.typeA, s.form)["id"]
	s.candidate = c.post(fmt.Sprintf("/registration-pages/%s/register", page),
		`{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","nationality":"NLD"}`)["id"].(string)
	s.request = at(c.t, c.get("/candidateDocumentTypes?filter[candidateId]="+s.candidate), 0,
		"id").(string)
	return s
}

// TestSession is the main job on the deployed stack, with a subscriber of the bus who is no part of
// it.
func TestSession(t *testing.T) {
	t.Parallel()
	c, box := provision(t), &mailbox{}
	queue := c.subscribe("candidateDocumentValidated")
	s := begin(c, stack.hooks.handle("/session", box.ServeHTTP))
	uploaded := c.ok(http.MethodPost, "/candidateDocumentTypes/"+s.request+"/upload",
		inline(file(t, "chromium-plain.pdf")))
	if at(t, uploaded, "state") != "processing" || at(t, uploaded, "lock", "expiresAt") == nil {
		t.Errorf("uploaded: %v", uploaded)
	}
	var got any
	c.until("the document is checked", 30*time.Second, func() bool {
		got = c.get("/candidateDocumentTypes/" + s.request)
		return at(t, got, "state") != "processing"
	})
	want := object{"permit": object{"number": "NL-204", "class": "CE", "expires": "2031-05-01"}}
	if diff := cmp.Diff(any(want), at(t, got, "document", "parsed")); diff != "" ||
		at(t, got, "state") != "validated" || at(t, got, "lock") != nil {
		t.Fatalf("checked: %v\nparsed (-want +got):\n%s", got, diff)
	}
	c.followed(s)
	body := c.delivered(s, box)
	heard := receive(t, c, queue)
	if diff := cmp.Diff(body, heard); diff != "" {
		t.Errorf("the bus and the webhook differ (-webhook +bus):\n%s", diff)
	}
	var golden any
	if err := json.Unmarshal(read(t, "events/candidateDocumentValidated.v1.json"), &golden); err !=
		nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shape(golden), shape(heard)); diff != "" {
		t.Errorf("what is on the bus is not the golden's shape (-golden +bus):\n%s", diff)
	}
}

// followed checks, without waiting, everything that the rules did: whoever sees the document
// validated can read it.
func (c *company) followed(s setting) {
	t := c.t
	t.Helper()
	runs := c.get("/candidateDocumentTypes/" + s.request + "/ruleRuns")
	if at(t, runs, 0, "applied") != true || at(t, runs, 0, "rules", 0, "matched") != true ||
		at(t, runs, 0, "rules", 0, "actions", 0, "changed") != true {
		t.Errorf("rule runs: %v", runs)
	}
	after := c.get("/candidates/" + s.candidate)
	if at(t, after, "customFields", "permitNumber") != "NL-204" ||
		len(at(t, after, "forms").([]any)) != 0 || at(t, after, "status") != "collecting" {
		t.Errorf("candidate: %v", after)
	}
	asked := c.get("/candidateDocumentTypes?filter[candidateId]=" + s.candidate +
		"&filter[state][]=requested")
	if at(t, asked, 0, "documentType", "id") != s.typeB {
		t.Errorf("asked for now: %v", asked)
	}
	messages := c.get("/candidates/" + s.candidate + "/messages")
	if at(t, messages, 0, "text") != "Please upload your tachograph card." ||
		at(t, messages, 0, "state") != "unread" {
		t.Errorf("messages: %v", messages)
	}
}

// delivered waits for the webhook, verifies it with the Standard Webhooks library, and returns its
// body.
func (c *company) delivered(s setting, box *mailbox) any {
	t := c.t
	t.Helper()
	c.until("the log says delivered", 30*time.Second, func() bool {
		logs := c.get("/integrations/logs?filter[integrationId]=" + s.integration).([]any)
		return len(logs) == 1 && at(t, logs, 0, "status") == "delivered" &&
			at(t, logs, 0, "attempts", 0, "statusCode") == 200.0
	})
	letters := box.all()
	if len(letters) != 1 {
		t.Fatalf("%d webhooks arrived", len(letters))
	}
	library, err := standardwebhooks.NewWebhook(s.secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := library.Verify(letters[0].body, letters[0].header); err != nil {
		t.Errorf("the library refuses the signature: %v", err)
	}
	var body any
	if err := json.Unmarshal(letters[0].body, &body); err != nil {
		t.Fatal(err)
	}
	if at(t, body, "id") != letters[0].header.Get("webhook-id") ||
		at(t, body, "candidateId") != s.candidate {
		t.Errorf("received %s", letters[0].body)
	}
	return body
}

// subscribe makes a rule of somebody else on the bus, for one event of this company, with a queue
// behind it; it returns the queue's address.
func (c *company) subscribe(name string) string {
	t := c.t
	t.Helper()
	queues, bus := sqs.NewFromConfig(stack.aws.config()),
		eventbridge.NewFromConfig(stack.aws.config())
	const arn = "arn:aws:sqs:" + region + ":000000000000:foreign"
	const policy = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"events.amazonaws.com"},"Action":"sqs:SendMessage","Resource":"` + arn + `"}]}`
	queue, err := queues.CreateQueue(t.Context(),
		&sqs.CreateQueueInput{QueueName: ptr("foreign"),
			Attributes: map[string]string{"Policy": policy}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bus.PutRule(t.Context(), &eventbridge.PutRuleInput{
		Name: ptr("foreign"), EventBusName: ptr(stackName),
		EventPattern: ptr(`{"source":["dossier"],"detail-type":["` + name +
			`"],"detail":{"companyId":["` + c.id + `"]}}`),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := bus.PutTargets(t.Context(), &eventbridge.PutTargetsInput{
		Rule: ptr("foreign"), EventBusName: ptr(stackName),
		Targets: []types.Target{{Id: ptr("queue"), Arn: ptr(arn)}},
	}); err != nil {
		t.Fatal(err)
	}
	return *queue.QueueUrl
}

// receive returns the detail of the one event that the subscriber got.
func receive(t *testing.T, c *company, queue string) any {
	t.Helper()
	queues := sqs.NewFromConfig(stack.aws.config())
	var messages []sqstypes.Message
	c.until("the subscriber hears the event", 20*time.Second, func() bool {
		out, err := queues.ReceiveMessage(t.Context(),
			&sqs.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: 10})
		if err != nil {
			t.Fatal(err)
		}
		messages = out.Messages
		return len(messages) > 0
	})
	var envelope struct {
		Source     string `json:"source"`
		DetailType string `json:"detail-type"`
		Detail     any    `json:"detail"`
	}
	if err := json.Unmarshal([]byte(*messages[0].Body), &envelope); err != nil {
		t.Fatal(err)
	}
	if len(messages) != 1 || envelope.Source != "dossier" ||
		envelope.DetailType != "candidateDocumentValidated" {
		t.Errorf("the subscriber got %d messages, first %s", len(messages), *messages[0].Body)
	}
	return envelope.Detail
}

// shape is a value with every text, number and boolean replaced by its kind.
func shape(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for name, member := range v {
			out[name] = shape(member)
		}
		return out
	case []any:
		var out []any
		for _, element := range v {
			out = append(out, shape(element))
		}
		return out
	}
	return fmt.Sprintf("%T", v)
}

func ptr(s string) *string { return &s }
