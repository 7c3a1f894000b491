package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

var _ = describe(overviewDescribed)

func overviewDescribed() description {
	return description{
		tag: "overview", after: "sessions", text: "What waits in the company.",
		operations: map[string]operation{
			"GET /overview": {id: "getOverview", summary: "Count what waits", out: "Overview",
				text: "Each number leads into a list and is counted up to 100 in the order of that list: nothing keeps a count. " +
					"What an earlier version stored is not counted as overdue, expiring or unread until it changes."},
		},
		types: slices.Concat(
			spec.Output("Overview", "", "What waits in the company.", dossier.Overview{},
				spec.Fields{
					"toReview": says("Documents in review: `filter[state][]=inReview`."),
					"checkFailed": says(
						"Documents whose check failed technically: `filter[state][]=checkFailed`."),
					"overdue": says(
						"What candidates should have done by now: `filter[dueBefore]`."),
					"expiring": says(
						"Validated documents that expire: `filter[expiresBefore]`."),
					"unreadMessages": says(
						"Messages of candidates that no administrator has read: `/messages/unread`."),
					"integrationsFailing": says(
						"Active integrations whose newest deliveries all failed."),
					"integrationsDisabled": says("Disabled integrations."),
					"oldestToReview": says(
						"What has waited longest for a review. Left out if nothing does."),
					"oldestCheck": says(
						"What has been checked for longest. Left out if no check runs."),
				}),
			spec.Output("Count", "", "A number that is counted up to 100.", dossier.Count{},
				spec.Fields{
					"count": says("How many there are, at most 100.").Between(0,
						dossier.MaxCounted),
					"more": says("There are more."),
				}),
			spec.Output("ExpiringCount", "",
				"Documents that expire within some days. A longer time includes the shorter ones.",
				dossier.ExpiringCount{}, spec.Fields{
					"in30Days": says("Within 30 days."), "in60Days": says("Within 60 days."),
					"in90Days": says("Within 90 days."),
				}),
			spec.Output("Waiting", "", "A candidate document type that waits.", dossier.Waiting{},
				spec.Fields{
					"candidateDocumentTypeId": says("Id of the candidate document type."),
					"candidateId":             says("Id of the candidate."),
					"since":                   says("When it came into its state."),
				}),
		),
		examples: func(s *session) { s.record("GET /overview", "/overview", "", "") },
	}
}
