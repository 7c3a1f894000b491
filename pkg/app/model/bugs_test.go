package model

import (
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/worker/chaos/planted"
)

// bugs are bugs that somebody could make in each package of the service. TestBugs plants one after
// the other, and sees that TestModel finds it.
var bugs = []planted.Bug{
	{"a candidate is approved as soon as something is validated", "dossier/state.go",
		"case required == 0 && !validated:", "case required == 0:"},
	{"a value that is written back keeps its spaces", "dossier/value.go",
		"	text = strings.TrimSpace(text)\n	switch t {", "	switch t {"},
	{"a rule of the type or matches without conditions", "rules/evaluate.go",
		"	matched := r.and\n", "	matched := r.and || len(r.conditions) == 0\n"},
	{"a notification is sent twice in one run", "rules/apply.go",
		"	case slices.Contains(e.sent, scenario):", "	case len(e.sent) > 9:"},
	{"rules see the candidate before the write-back", "store/task_rules.go",
		"	a.writeBack()\n	var decision", "	defer a.writeBack()\n	var decision"},
	{"a message that was read can be deleted", "store/message.go",
		`"author": own, "state": dossier.MessageUnread}`, `"author": own}`},
	{"the rules of a sibling's document type are applied", "store/task_rules_job.go",
		"s.sharedTo(company)", "false"},
	{"the first attempt is repeated without a wait", "worker/deliver.go",
		"w.NextDelay(claim.Tries+1,", "w.NextDelay(claim.Tries,"},
	{"an endpoint that is gone counts as reached", "webhook/outcome.go",
		"		o.Result = dossier.Gone ", "		o.Result = dossier.Delivered "},
	{"a sibling sees the rules of a shared document type", "httpapi/visible.go",
		"	case dt.Owner.CompanyID != r.company():\n", "	case false:\n"},
	{"an Idempotency-Key stands for a body, whatever the path", "httpapi/idempotency.go",
		`r.Method+" "+r.URL.EscapedPath()+"\n"`, `r.Method+"\n"`},
	{"a preset that is taken back leaves the text empty that it replaced",
		"store/candidate_brought.go", "		text, _ := f.Before.(string)\n",
		"		text := \"\"\n"},
	{"who names a sibling renames the own company", "httpapi/companies.go",
		`	if r.param("id") != r.company() {`, "	if false {"},
	{"a form that comes and goes within one run leaves an event", "rules/apply.go",
		"	e.undo(ChangeAddForm, dossier.ActionRemoveForm, id)\n",
		"	e.changes = append(e.changes, Change{Type: dossier.ActionRemoveForm, Value: id})\n"},
	{"an open form does not matter while a document waits for review", "dossier/state.go",
		"		if f.State == FormOpen {", "		if f.State == FormOpen && !waiting {"},
	{"an upload beside a document in force makes the pass pending", "store/document_upload.go",
		"	if u.docType.Pass && r.InForce == nil {", "	if u.docType.Pass {"},
	{"the sweeper takes deliveries for work of its own", "worker/sweep.go",
		"		if store.BySweep(t.Kind) {",
		"		if store.BySweep(t.Kind) || t.Kind == store.TaskDeliver {"},
	{"a redirect counts as delivered", "webhook/outcome.go",
		"	case r.status >= 200 && r.status < 300:",
		"	case r.status >= 200 && r.status < 400:"},
	{"a parser service stays confirmed when its type is no longer shared",
		"store/settings_type_share.go", `c.ConfirmedParser = ""`, "_ = c"},
	{"a check that is started again has used up its tries", "store/document_recheck.go",
		"		r.State, r.Tries, r.Document.Reasons = dossier.StateProcessing, 0, nil\n",
		"		r.State, r.Document.Reasons = dossier.StateProcessing, nil\n"},
	{"a candidate sees what was read from a replacement", "httpapi/visible.go",
		"		newer.Document = &d\n", "		_ = d\n"},
}

// TestBugsApply holds that each bug can still be planted, without running it.
func TestBugsApply(t *testing.T) {
	t.Parallel()
	planted.Check(t, "../..", bugs)
}

// TestBugs compiles the service with each bug in turn. It takes minutes, and is part of the full
// size only.
func TestBugs(t *testing.T) {
	if !*full {
		t.Skip("part of `make chaos`")
	}
	for _, b := range bugs {
		t.Run(b.Name, func(t *testing.T) {
			out, err := planted.Test(t, "../..", b, "-run", "^TestModel$", ".", "-args",
				"-sessions=1500", "-rapid.shrinktime=5s")
			found := ""
			for line := range strings.Lines(out) {
				if strings.Contains(line, "[rapid] failed after") {
					found = strings.TrimSpace(line)
				}
			}
			if err == nil || found == "" {
				t.Fatalf("not found: %v\n%s", err, out[max(0, len(out)-2000):])
			}
			t.Logf("found: %s", found[:min(len(found), 300)])
		})
	}
}
