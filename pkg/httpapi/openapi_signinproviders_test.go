package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

var _ = describe(signInProvidersDescribed)

func signInProvidersDescribed() description {
	n := noun{"SignInProvider", "/signInProviders", "sign-in provider"}
	forever := fail(dossier.CodeForbidden,
		"You cannot set up a sign-in provider: your access ends, or lacks one of its scopes.")
	d := description{
		tag: "signInProviders", after: "sessions",
		text: "OpenID Connect providers at which the people of the company sign in as administrators.",
		operations: n.operations("The sessions of the people who signed in there end.",
			fails(limitReached, forever), fails(forever), nil),
		types: slices.Concat(signInProviderTypes(), signInTypes()),
		examples: func(s *session) {
			s.resource("/signInProviders", "sip", firstProvider,
				`{"domains":["example.com","example.org"]}`)
			s.record("GET "+signInPath, "/public/$com/sign-in", "", "")
			s.record("POST "+signInPath, "/public/$com/sign-in",
				`{"providerId":"$sip","redirectUri":"`+redirectExample+`"}`, "")
		},
		seed:    n.seed("sip", firstProvider, secondProvider),
		samples: n.samples("sip", changedProvider, changedProvider),
	}
	for route, o := range signInOperations() {
		d.operations[route] = o
	}
	d.samples["GET "+signInPath] = goodRequest{at: "/public/$com/sign-in"}
	d.samples["POST "+signInPath] = goodRequest{at: "/public/$com/sign-in",
		body: `{"providerId":"$sip","redirectUri":"` + redirectExample + `"}`, pure: true}
	return d
}

const (
	signInPath      = "/public/{companyId}/sign-in"
	redirectExample = "https://dossier.example.com/signed-in"
)

func signInOperations() map[string]operation {
	return map[string]operation{
		"GET " + signInPath: {id: "getPublicSignIn", summary: "Get where people can sign in",
			out:  "PublicSignIn",
			text: "The active sign-in providers of a company. One address may ask only so often."},
		"POST " + signInPath: {id: "startSignIn", summary: "Begin to sign in at a provider",
			in: "SignInStart", out: "SignInStarted",
			text: "Begins the authorization code flow of OpenID Connect with PKCE. Send the browser to `url`, keep `attempt` as a secret of that browser, and finish with POST /sessions.",
			fails: fails(fail(dossier.CodeUnavailable,
				"The sign-in provider cannot be reached, or its answer cannot be used."))},
	}
}

func signInTypes() []spec.Type {
	return slices.Concat(
		spec.Output("PublicSignIn", "company", "Where the people of a company can sign in.",
			dossier.PublicSignIn{}, nil),
		spec.Output("PublicProvider", "sign-in provider", "A provider to sign in at.",
			dossier.PublicProvider{}, spec.Fields{"name": says("Name of the provider.")}),
		spec.Input("SignInStart", "Where to sign in, and where to come back.",
			dossier.SignInStart{}, spec.Fields{
				"providerId": says("Id of an active sign-in provider of the company.").Length(1,
					dossier.MaxID),
				"redirectUri": says("Where the provider sends the browser: an https address that is registered there, or http on this computer.").Length(
					1, dossier.MaxURL),
			}),
		spec.Output("SignInStarted", "attempt", "An attempt to sign in.",
			dossier.SignInStarted{}, spec.Fields{
				"url":       says("Where the browser has to go."),
				"attempt":   says("The whole `dsa_…`: a secret of this browser. Without it, the code that the provider gives is of no use."),
				"expiresAt": says("When the attempt ends."),
			}))
}

const (
	firstProvider = `{"name":"Example B.V.","issuer":"https://login.example.com","clientId":"dossier",` +
		`"clientSecret":"from the provider","domains":["example.com"],` +
		`"scopes":["candidates:read","documents:write","messages:write"],` +
		`"groups":[{"name":"dossier-admins","scopes":["settings:write","keys"]}]}`
	secondProvider = `{"name":"Groups only","issuer":"https://id.example.org/realms/staff",` +
		`"clientId":"d","groupsClaim":"roles","active":false,` +
		`"groups":[{"name":"reviewers","scopes":["documents:write"]}]}`
	changedProvider = `{"name":"N","issuer":"https://login.example.com","clientId":"c",` +
		`"clientSecret":"s","domains":["example.com"],"scopes":["documents:read"],` +
		`"groupsClaim":"groups","groups":[{"name":"g","scopes":["keys"]}],"active":true}`
)

func signInProviderTypes() []spec.Type {
	scopes := func(text string) spec.Field {
		return says(text).Count(0, len(dossier.Scopes)).Unique().Each(is("Scope"))
	}
	return append(spec.Resource("SignInProvider", "sign-in provider",
		"An OpenID Connect provider at which the people of the company sign in as administrators. A person has the scopes of everybody in the domains and those of each group that the provider puts the person in; somebody without scopes cannot sign in.",
		dossier.SignInProvider{}, dossier.SignInProviderInput{}, nil, spec.Fields{
			"issuer": says("Address of the provider, exactly as it stands in the claim `iss`. It answers at `/.well-known/openid-configuration` below it.").Length(
				1, dossier.MaxURL),
			"clientId": says("Id that the provider gave to this service.").Length(1,
				dossier.MaxName),
			"clientSecret": says("Secret that the provider gave to this service, stored encrypted and never shown. Leave it out for a public client. A change of `issuer` or `clientId` has to give it again.").Length(
				0, dossier.MaxClientSecret),
			"clientSecretSet": says("Whether a client secret is stored."),
			"domains": says("Domains of the e-mail addresses of people who may sign in. The provider has to say that the address is verified. Without domains, only members of `groups` may sign in.").Count(
				0, dossier.MaxSignInDomains).Unique(),
			"scopes": scopes("What everybody in the domains may do."),
			"groupsClaim": says("The claim with a person's groups: one text or a list.").Length(
				1, dossier.MaxReference).Default(dossier.DefaultGroupsClaim),
			"groups": says("What the members of a group at the provider may do besides.").Count(
				0, dossier.MaxSignInGroups),
			"active": says("Whether people can sign in with it. Sessions end when it is switched off.").Default(
				true),
		}), spec.Nested("SignInGroup", "group",
		"Gives scopes to the members of a group at the provider.", dossier.SignInGroup{},
		dossier.SignInGroup{}, spec.Fields{
			"name":   says("The group as it stands in the claim.").Length(1, dossier.MaxName),
			"scopes": scopes("What its members may do."),
		})...)
}
