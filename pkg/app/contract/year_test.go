package contract

import (
	"fmt"

	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// year is a staffing firm that works with the service from January to December, over HTTP. Each
// night a sweep runs. The firm's HR system receives the webhooks.
type year struct {
	*service
	today          atomic.Pointer[time.Time]
	licence, tacho string            // document types
	secrets        map[string]string // of the integrations, by the event that they send
	drivers        []*driver

	ada, bo, cleo, dan, eve *driver
}

// driver is a candidate, by the path, and the path of the driving licence that is asked for.
type driver struct{ id, licence string }

// months are the steps of the year, each on the first day of its month.
var months = []struct {
	name string
	do   func(*year)
}{
	{"January: driving licences are reviewed by hand, with number and expiry", (*year).january},
	{"February: a value that was read wrong is corrected", (*year).february},
	{"March: a shadow rule changes nothing", (*year).march},
	{"April: the shadow rule is promoted", (*year).april},
	{"May: somebody saves a bad rule", (*year).may},
	{"June: the bad rule is rolled back", (*year).june},
	{"July: a validated licence is replaced by mistake", (*year).july},
	{"August: the HR system is down for two days", (*year).august},
	{"September: a licence that expires is asked for again in time", (*year).september},
	{"October and November: another one expires, and is renewed late", (*year).october},
	{"December: the HR system has seen the year", (*year).december},
}

// TestYear lets the year pass on each engine. A month relies on those before it.
func TestYear(t *testing.T) {
	t.Parallel()
	for name, engine := range engines {
		if name == "dynamo" && testing.Short() {
			t.Log("without DynamoDB Local; `make test` runs both engines")
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := &year{secrets: map[string]string{}}
			start := time.Date(2027, 1, 1, 8, 0, 0, 0, time.UTC)
			y.today.Store(&start)
			y.service = newServiceAt(t, engine(t), func() time.Time { return *y.today.Load() })
			for n, month := range months {
				passed := t.Run(month.name, func(t *testing.T) {
					y.service = y.sub(t)
					y.passUntil(time.Date(2027, time.Month(n+1), 1, 8, 0, 0, 0, time.UTC))
					month.do(y)
				})
				if !passed {
					return
				}
			}
		})
	}
}

// passUntil lets time pass, with a sweep every day.
func (y *year) passUntil(end time.Time) {
	y.Helper()
	for now := *y.today.Load(); now.Before(end); {
		if now = now.AddDate(0, 0, 1); now.After(end) {
			now = end
		}
		y.today.Store(&now)
		if _, err := y.sweep.Work(y.Context()); err != nil {
			y.Fatal(err)
		}
	}
}

// eventually repeats an attempt until it succeeds. When that takes longer than usual, as when a
// delivery waits for its next attempt, some hours pass.
func (y *year) eventually(what string, attempt func() bool) {
	y.Helper()
	patience := time.Now().Add(10 * time.Second)
	y.service.eventually(what, func() bool {
		if time.Now().After(patience) {
			patience = time.Now().Add(10 * time.Second)
			y.passUntil(y.today.Load().Add(6 * time.Hour))
		}
		return attempt()
	})
}

// january sets the firm up and has its first drivers approved.
func (y *year) january() {
	field := y.field("licence")
	y.tacho = y.create("/documentTypes", object{"name": "Tachograph card",
		"requiredParts": []string{"front"}, "check": object{"parser": "json",
			"required": []string{"card.number"}}})
	y.licence = y.create("/documentTypes", object{"name": "Driving licence",
		"requiredParts": []string{"front", "back"},
		"check": object{"parser": "none", "required": []string{"number", "class", "until"},
			"expiryReference": "until", "fields": []object{
				{"reference": "number", "label": "Number", "type": "text"},
				{"reference": "class", "label": "Class", "type": "text"},
				{"reference": "until", "label": "Valid until", "type": "date"}}},
		"writeBack": []object{{"from": "number", "to": "cf_" + field}}})
	y.create("/scenarios", object{"name": "Renewal", "active": true,
		"eventName": "candidateDocumentExpiring", "notification": object{
			"subject": "Your licence", "text": "{{firstName}}, upload your new {{documentType}}."}})
	for _, name := range []string{"candidateCreated", "candidateStatusChanged",
		"candidateDocumentRequested", "candidateDocumentValidated", "candidateDocumentRejected",
		"candidateDocumentExpiring", "candidateDocumentExpired", "candidateMessageSent"} {
		made := y.one("POST", "/integrations", object{"name": "HR system", "triggerEvent": name,
			"target": object{"type": "webhook", "url": y.receiver.URL + "/hr/" + name}})
		y.secrets[name] = made["secret"].(string)
	}

	y.ada = y.hire("Ada")
	y.isNow(y.ada, "requested", "collecting")
	y.upload(y.ada, "front", "back")
	y.isNow(y.ada, "inReview", "inReview")
	problem := y.refuse("POST", y.ada.licence+"/validate", object{"parsed": object{"number": "N-1",
		"class": "CE"}}, 422, "VALIDATION_FAILED")
	y.equal("what is missing", at(problem, "errors", 0, "pointer"), "/parsed/until")
	y.review(y.ada, "N-1", "CE", "2027-10-15")
	y.isNow(y.ada, "validated", "approved")
	licence := y.one("GET", y.ada.licence, nil)
	y.equal("expiry", licence["expiresAt"], "2027-10-15")
	y.equal("who decided", at(licence, "document", "decidedBy", "kind"), "administrator")
	y.equal("written back", at(y.one("GET", y.ada.id, nil), "customFields", field), "N-1")

	y.bo = y.hire("Bo")
	y.upload(y.bo, "front")
	y.isNow(y.bo, "uploaded", "collecting") // the back is missing
	y.upload(y.bo, "back")
	y.review(y.bo, "N-2", "B", "2027-11-20")
	y.isNow(y.bo, "validated", "approved")
}

// february has a machine read the number of a card, and a reviewer correct it.
func (y *year) february() {
	y.one("POST", "/candidateDocumentTypes", object{"candidateId": y.ada.id[len("/candidates/"):],
		"documentTypeId": y.tacho})
	card := y.request(y.ada, y.tacho)
	y.ok("POST", card+"/upload", parts(`{"card":{"number":"T-O07"}}`))
	y.becomes(card, "inReview")
	y.equal("status", y.one("GET", y.ada.id, nil)["status"], "inReview")
	y.one("POST", card+"/validate", object{"parsed": object{"card": object{"number": "T-007"}},
		"comment": "The O is a zero."})
	now := y.one("GET", card, nil)
	y.equal("state", now["state"], "validated")
	y.equal("number", at(now, "document", "parsed", "card", "number"), "T-007")
	y.equal("correction", []any{at(now, "document", "corrections", 0, "reference"),
		at(now, "document", "corrections", 0, "read"),
		at(now, "document", "corrections", 0, "value")}, []any{"card.number", "T-O07", "T-007"})
	y.isNow(y.ada, "validated", "approved")
}

// march tries a rule in the shadow: who may drive lorries needs a tachograph card.
func (y *year) march() {
	lorries := rule("and", []object{condition("fields", "class", "contains", []string{"C"})},
		object{"type": "addDocumentType", "value": y.tacho})
	lorries["mode"] = "shadow"
	y.save(lorries)
	y.cleo = y.hire("Cleo")
	y.upload(y.cleo, "front", "back")
	y.review(y.cleo, "N-3", "CE", "2031-01-31")
	y.isNow(y.cleo, "validated", "approved")
	y.equal("the rule", y.ran(y.cleo), "matched, shadow")
	y.equal("asked for a card", y.asksForCard(y.cleo), false)
}

// april promotes the rule, after a simulation over the drivers of the year.
func (y *year) april() {
	live := y.one("GET", y.settings(), nil)["submission"].(object)["rules"].([]any)[0].(object)
	delete(live, "mode")
	proposed := object{"submission": object{"rules": []object{live}}, "over": object{
		"from": "2027-01-01T00:00:00Z", "to": "2027-04-01T00:00:00Z"}}
	var over any
	y.eventually("the drivers of the year in the index", func() bool {
		over = y.one("POST", y.settings()+"/submission/simulate", proposed)["over"]
		return at(over, "compared") == 3.0
	})
	y.equal("would have been asked for a card", at(over, "got", 0, "count"), 2)
	y.save(live)
	y.dan = y.hire("Dan")
	y.upload(y.dan, "front", "back")
	y.review(y.dan, "N-4", "C", "2031-01-31")
	y.isNow(y.dan, "validated", "collecting")
	y.equal("the rule", y.ran(y.dan), "matched, changed")
	y.equal("asked for a card", y.asksForCard(y.dan), true)
	y.ok("POST", y.request(y.dan, y.tacho)+"/upload", parts(`{"card":{"number":"T-4"}}`))
	y.becomes(y.request(y.dan, y.tacho), "inReview")
	y.one("POST", y.request(y.dan, y.tacho)+"/validate", nil)
	y.isNow(y.dan, "validated", "approved")
}

// may has somebody save the rule without its condition, so that everybody is asked for a card.
func (y *year) may() {
	y.save(rule("and", []object{}, object{"type": "addDocumentType", "value": y.tacho}))
	y.eve = y.hire("Eve")
	y.upload(y.eve, "front", "back")
	y.review(y.eve, "N-5", "B", "2031-01-31")
	y.equal("asked for a card", y.asksForCard(y.eve), true)
	y.isNow(y.eve, "validated", "collecting")
}

// june finds the version that was right, restores it, and has Eve approved.
func (y *year) june() {
	path := y.settings() + "/submission/versions"
	versions := y.list(path)
	bad, good := fmt.Sprint(at(versions, 0, "version")), fmt.Sprint(at(versions, 1, "version"))
	y.equal("saved in May", at(versions, 0, "createdAt").(string)[:len("2027-05")], "2027-05")
	y.equal("by", at(versions, 0, "createdBy", "kind"), "administrator")
	changes := at(y.one("GET", path+"/"+good+"/diff/"+bad, nil), "changes").([]any)
	y.equal("there is a difference", len(changes) > 0, true)
	restored := y.one("POST", path+"/"+good+"/restore", nil)
	y.equal("rules", at(restored, "submission", "rules"), at(versions, 1, "submission", "rules"))
	y.equal("versions", len(y.list(path)), len(versions)+1)
	y.one("DELETE", y.request(y.eve, y.tacho), nil)
	y.isNow(y.eve, "validated", "approved")
	fay := y.hire("Fay")
	y.upload(fay, "front", "back")
	y.review(fay, "N-6", "B", "2031-01-31")
	y.isNow(fay, "validated", "approved")
	y.equal("the rule", y.ran(fay), "did not match, To match, class would have to contain C.")
	y.equal("asked for a card", y.asksForCard(fay), false)
}

// july has Cleo replace a licence in force with another picture.
func (y *year) july() {
	before := y.one("GET", y.cleo.licence, nil)
	y.upload(y.cleo, "front", "back")
	now := y.isNow(y.cleo, "validated", "approved")
	y.equal("in force", now["document"], before["document"])
	y.equal("expiry", now["expiresAt"], "2031-01-31")
	y.equal("beside it", at(now, "replacement", "state"), "inReview")
	y.one("POST", y.cleo.licence+"/reject", object{"reason": "This is a holiday picture."})
	now = y.isNow(y.cleo, "validated", "approved")
	y.equal("in force", now["document"], before["document"])
	y.equal("beside it", at(now, "replacement", "state"), "rejected")
	y.equal("statuses", y.statuses(y.cleo), []string{"inReview", "approved"})
}

// august has the HR system down while drivers are hired, and up again two days later.
func (y *year) august() {
	y.hrFails(true)
	gus := y.hire("Gus")
	y.upload(gus, "front", "back")
	y.review(gus, "N-7", "B", "2031-01-31")
	y.isNow(gus, "validated", "approved")
	y.passUntil(y.today.Load().AddDate(0, 0, 2))
	validated := func() []any {
		name := "candidateDocumentValidated"
		return y.accepted(name, y.secrets[name])[gus.id]
	}
	y.equal("received while it is down", len(validated()), 0)
	y.hrFails(false)
	y.passUntil(y.today.Load().AddDate(0, 0, 3))
	y.eventually("the delivery", func() bool { return len(validated()) == 1 })
}

// september reminds Ada 30 days before her licence expires. She uploads the new one, which is
// validated before the old one expires.
func (y *year) september() {
	y.passUntil(time.Date(2027, 9, 20, 8, 0, 0, 0, time.UTC))
	y.reminded(y.ada, "2027-09-15")
	y.upload(y.ada, "front", "back")
	y.isNow(y.ada, "validated", "approved")
	y.passUntil(time.Date(2027, 9, 22, 8, 0, 0, 0, time.UTC))
	y.review(y.ada, "N-1b", "CE", "2032-10-15")
	now := y.isNow(y.ada, "validated", "approved")
	y.equal("expiry", now["expiresAt"], "2032-10-15")
	y.equal("nothing beside it", now["replacement"], nil)
}

// october reminds Bo twice, in vain: the licence expires in November, and is renewed after that.
func (y *year) october() {
	y.passUntil(time.Date(2027, 11, 20, 8, 0, 0, 0, time.UTC))
	y.reminded(y.bo, "2027-10-21", "2027-11-13")
	y.isNow(y.bo, "validated", "approved") // on its last day
	y.passUntil(time.Date(2027, 11, 21, 8, 0, 0, 0, time.UTC))
	y.isNow(y.bo, "expired", "collecting")
	y.passUntil(time.Date(2027, 11, 25, 8, 0, 0, 0, time.UTC))
	y.upload(y.bo, "front", "back")
	y.isNow(y.bo, "inReview", "inReview")
	y.review(y.bo, "N-2b", "B", "2037-11-20")
	y.isNow(y.bo, "validated", "approved")
	y.equal("statuses", y.statuses(y.bo), []string{"inReview", "approved", "collecting",
		"inReview", "approved"})
}

// december compares what the HR system has accepted with the events of the drivers: each once, in
// the order of the driver's events, as the API has it, signed.
func (y *year) december() {
	y.reminded(y.ada, "2027-09-15") // and not of the old licence again
	for name, secret := range y.secrets {
		want := map[string][]any{}
		count := 0
		for _, driver := range y.drivers {
			for _, e := range y.events(driver) {
				if at(e, "type") == name {
					want[driver.id], count = append(want[driver.id], e), count+1
				}
			}
		}
		y.equal(name+" happened", count > 0, true)
		var got map[string][]any
		y.eventually("the last "+name, func() bool {
			received := 0
			got = y.accepted(name, secret)
			for _, list := range got {
				received += len(list)
			}
			return received >= count
		})
		if diff := cmp.Diff(want, got); diff != "" {
			y.Errorf("%s (-events +received):\n%s", name, diff)
		}
	}
}
