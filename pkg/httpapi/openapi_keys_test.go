package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

const lastKey = "This is the last administrator key that can manage keys."

var _ = describe(keysDescribed)

func keysDescribed() description {
	return description{
		tag: "keys", after: "integrations", text: "Credentials of administrators and integrations.",
		operations: noun{"Key", "/keys", "key"}.operations("The key ends within a minute.",
			fails(limitReached),
			fails(fail(dossier.CodeConflict, lastKey)), fails(fail(dossier.CodeConflict, lastKey))),
		types: spec.Resource("Key", "key", "A credential of an administrator or of an integration.",
			dossier.Key{}, dossier.KeyInput{}, dossier.KeyUpdate{}, spec.Fields{
				"kind": is("KeyKind"),
				"scopes": says("What it may do.").Count(0, len(dossier.Scopes)).Unique().Each(
					is("Scope")).Needed(),
				"lastUsedAt": says("When it was last used, to the day."),
				"expiresAt":  says("When it expires. A key without this never does."),
				"secret": says(
					"The whole key, `dsr_…`. It is shown once, when the key is created: the answer to a repeated request (`Idempotency-Key`) leaves it out."),
			}),
		named: map[string]*spec.Schema{
			"KeyKind": enum("Who a key names.", dossier.KeyKinds, nil),
			"Scope": enum(
				"What a key may do. A `write` scope includes the `read` scope of the same resources.", dossier.Scopes, map[string]string{
					dossier.ScopeCandidatesRead:  "read candidates and their events",
					dossier.ScopeCandidatesWrite: "create, change, decide about and erase candidates",
					dossier.ScopeDocumentsRead:   "read candidate document types, the values that a check read, and rule runs",
					dossier.ScopeDocumentsWrite:  "ask for documents, upload and decide about them",
					dossier.ScopeMessagesRead:    "read messages",
					dossier.ScopeMessagesWrite:   "send, mark and delete messages",
					dossier.ScopeSettingsRead:    "read document types, scenarios, registration pages, forms, presets, custom fields and integrations",
					dossier.ScopeSettingsWrite:   "change them",
					dossier.ScopeKeys:            "read and change keys and companies"}),
		},
		examples: func(s *session) {
			s.resource("/keys", "key",
				`{"name":"HR system","kind":"integration","scopes":["candidates:read","documents:read"]}`, `{"name":"HR system, read only","scopes":["candidates:read"]}`)
		},
	}
}

var _ = describe(companiesDescribed)

func companiesDescribed() description {
	return description{
		tag: "companies", after: "overview", text: "The companies of the group.",
		operations: map[string]operation{
			"GET /companies": {id: "listCompanies", summary: "List the companies of the group",
				text: "For an administrator.", out: "[]Company"},
			"POST /companies": {id: "createCompany", summary: "Create a company of the group",
				in: "CompanyCreate", out: "Company", fails: fails(limitReached),
				text: "For an administrator. The answer shows the company's first administrator key, once."},
			"GET /companies/{id}": {id: "getCompany", summary: "Get a company of the group",
				text: "For an administrator.", out: "Company", versioned: true},
			"PATCH /companies/{id}": {id: "renameCompany", summary: "Rename your own company",
				text: "For an administrator of the company. " + mergePatch, in: "CompanyPatch",
				out: "Company", versioned: true},
		},
		types: append(spec.Output("Company", "company",
			"A customer of the service. Companies of one group may share document types.",
			dossier.Company{}, spec.Fields{
				"groupId": says("Id of the group that it belongs to."),
				"key":     says("Its first administrator key: once, when the company is created."),
			}), spec.Input("CompanyCreate", "The company to create, in your own group.",
			dossier.CompanyInput{}, spec.Fields{
				"name": says("Name of the company.").Length(1, dossier.MaxName),
			})[0], spec.Type{Name: "CompanyPatch", Of: dossier.CompanyInput{}, Mode: spec.Change,
			Fields: spec.Fields{"name": says("Name of the company.").Length(1, dossier.MaxName)},
			Text:   "What to change of the company (JSON Merge Patch, RFC 7396): absent keeps."}),
		examples: func(s *session) {
			s.record("POST /companies", "/companies", `{"name":"Lovelace Logistics"}`, "")
			s.record("GET /companies", "/companies", "", "")
			s.record("GET /companies/{id}", "/companies/$com", "", "")
			s.record("PATCH /companies/{id}", "/companies/$com",
				`{"name":"Lovelace Logistics Holding"}`, "")
		},
	}
}

var _ = describe(serviceDescribed)

func serviceDescribed() description {
	object := spec.Schema{Type: "object", AdditionalProperties: true}
	return description{
		tag: "service", after: "companies", text: "The process itself.",
		operations: map[string]operation{
			"GET /healthz": {id: "getHealth", summary: "Check that the process answers",
				out: "Health"},
			"GET /openapi.json": {id: "getOpenAPI", summary: "Get this document", out: "OpenAPI",
				text: "It is compressed for a client that accepts gzip. With the `ETag` of the answer in `If-None-Match`, the answer is 304 until the document changes."},
		},
		types: spec.Output("Health", "", "The process answers.", health{},
			spec.Fields{
				"status": says("Always `ok`.").Const("ok"),
				"version": says("The program's version, or the commit it was built from; " +
					"`unknown` where the build names none."),
			}),
		named: map[string]*spec.Schema{
			"OpenAPI": {Type: "object", Description: "An OpenAPI 3.1 document.",
				AdditionalProperties: true, Required: []string{"openapi", "info", "paths"},
				Properties: spec.Properties{
					{Name: "openapi", Schema: &spec.Schema{Type: "string", Const: "3.1.0"}},
					{Name: "info", Schema: &object}, {Name: "paths", Schema: &object},
				}},
		},
		examples: func(s *session) {
			s.record("GET /healthz", "/healthz", "", "")
			s.told("GET /openapi.json",
				`{"openapi":"3.1.0","info":{"title":"Dossier","version":"1.0.0"},"paths":{}}`)
		},
	}
}
