package contract

import (
	"encoding/json"
	"fmt"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// settings is the path of the document type of the driving licence.
func (y *year) settings() string { return "/documentTypes/" + y.licence }

// save gives the driving licence other rules.
func (y *year) save(rules ...object) {
	y.Helper()
	y.one("PATCH", y.settings(), object{"submission": object{"rules": rules}})
}

// hire makes a candidate who is asked for the driving licence.
func (y *year) hire(name string) *driver {
	y.Helper()
	d := &driver{id: "/candidates/" + y.create("/candidates", object{"firstName": name,
		"documentTypeIds": []string{y.licence}})}
	d.licence = y.request(d, y.licence)
	y.drivers = append(y.drivers, d)
	return d
}

// request returns the path of the candidate document type of a driver.
func (y *year) request(d *driver, documentType string) string {
	return "/candidateDocumentTypes/cdt_" + strings.TrimPrefix(d.id, "/candidates/cnd_") +
		documentType[len("dty_"):]
}

// asksForCard reports whether the driver is asked for a tachograph card, by the list that a page
// of the driver would show.
func (y *year) asksForCard(d *driver) bool {
	y.Helper()
	for _, r := range y.list("/candidateDocumentTypes?filter[candidateId]=" +
		d.id[len("/candidates/"):]) {
		if at(r, "documentType", "id") == y.tacho {
			return at(r, "state") != "removed"
		}
	}
	return false
}

// upload uploads pictures of the licence as the driver, and waits until the check has ended.
func (y *year) upload(d *driver, names ...string) {
	y.Helper()
	var parts []object
	for _, name := range names {
		parts = append(parts, object{"name": name, "fileName": name + ".png",
			"contentType": "image/png", "content": pixel})
	}
	y.as(d.id[len("/candidates/"):]).ok("POST", d.licence+"/upload", object{"parts": parts})
	y.eventually("the end of the check", func() bool {
		return y.one("GET", d.licence, nil)["lock"] == nil
	})
}

// review validates the licence by hand, with the values on it.
func (y *year) review(d *driver, number, class, until string) {
	y.Helper()
	y.one("POST", d.licence+"/validate", object{"parsed": object{"number": number, "class": class,
		"until": until}})
	y.becomes(d.licence, "validated")
	y.eventually("the rules", func() bool {
		return at(y.one("GET", d.licence, nil), "document", "parsed", "number") == number
	})
}

// becomes waits until a candidate document type has a state.
func (y *year) becomes(path, state string) {
	y.Helper()
	y.eventually(state, func() bool { return y.one("GET", path, nil)["state"] == state })
}

// isNow compares the state of the licence and the driver's status, and returns the former whole.
func (y *year) isNow(d *driver, state, status string) object {
	y.Helper()
	licence := y.one("GET", d.licence, nil)
	y.equal("state", licence["state"], state)
	y.equal("status", y.one("GET", d.id, nil)["status"], status)
	return licence
}

// ran says what the first rule did when the licence was validated last.
func (y *year) ran(d *driver) string {
	y.Helper()
	r := at(y.list(d.licence+"/ruleRuns"), 0, "rules", 0)
	switch {
	case at(r, "matched") != true:
		return fmt.Sprint("did not match, ", at(r, "whyNotMessage"))
	case at(r, "actions", 0, "changed") != true:
		return fmt.Sprint("matched, ", at(r, "actions", 0, "reason"))
	}
	return "matched, changed"
}

// events returns the events of a driver, oldest first.
func (y *year) events(d *driver) []any {
	y.Helper()
	return y.list(d.id + "/events?page[size]=100")
}

// statuses lists the statuses that a driver came to, in order.
func (y *year) statuses(d *driver) (all []string) {
	y.Helper()
	for _, e := range y.events(d) {
		if at(e, "type") == "candidateStatusChanged" {
			all = append(all, at(e, "data", "status").(string))
		}
	}
	return all
}

// reminded compares the days on which a driver was reminded of the licence, and the messages that
// the driver got, with the days on which that should have been.
func (y *year) reminded(d *driver, days ...string) {
	y.Helper()
	var got []string
	for _, e := range y.events(d) {
		if at(e, "type") == "candidateDocumentExpiring" {
			day, _, _ := strings.Cut(at(e, "timestamp").(string), "T")
			got = append(got, day)
		}
	}
	y.equal("reminders", got, days)
	name := at(y.one("GET", d.id, nil), "firstName").(string)
	y.eventually("the messages", func() bool {
		messages := y.list(d.id + "/messages")
		for _, m := range messages {
			y.equal("text", at(m, "text"), name+", upload your new Driving licence.")
		}
		return len(messages) == len(days)
	})
}

// hrFails makes the HR system answer every webhook 500, or no longer.
func (y *year) hrFails(failing bool) {
	for name := range y.secrets {
		y.receiver.fail("/hr/"+name, failing)
	}
}

// accepted returns what the HR system has accepted of one kind of event, by driver and in order,
// each once: a webhook may come twice, as the same bytes.
func (y *year) accepted(name, secret string) map[string][]any {
	y.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		y.Fatal(err)
	}
	of, once := map[string][]any{}, map[string][]byte{}
	for _, d := range y.receiver.at("/hr/" + name) {
		if err := verifier.VerifyIgnoringTimestamp(d.body, d.header); err != nil {
			y.Errorf("%s: %v", name, err)
		}
		id := d.header.Get("Webhook-Id")
		if before, twice := once[id]; twice {
			y.equal("the same event again", string(d.body), string(before))
			continue
		}
		once[id] = d.body
		var e object
		if err := json.Unmarshal(d.body, &e); err != nil {
			y.Fatal(err)
		}
		y.equal("id", e["id"], id)
		driver := "/candidates/" + at(e, "candidateId").(string)
		of[driver] = append(of[driver], e)
	}
	return of
}
