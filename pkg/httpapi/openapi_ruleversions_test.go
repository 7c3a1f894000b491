package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

const (
	versionsPath = "/documentTypes/{id}/submission/versions"
	ofOthers     = " The versions of a document type that another company owns can't be read: 403."
)

func ruleVersionOperations() map[string]operation {
	return map[string]operation{
		"GET " + versionsPath: {id: "listSubmissionVersions",
			summary: "List the versions of the rules", out: "[]SubmissionVersion",
			text: fmt.Sprintf(
				"Each change of the rules makes a version, which says who made it and when. The newest %d are kept and listed, newest first.",
				dossier.MaxRuleVersions) + ofOthers},
		"GET " + versionsPath + "/{version}": {id: "getSubmissionVersion",
			summary: "Get a version of the rules", out: "SubmissionVersion", text: ofOthers[1:]},
		"GET " + versionsPath + "/{version}/diff/{other}": {id: "compareSubmissionVersions",
			summary: "Compare two versions of the rules", out: "SubmissionDiff",
			text: "Lists what leads from the rules of `version` to those of `other`: the added, removed and changed rules, each with a sentence. A rule is the same one if it has the same id." + ofOthers},
		"POST " + versionsPath + "/{version}/restore": {id: "restoreSubmissionVersion",
			summary: "Restore a version of the rules", out: "DocumentType", versioned: true,
			text: "Gives the document type the rules of the version again, as a new version; with the rules that it has already nothing changes. " +
				"They are checked as new rules are, so that a rule whose target was deleted meanwhile is refused. With `If-Match` they replace only the rules that you have seen."},
	}
}

func ruleVersionTypes() []spec.Type {
	return slices.Concat(
		spec.Output("SubmissionVersion", "",
			"The rules of a document type as one change left them.", dossier.SubmissionVersion{},
			spec.Fields{
				"version": says(
					"Counts the changes of the rules. A rule run names it as `submissionVersion`.").
					AtLeast(1),
				"submission":   says("The rules."),
				"restoredFrom": says("The version that was restored.").AtLeast(1),
				"createdBy": says(
					"Who made the change. Left out for rules that were saved before versions were kept."),
				"createdAt": says("When the rules were saved."),
			}),
		spec.Output("SubmissionDiff", "",
			"What leads from the rules of one version to those of another.",
			dossier.SubmissionDiff{}, spec.Fields{
				"from": says("The number of the one version.").AtLeast(1),
				"to":   says("The number of the other version.").AtLeast(1),
				"changes": says(
					"First the removed rules, then the added and changed ones in their order."),
				"tests": says(
					"First the removed tests, then the added and changed ones in their order."),
			}),
		spec.Output("RuleTestChange", "", "A test that two versions do not have alike.",
			dossier.RuleTestChange{}, spec.Fields{
				"change":  is("RuleChangeKind"),
				"name":    says("Name of the test, by which it is the same one.").Plain(),
				"before":  says("The test in the one version. Left out for an added test."),
				"after":   says("The test in the other version. Left out for a removed test."),
				"message": says("What happened to the test, as a sentence."),
			}),
		spec.Output("RuleChange", "", "A rule that two versions do not have alike.",
			dossier.RuleChange{}, spec.Fields{
				"change": is("RuleChangeKind"),
				"ruleId": says("Id of the rule.").Is("Id"),
				"members": says("What was changed of a changed rule: `" +
					strings.Join(dossier.RuleMembers, "`, `") + "`."),
				"beforePosition": says("The place of the rule in the one version, from 1. Left out for an added rule.").AtLeast(1),
				"afterPosition":  says("The place of the rule in the other version, from 1. Left out for a removed rule.").AtLeast(1),
				"before":         says("The rule in the one version. Left out for an added rule."),
				"after": says(
					"The rule in the other version. Left out for a removed rule."),
				"message": says("What happened to the rule, as a sentence."),
			}),
	)
}

// ruleVersionExamples changes the rules of the work permit and takes the change back.
func ruleVersionExamples(s *session) {
	const versions = "/documentTypes/$dty/submission/versions"
	s.quiet("PATCH /documentTypes/{id}", "/documentTypes/$dty", `{"submission":{"rules":[]}}`, "")
	s.record("GET "+versionsPath, versions, "", "")
	s.record("GET "+versionsPath+"/{version}", versions+"/1", "", "")
	s.record("GET "+versionsPath+"/{version}/diff/{other}", versions+"/1/diff/2", "", "")
	s.record("POST "+versionsPath+"/{version}/restore", versions+"/1/restore", "", "")
}
