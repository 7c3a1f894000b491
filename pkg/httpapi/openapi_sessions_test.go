package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

var _ = describe(sessionsDescribed)

func sessionsDescribed() description {
	return description{
		tag: "sessions", after: "keys",
		text: "Signing in with a key, a sign-in link or at the company's own provider, and signing out.",
		operations: map[string]operation{
			"POST /sessions": {id: "createSession", summary: "Sign in", in: "SessionCreate",
				out: "Session",
				text: "Creates a session of the key, or of the person who signed in at a provider. It lasts for at most 12 hours and not longer than its key, ends within a minute after its key, and has the scopes that the key has. The session of a person has the scopes that the provider's settings give at each moment. " +
					"One address may try only so often. An `Idempotency-Key` has no effect: a request that is sent again creates another session.",
				fails: fails(fail(dossier.CodeForbidden,
					"The provider knows the person, and its settings give the person no access."),
					fail(dossier.CodeUnavailable,
						"The sign-in provider cannot be reached, or its answer cannot be used."))},
			"GET /sessions/current": {id: "getCurrentSession", summary: "Get who is signed in",
				out: "Session", text: "A session, a key, a candidate's token and a JWT may ask."},
			"DELETE /sessions/current": {id: "endCurrentSession", summary: "Sign out",
				text: "Ends the session, or the candidate's token, that the request came with. Another process may accept it for up to a minute.",
				fails: fails(fail(dossier.CodeForbidden,
					"A key cannot be ended here: delete it."))},
		},
		types: slices.Concat(
			spec.Output("Session", "session", "Who is signed in, and until when.",
				dossier.Session{}, spec.Fields{
					"token": says(
						"The whole `dss_…`, or `dso_…` of a person who signed in at a provider, to be sent as `Authorization: Bearer …`. It is shown once, when the session is created."),
					"company":   spec.Field{},
					"principal": says("Who is signed in."),
					"scopes":    says("What the principal may do. A change of the key's scopes shows within a minute. Empty for a candidate's token.").Each(is("Scope")),
					"expiresAt": says("When it ends by itself. Left out for a key that does not."),
				}),
			spec.Output("SessionCompany", "company", "The company whose data a session opens.",
				dossier.SessionCompany{}, nil),
			spec.Input("SessionByKey", "Signs in with a key.", dossier.SessionInput{}, spec.Fields{
				"key": says("The whole `dsr_…`.").Length(1, 300).Needed()}, "key"),
			spec.Input("SessionByLink", "Signs in with a sign-in link.", dossier.SessionInput{},
				spec.Fields{
					"link": says("The whole `dsl_…` of a sign-in link. It works once, within ten minutes.").Length(1, 300).Needed()}, "link"),
			sessionByProvider(),
		),
		named: map[string]*spec.Schema{"SessionCreate": {
			Description: "A key, a sign-in link, or an attempt to sign in at a provider.",
			OneOf: []*spec.Schema{spec.RefTo("SessionByKey"), spec.RefTo("SessionByLink"),
				spec.RefTo("SessionByProvider")}}},
		examples: func(s *session) {
			s.record("POST /sessions", "/sessions", `{"key":"`+s.testAPI.key+`"}`, "")
			s.record("GET /sessions/current", "/sessions/current", "", "")
			s.as("$cnd", func() {
				s.record("DELETE /sessions/current", "/sessions/current", "",
					"")
			})
		},
	}
}

func sessionByProvider() []spec.Type {
	return spec.Input("SessionByProvider",
		"Finishes an attempt to sign in at a provider. It works once, within ten minutes.",
		dossier.SessionInput{}, spec.Fields{
			"attempt": says("The whole `dsa_…` of the attempt, which the browser kept.").Length(1,
				300).Needed(),
			"code": says("`code`, with which the provider sent the browser back.").Length(1,
				8000).Needed(),
			"state": says("`state`, with which the provider sent the browser back.").Length(1,
				8000).Needed(),
			"issuer": says("`iss`, where the provider sent it (RFC 9207).").Length(1, 8000),
		}, "attempt", "code", "state", "issuer")
}
