package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

// The words with which the files beside this one describe fields.
var (
	says = spec.Says
	is   = spec.Is
)

// noun names a resource with the five usual routes.
type noun struct{ schema, path, one string }

// operations describes the five usual routes. deleting says what a deletion means.
func (n noun) operations(deleting string,
	create, change, remove []spec.OperationFailure) map[string]operation {
	a := "a "
	if strings.ContainsRune("aeiou", rune(n.one[0])) {
		a = "an "
	}
	one := n.path + "/{id}"
	return map[string]operation{
		"GET " + n.path: {id: "list" + n.schema + "s", summary: "List " + n.one + "s",
			out: "[]" + n.schema},
		"POST " + n.path: {id: "create" + n.schema, summary: "Create " + a + n.one,
			in: n.schema + "Create", out: n.schema,
			versioned: true, fails: create},
		"GET " + one: {id: "get" + n.schema, summary: "Get " + a + n.one, out: n.schema,
			versioned: true},
		"PATCH " + one: {id: "update" + n.schema, summary: "Update " + a + n.one,
			in: n.schema + "Patch", out: n.schema, versioned: true,
			text: mergePatch, fails: change},
		"DELETE " + one: {id: "delete" + n.schema, summary: "Delete " + a + n.one, text: deleting,
			fails: remove},
	}
}

// seed creates two resources, whose ids get the names id and id2.
func (n noun) seed(id, first, second string) []seedRequest {
	return []seedRequest{{id, n.path, first}, {id + "2", n.path, second}}
}

// samples returns a request for each of the five usual routes. The second resource of the seed is
// deleted, since nothing refers to it.
func (n noun) samples(id, create, change string) map[string]goodRequest {
	one := n.path + "/{id}"
	return map[string]goodRequest{
		"GET " + n.path:  {at: n.path},
		"POST " + n.path: {at: n.path, body: create},
		"GET " + one:     {at: n.path + "/$" + id},
		"PATCH " + one:   {at: n.path + "/$" + id, body: change},
		"DELETE " + one:  {at: n.path + "/$" + id + "2"},
	}
}

const mergePatch = "The body is a JSON Merge Patch (RFC 7396): an absent member stays as it is, `null` clears one, an array replaces the whole list."

// fail returns an error code of an operation. text is its meaning there, if it differs from the
// usual one.
func fail(code dossier.Code, text string) spec.OperationFailure {
	return spec.OperationFailure{Code: string(code), Text: text}
}

// fails returns a list of error codes.
func fails(list ...spec.OperationFailure) []spec.OperationFailure { return list }

// limitReached is the error of every route that creates another resource of a limited kind.
var limitReached = fail(dossier.CodeLimitReached, "")

// failures adds what every route of the kind answers to what a route answers itself.
func (rt route) failures(own []spec.OperationFailure) []spec.OperationFailure {
	codes := []dossier.Code{dossier.CodeMalformed}
	if !rt.public || rt.guests {
		codes = append(codes, dossier.CodeUnauthorized)
	}
	if !rt.public && !rt.anyone {
		codes = append(codes, dossier.CodeForbidden)
	}
	if strings.Contains(rt.path, "{") {
		codes = append(codes, dossier.CodeNotFound)
	}
	if rt.method == http.MethodPatch || rt.conditional {
		codes = append(codes, dossier.CodePrecondition)
	}
	if rt.method == http.MethodPost || rt.method == http.MethodPatch {
		codes = append(codes, dossier.CodeTooLarge, dossier.CodeMediaType)
	}
	codes = append(codes, dossier.CodeValidation)
	if rt.method == http.MethodPost && !rt.unkept {
		codes = append(codes, dossier.CodeKeyReused)
	}
	if !rt.public || rt.guests {
		codes = append(codes, dossier.CodeRateLimited)
	}
	codes = append(codes, dossier.CodeInternal, dossier.CodeUnavailable)
	var all []spec.OperationFailure
	for _, c := range codes {
		all = append(all, fail(c, ""))
	}
	return append(all, own...)
}

// notes adds to the text of an operation what the route table says.
func (rt route) notes(text string) string {
	var notes []string
	if text != "" {
		notes = append(notes, text)
	}
	if rt.body == bodyNone && rt.method == http.MethodPost {
		notes = append(notes, "The request has no body.")
	}
	switch {
	case rt.public:
		return strings.Join(append(notes, "No credential is needed."), " ")
	case rt.anyone:
		return strings.Join(append(notes, "Any credential will do."), " ")
	}
	scope := "Needs the scope `" + rt.scope + "`"
	if rt.tokens != "" {
		scope += ", or a token of the candidate"
	}
	return strings.Join(append(notes, scope+"."), " ")
}

// done is the description of a success.
func (rt route) done(o operation) string {
	switch {
	case o.out == "":
		return "Done. The answer is an empty object."
	case strings.HasPrefix(o.out, "[]"):
		return "A page of the list."
	case rt.method == http.MethodPatch:
		return "The resource as it is now."
	}
	return "Success."
}

// pathParameter describes a parameter of the path by its name, or, for `id`, by the path.
func (rt route) pathParameter(name, example string) spec.Parameter {
	text := map[string]string{
		"candidateId":             "Id of the candidate.",
		"candidateDocumentTypeId": "Id of the candidate document type.",
		"messageId":               "Id of the message.", "formId": "Id of the form.",
		"documentId": "Id of the document.",
		"name":       "Name of the part.",
		"version":    "Number of the version.",
		"other":      "Number of the version to compare it with.",
		"companyId":  "Id of the company.", "page": "Id or slug of the registration page.",
	}[name]
	if text == "" && strings.HasPrefix(rt.path, "/candidateDocumentTypes") {
		text = "Id of the candidate document type."
	}
	if text == "" {
		first, _, _ := strings.Cut(strings.TrimPrefix(rt.path, "/"), "/{")
		text = "Id of the " + strings.ToLower(
			words(strings.TrimSuffix(strings.ReplaceAll(first, "integrations/logs", "logEntrys"),
				"s"))) + "."
	}
	return spec.Parameter{Name: name, In: "path", Required: true, Description: text,
		Example: example,
		Schema:  &spec.Schema{Type: "string", MinLength: 1, MaxLength: dossier.MaxID}}
}

// words takes the words of a path apart: candidateDocumentType and registration-page.
func words(name string) string {
	var b strings.Builder
	for _, c := range strings.ReplaceAll(name, "-", " ") {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// enum is a closed list of words, in the order of the code, with what each means. A word without a
// meaning, or a meaning without a word, is a fault of the description and fails the test.
func enum(text string, list []string, meanings map[string]string) *spec.Schema {
	s := &spec.Schema{Type: "string", Description: text}
	for _, word := range list {
		s.Enum = append(s.Enum, word)
		if meanings == nil {
			continue
		}
		if meanings[word] == "" {
			panic("no meaning of " + word)
		}
		s.Description += "\n- `" + word + "`: " + meanings[word]
	}
	if meanings != nil && len(meanings) != len(list) {
		panic("a meaning of no word: " + text)
	}
	return s
}

// text is a schema of texts.
func text(description string, least, most int, pattern string) *spec.Schema {
	return &spec.Schema{Type: "string", Description: description, MinLength: least, MaxLength: most,
		Pattern: pattern}
}

const maxPartName = 50 // characters, as the pattern of part names has it

// commonFields describes fields that many types have, wherever a type does not say otherwise.
func commonFields() spec.Fields {
	return spec.Fields{
		"id":                      says("Id of the {one}."),
		"name":                    says("Name of the {one}.").Length(1, dossier.MaxName),
		"createdAt":               says("When the {one} was created."),
		"updatedAt":               says("When the {one} was last changed."),
		"companyId":               says("Id of the company."),
		"candidateId":             says("Id of the candidate."),
		"candidateDocumentTypeId": says("Id of the candidate document type."),
		"documentTypeId":          says("Id of the document type."),
		"documentId":              says("Id of the document."),
		"formId":                  says("Id of the form."),
		"integrationId":           says("Id of the integration."),
		"customFields":            is("CustomFieldValues"),
		"metadata":                is("Metadata"),
		"triggerEvent":            is("EventName"),
		"eventName":               is("EventName"),
		"documentTypeIds":         says("Ids of the document types to ask for."),
		"formIds":                 says("Ids of the forms to ask for.").Count(0, dossier.MaxForms),
		"presetId":                says("Id of a preset to apply."),
	}
}

// commonSchemas are the schemas that belong to no resource.
func commonSchemas() map[string]*spec.Schema {
	values := []*spec.Schema{{Type: "string", MaxLength: dossier.MaxText}, {Type: "number"},
		{Type: "boolean"},
		{Type: "array", Items: &spec.Schema{Type: "string", MaxLength: dossier.MaxText},
			MaxItems: 100}}
	return map[string]*spec.Schema{
		"Id": text(
			"An opaque identifier: a short prefix that tells the kind, and one or two ULIDs. Compare it as a whole and do not take it apart.",
			1, dossier.MaxID, ""),
		"Date": {Type: "string", Format: "date", Description: "A calendar date, YYYY-MM-DD."},
		"Reference": text(
			"A name of your choice that rules, write-backs and answers use: a letter, then letters, digits and underscores.",
			1, dossier.MaxReference, `^[A-Za-z][A-Za-z0-9_]*$`),
		"ParserReference": text(
			"Where a value stands in the parsed document: names of letters, digits, underscores and hyphens. "+
				"A dot between two names leads into a nested object.", 1, dossier.MaxReference,
			`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`),
		"FieldValue": {AnyOf: values,
			Description: "A value of a custom field or of a form: a text, a number, a boolean, a date (a text as YYYY-MM-DD) " +
				"or a list of texts, as the type of the field says."},
		"Metadata": {Type: "object", AdditionalProperties: true,
			Description: "Properties of your own of the requested document, at most 4096 bytes as JSON. " +
				"They are kept as they are."},
		"ErrorCode": errorCodes(),
		"Deleted": {Type: "object", AdditionalProperties: false,
			Description: "Done. There is nothing to tell."},
	}
}

func sharedParameters() map[string]spec.Parameter {
	integer := func(d any) *spec.Schema {
		least, most := int64(1), int64(maxPage)
		return &spec.Schema{Type: "integer", Minimum: &least, Maximum: &most, Default: d,
			Examples: []any{20}}
	}
	return map[string]spec.Parameter{
		"PageSize": {Name: pageSize, In: "query", Schema: integer(defaultPage),
			Description: "The largest number of items. On AWS a page ends sooner if it would be longer than 3 MB."},
		"PageSizeUncut": {Name: pageSize, In: "query", Schema: integer(nil),
			Description: "The largest number of items. Without it the answer is the whole list; on AWS it ends after 2,000 items or 3 MB, " +
				"and `Link` says where it goes on."},
		"PageAfter": {Name: pageAfter, In: "query",
			Schema: &spec.Schema{Type: "string", MinLength: 1, MaxLength: maxCursor,
				Examples: []any{"HjAxSkQ3UThaSzRNMlg5UkJUVjVOM0M2V0hB"}},
			Description: "The opaque cursor of the `Link` header of the page before, of the same list with the same filters. Any other is refused with 400."},
		"IdempotencyKey": {Name: "Idempotency-Key", In: "header",
			Schema: &spec.Schema{Type: "string", MinLength: 1, MaxLength: 255, Pattern: "^[ -~]+$",
				Examples: []any{"8e03978e-40d5-43e8-bc93-6894a57f9324"}},
			Description: "Makes it safe to send the request again. For 24 hours, the same key with the same request gets the stored answer, without its `ETag` " +
				"and without secrets; with another request it is refused with 422 `IDEMPOTENCY_KEY_REUSED`. A request that changes nothing, such as " +
				"a simulation, keeps no answer: it is simply done again."},
		"IfMatch": {Name: "If-Match", In: "header",
			Schema: &spec.Schema{Type: "string", Pattern: `^(\*|(W/)?"[!#-~]*")$`,
				Examples: []any{`"3"`}},
			Description: "The `ETag` of the version to change, or `*`. If another version is stored, the answer is 412."},
	}
}

func responseHeaders() map[string]spec.Header {
	one := int64(1)
	seconds := &spec.Schema{Type: "integer", Minimum: &one}
	return map[string]spec.Header{
		"XRequestId": {Required: true, Schema: text("", 1, 128, ""), Example: exampleRequestID,
			Description: "The id of the request: the one that the request header names, or a new one. Every log line of the request carries it."},
		"ETag": {Schema: text("", 0, 0, `^"[0-9]+"$`), Example: `"3"`,
			Description: "The version of the resource, for `If-Match`."},
		"Link": {Schema: text("", 0, 0, ""),
			Example:     `</candidates?page%5Bafter%5D=HjAxSkQ3&page%5Bsize%5D=50>; rel="next"`,
			Description: "The next page (RFC 8288), if there is one. Follow it as it is."},
		"RetryAfter": {Required: true, Schema: seconds, Example: 1,
			Description: "Seconds after which to try again."},
		"RetryAfterLock": {Schema: seconds, Example: 1,
			Description: "Seconds after which to try again, at most what is left of the lease. Only with `NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING`."},
		"WWWAuthenticate": {Required: true, Schema: text("", 0, 0, ""), Example: "Bearer",
			Description: "How to authenticate."},
	}
}

func security() map[string]any {
	return map[string]any{"bearer": map[string]string{"type": "http", "scheme": "bearer",
		"description": "A key `dsr_…`, a session `dss_…` or `dso_…`, a candidate's token `dst_…`, or a JWT of the configured OIDC issuer."}}
}

func exampleSession(t *testing.T, all []description) *session {
	t.Helper()
	s := newSession(t)
	for _, d := range all {
		d.examples(s)
	}
	return s
}
