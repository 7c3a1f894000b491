package web_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCompanies makes a company of the group without script, signs in to it with the key that is
// shown once, renames it there, and sees from both sides which document types are shared.
func TestCompanies(t *testing.T) {
	p := start(t)
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/settings")
	b.press("Companies")
	b.sees("Yours")
	b.press("New company")
	b.press("Make the company")
	b.sees("Some fields need your attention")
	b.fill("name", "Northern branch")
	b.press("Make the company")
	b.sees("The key of Northern branch")
	key := eval[string](b, `document.querySelector(".secret").innerText`)
	b.press("I have kept it")
	b.sees("Northern branch")
	if page := eval[string](b, `document.documentElement.outerHTML`); !strings.HasPrefix(key,
		"dsr_") || strings.Contains(page, key) {
		t.Error("the key is not shown once")
	}
	sibling := ""
	for _, c := range p.send("GET", "/companies", nil).([]any) {
		if c := c.(object); c["name"] == "Northern branch" {
			sibling = c["id"].(string)
		}
	}
	permit := p.post("/documentTypes",
		fmt.Sprintf(`{"name":"Work permit","sharedWith":[%q],"check":{"parser":"none"}}`, sibling))
	b.open("/console/document-types/" + permit)
	b.sees("Shared with")
	b.sees("Northern branch")
	b.open("/console/companies/" + sibling)
	b.sees("Only its own administrators rename it")
	b.sees("owned by you")
	b.quiet()
	other := &process{t: t, base: p.base, key: key}
	o := other.signedIn(t)
	o.view("companies", "/console/companies", "First company")
	o.view("company", "/console/companies/"+sibling, "Rename")
	o.view("company-new", "/console/companies/new", "Make the company")
	o.open("/console/companies/" + sibling)
	o.fill("name", "Northern office")
	o.press("Rename")
	o.sees("Saved.")
	o.sees("Northern office · First administrator")
	o.view("type-shared", "/console/document-types/"+permit,
		"First company, which shares it with you")
	o.quiet()
	if got := p.send("GET", "/companies/"+sibling, nil).(object)["name"]; got != "Northern office" {
		t.Errorf("its name is %v", got)
	}
}
