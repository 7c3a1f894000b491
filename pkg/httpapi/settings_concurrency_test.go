package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// atOnce sends requests at the same time and counts the answers by status.
func (d client) atOnce(requests ...[3]string) map[int]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	statuses := map[int]int{}
	begin := make(chan struct{})
	for _, r := range requests {
		wg.Go(func() {
			<-begin
			a := d.send(r[0], r[1], r[2])
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	close(begin)
	wg.Wait()
	return statuses
}

// If several requests claim the same name at once, exactly one gets it.
func TestSettingsUnique(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{
		"/customFields":       fieldBody,
		"/registration-pages": `{"name":"Drivers","slug":"drivers"}`,
	} {
		t.Run("OK"+strings.ReplaceAll(path, "/", " "), func(t *testing.T) {
			t.Parallel()
			d := newClient(t)
			var requests [][3]string
			for range 8 {
				requests = append(requests, [3]string{"POST", path, body})
			}
			got := d.atOnce(requests...)
			if got[http.StatusOK] != 1 || got[http.StatusConflict] != 7 {
				t.Errorf("answers by status: %v", got)
			}
			if list := d.ok("GET", path, ""); list.len() != 1 {
				t.Errorf("listed: %s", list.text)
			}
			d.refuse("POST", path, body, http.StatusConflict, dossier.CodeConflict)
		})
	}
	d := newClient(t)
	d.make("/customFields", fieldBody)
	d.make("/customFields", strings.Replace(fieldBody, "candidate", "document", 1))
	d.make("/registration-pages", `{"name":"a","slug":"a"}`)
	page := d.make("/registration-pages", `{"name":"b","slug":"b"}`)
	d.refuse("PATCH", "/registration-pages/"+page, `{"slug":"a"}`, http.StatusConflict,
		dossier.CodeConflict)
}

// A reference created while its target is deleted never dangles.
func TestReferenceWhileDeleted(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	for n := range 10 {
		form := d.make("/forms", formBody)
		page := fmt.Sprintf(`{"name":"p","slug":"p%d","formIds":[%q]}`, n, form)
		got := d.atOnce([3]string{"POST", "/registration-pages", page},
			[3]string{"DELETE", "/forms/" + form, ""})
		if got[http.StatusOK] != 1 ||
			got[http.StatusConflict]+got[http.StatusUnprocessableEntity] != 1 {
			t.Errorf("round %d, answers by status: %v", n, got)
		}
	}
}

// If a partner references a shared type while it is withdrawn, exactly one of the two succeeds.
func TestReferenceWhileWithdrawn(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	partner := d.partner()
	for n := range 10 {
		id := d.make("/documentTypes",
			fmt.Sprintf(`{"name":"T","sharedWith":[%q]}`, partner.company.ID))
		body := fmt.Sprintf(
			`{"name":"s%d","eventName":"candidateCreated","active":false,"documentTypeIds":[%q]}`,
			n, id)
		var wg sync.WaitGroup
		var named, deleted textResponse
		wg.Go(func() { named = partner.send("POST", "/scenarios", body) })
		wg.Go(func() { deleted = d.send("DELETE", "/documentTypes/"+id, "") })
		wg.Wait()
		if (named.status == http.StatusOK) == (deleted.status == http.StatusOK) {
			t.Errorf("round %d: named %d %s, deleted %d %s", n, named.status, named.text,
				deleted.status, deleted.text)
		}
	}
}

// Limits are exact under concurrent requests.
func TestSettingsLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, body, other, patch string
		most                     int
	}{
		{"/integrations", hookBody, strings.Replace(hookBody, "DocumentValidated", "Created", 1),
			`{"triggerEvent":"candidateDocumentValidated"}`,
			dossier.MaxActiveIntegrations},
		{"/scenarios", `{"name":"s","eventName":"candidateCreated"}`,
			`{"name":"s","eventName":"candidateCreated","active":false}`, `{"active":true}`,
			dossier.MaxActiveScenarios},
	} {
		t.Run("OK"+strings.ReplaceAll(c.path, "/", " "), func(t *testing.T) {
			t.Parallel()
			d := newClient(t)
			for range c.most - 2 {
				d.make(c.path, c.body)
			}
			var requests [][3]string
			for range 5 {
				requests = append(requests, [3]string{"POST", c.path, c.body})
			}
			if got := d.atOnce(requests...); got[http.StatusOK] != 2 ||
				got[http.StatusConflict] != 3 {
				t.Errorf("two were free, answers by status: %v", got)
			}
			d.refuse("POST", c.path, c.body, http.StatusConflict, dossier.CodeLimitReached)
			other := d.make(c.path, c.other)
			d.refuse("PATCH", c.path+"/"+other, c.patch, http.StatusConflict,
				dossier.CodeLimitReached)
		})
	}
}

// A preset can't grow so far that a rule which applies it exceeds the limit of one run.
func TestPresetWithinRuleLimits(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	var ids, actions []string
	for n := range 29 {
		id := d.make("/documentTypes", typeBody)
		ids = append(ids, fmt.Sprintf("%q", id))
		if n < 28 {
			actions = append(actions, fmt.Sprintf(`{"type":"addDocumentType","value":%q}`, id))
		}
	}
	more := []string{fmt.Sprintf("%q", d.make("/documentTypes", typeBody)), ids[28]}
	preset := d.make("/presets", fmt.Sprintf(`{"name":"p","documentTypeIds":[%s]}`, more[0]))
	actions = append(actions, fmt.Sprintf(`{"type":"applyPreset","value":%q}`, preset))
	rules := fmt.Sprintf(
		`{"conditionsType":"and","actions":[%s]},{"conditionsType":"and","actions":[%s]}`,
		strings.Join(actions[:15], ","), strings.Join(actions[15:], ","))
	d.make("/documentTypes", `{"name":"T","submission":{"rules":[`+rules+`]}}`)
	d.refuse("PATCH", "/presets/"+preset,
		fmt.Sprintf(`{"documentTypeIds":[%s]}`, strings.Join(more, ",")), http.StatusConflict,
		dossier.CodeLimitReached)
	d.ok("PATCH", "/presets/"+preset, fmt.Sprintf(`{"documentTypeIds":[%s]}`, more[1]))
}
