package web_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestDeliveryAsCurl sends the command that the page shows: the receiver gets the same body again.
func TestDeliveryAsCurl(t *testing.T) {
	p := start(t)
	p.furnish()
	b := p.signedIn(t)
	b.open("/console/deliveries/" + p.delivery())
	b.hides("curl -i")
	b.press("Show the request as a command")
	b.sees("curl -i")
	command := eval[string](b, `document.querySelector("#request pre").textContent`)
	first := <-p.told
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), shell, "-c", command).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "200 OK") {
		t.Fatalf("%s: %v %s", command, err, out)
	}
	if again := <-p.told; again != first {
		t.Errorf("the command sent\n%s\nnot\n%s", again, first)
	}
	b.quiet()
}

// TestVerifySignature says in words which part of a request is wrong.
func TestVerifySignature(t *testing.T) {
	p := start(t)
	s := p.furnish()
	sent := p.send("GET", "/integrations/logs/"+p.delivery()+"/request", nil).(object)
	headers := sent["headers"].(object)
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/deliveries/check")
	b.submit("Verify")
	b.sees("Choose the integration that the request was sent to.")
	b.open("/console/deliveries/check?integration=" + s.integration)
	b.fill("webhookId", headers["webhook-id"].(string))
	b.fill("webhookTimestamp", headers["webhook-timestamp"].(string))
	b.fill("webhookSignature", headers["webhook-signature"].(string))
	b.fill("body", strings.Replace(sent["body"].(string), "{", "{ ", 1))
	b.submit("Verify")
	b.sees("The body is not the bytes that were sent.")
	b.fill("body", sent["body"].(string))
	b.submit("Verify")
	b.sees("The signature is right.")
	b.fill("secret", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
	b.submit("Verify")
	b.sees("The secret is another than this integration’s")
	b.quiet()
}

// TestReplayPeriod counts the deliveries of a period before they are sent again.
func TestReplayPeriod(t *testing.T) {
	p := start(t)
	s := p.furnish()
	p.delivery()
	first := <-p.told
	b := p.signedIn(t)
	b.open("/console/integrations/" + s.integration)
	b.press("Send a period again")
	b.press("Count them")
	b.sees("No webhook delivery of these days has such a status.")
	b.press(dossierDelivered)
	b.press("Count them")
	b.sees("1 webhook delivery would be sent again.")
	b.press("Send it again")
	b.sees("They are sent again, the oldest first.")
	if again := <-p.told; again != first {
		t.Errorf("sent again:\n%s\nnot\n%s", again, first)
	}
	b.open("/console/integrations/" + s.integration + "/replay?since=soon&until=2031-01-01")
	b.sees("Enter a day, such as 2031-05-01.")
	b.sees("Choose at least one status.")
	b.accessible("a period that is none")
	b.quiet()
}

// dossierDelivered is the word of the status of a delivery that arrived.
var dossierDelivered = strings.ToUpper(dossier.LogDelivered[:1]) + dossier.LogDelivered[1:]
