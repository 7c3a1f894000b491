package httpapi

import (
	"fmt"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

const (
	settingsVersionsPath = "/settings/{id}/versions"
	settingsWithVersions = "a form, custom field, preset, scenario, registration page or integration"
)

var _ = describe(settingsVersionsDescribed)

func settingsVersionsDescribed() description {
	const at = "/settings/$frm/versions"
	kinds := []string{"Form", "CustomField", "Preset", "Scenario", "RegistrationPage",
		"Integration"}
	var anyOf []*spec.Schema
	for _, k := range kinds {
		anyOf = append(anyOf, spec.RefTo(k))
	}
	return description{
		tag: "settings", after: "integrations",
		text:       "The versions of " + settingsWithVersions + ", by its id.",
		operations: settingsVersionOperations(), types: settingsVersionTypes(),
		named: map[string]*spec.Schema{
			"Setting": {Description: "What was restored: " + settingsWithVersions + ".",
				AnyOf: anyOf},
		},
		examples: func(s *session) {
			s.quiet("POST /forms", "/forms", `{"name":"Declaration"}`, "frmv")
			s.quiet("PATCH /forms/{id}", "/forms/$frmv", `{"name":"Permit declaration"}`, "")
			const versions = "/settings/$frmv/versions"
			s.record("GET "+settingsVersionsPath, versions, "", "")
			s.record("GET "+settingsVersionsPath+"/{version}", versions+"/1", "", "")
			s.record("GET "+settingsVersionsPath+"/{version}/diff/{other}", versions+"/1/diff/2",
				"", "")
			s.record("POST "+settingsVersionsPath+"/{version}/restore", versions+"/1/restore", "",
				"")
		},
		samples: map[string]goodRequest{
			"GET " + settingsVersionsPath:                             {at: at},
			"GET " + settingsVersionsPath + "/{version}":              {at: at + "/1"},
			"GET " + settingsVersionsPath + "/{version}/diff/{other}": {at: at + "/1/diff/1"},
			"POST " + settingsVersionsPath + "/{version}/restore":     {at: at + "/1/restore"},
		},
	}
}

func settingsVersionOperations() map[string]operation {
	return map[string]operation{
		"GET " + settingsVersionsPath: {id: "listSettingsVersions",
			summary: "List the versions of a setting", out: "[]SettingsVersion",
			text: fmt.Sprintf("Each change of "+settingsWithVersions+" makes a version, which says who made it and when. "+
				"The newest %d are kept and listed, newest first. They are deleted with it. "+
				"The rules of document types have versions of their own.",
				dossier.MaxSettingsVersions)},
		"GET " + settingsVersionsPath + "/{version}": {id: "getSettingsVersion",
			summary: "Get a version of a setting", out: "SettingsVersion"},
		"GET " + settingsVersionsPath + "/{version}/diff/{other}": {id: "compareSettingsVersions",
			summary: "Compare two versions of a setting", out: "SettingsDiff",
			text: "Lists what leads from the content of `version` to that of `other`."},
		"POST " + settingsVersionsPath + "/{version}/restore": {id: "restoreSettingsVersion",
			summary: "Restore a version of a setting", out: "Setting", versioned: true,
			text: "Gives the setting the content of the version again, as a new version. What it names is checked as in a change, so that a version that names something deleted is refused. " +
				"The state and the secrets of an integration stay as they are, and a key needs the scopes that a change of its address needs. " +
				"With `If-Match` it replaces only what you have seen.",
			fails: fails(limitReached, fail(dossier.CodeInUse, ""),
				fail(dossier.CodeConflict, "Another registration page has the slug."))},
	}
}

func settingsVersionTypes() []spec.Type {
	return slices.Concat(
		spec.Output("SettingsVersion", "",
			"The content of "+settingsWithVersions+" as one change left it.",
			dossier.SettingsVersion{}, spec.Fields{
				"version": says("Counts the changes of the content.").AtLeast(1),
				"content": says("The body that creates such a content, without secrets; " +
					"of a custom field the one that changes it."),
				"restoredFrom": says("The version that was restored.").AtLeast(1),
				"createdBy": says(
					"Who made the change. Left out for what was saved before versions were kept."),
				"createdAt": says("When it was saved."),
			}),
		spec.Output("SettingsDiff", "",
			"What leads from the content of one version to that of another.",
			dossier.SettingsDiff{}, spec.Fields{
				"from":    says("The number of the one version.").AtLeast(1),
				"to":      says("The number of the other version.").AtLeast(1),
				"changes": says("The members that differ, ordered by pointer."),
			}),
		spec.Output("SettingsChange", "", "A member that two versions do not have alike.",
			dossier.SettingsChange{}, spec.Fields{
				"pointer": says(
					"JSON pointer (RFC 6901) of the member in the content. A list is one member."),
				"before": says("In the one version. Left out where it does not have the member."),
				"after":  says("In the other version. Left out where it does not have the member."),
			}),
	)
}
