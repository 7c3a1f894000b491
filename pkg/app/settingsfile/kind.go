package settingsfile

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/dossierhq/dossier/client"
)

// kind is one kind of settings: a section of the file, and how the API has it.
type kind struct {
	section string // of the file
	word    string // for people
	schema  string // name of the body that creates one, in the OpenAPI document
	key     func(entity) string

	list   func(context.Context, *client.Client) iter.Seq2[entity, error]
	read   func(context.Context, *client.Client, string) (client.Response[entity], error)
	create func(context.Context, *client.Client, entity) (entity, error)
	update func(ctx context.Context, c *client.Client, id, etag string,
		patch entity) (entity, error)
	remove func(context.Context, *client.Client, string) error
}

// entity is one of the settings as a JSON object.
type entity = map[string]any

// Names of sections.
const (
	fields        = "fields"
	forms         = "forms"
	documentTypes = "documentTypes"
	scenarios     = "scenarios"
	presets       = "presets"
	integrations  = "integrations"
	pages         = "registrationPages"
)

func name(e entity) string { return fmt.Sprint(e["name"]) }

// kinds lists what the file holds, in its order.
var kinds = []*kind{
	adapt(kind{section: fields, word: "field", schema: "CustomFieldCreate",
		key: func(e entity) string { return fmt.Sprintf("%v.%v", e["entity"], e["reference"]) }},
		(*client.Client).ListCustomFields, (*client.Client).GetCustomField,
		(*client.Client).CreateCustomField, (*client.Client).UpdateCustomField,
		(*client.Client).DeleteCustomField,
		func(v string) *client.UpdateCustomFieldParams {
			return &client.UpdateCustomFieldParams{IfMatch: &v}
		}),
	adapt(kind{section: forms, word: "form", schema: "FormCreate", key: name},
		(*client.Client).ListForms, (*client.Client).GetForm, (*client.Client).CreateForm,
		(*client.Client).UpdateForm, (*client.Client).DeleteForm,
		func(v string) *client.UpdateFormParams { return &client.UpdateFormParams{IfMatch: &v} }),
	adapt(kind{section: documentTypes, word: "document type", schema: "DocumentTypeCreate",
		key: name},
		(*client.Client).ListDocumentTypes, (*client.Client).GetDocumentType,
		(*client.Client).CreateDocumentType, (*client.Client).UpdateDocumentType,
		(*client.Client).DeleteDocumentType,
		func(v string) *client.UpdateDocumentTypeParams {
			return &client.UpdateDocumentTypeParams{IfMatch: &v}
		}),
	adapt(kind{section: scenarios, word: "scenario", schema: "ScenarioCreate", key: name},
		(*client.Client).ListScenarios, (*client.Client).GetScenario,
		(*client.Client).CreateScenario, (*client.Client).UpdateScenario,
		(*client.Client).DeleteScenario,
		func(v string) *client.UpdateScenarioParams {
			return &client.UpdateScenarioParams{IfMatch: &v}
		}),
	adapt(kind{section: presets, word: "preset", schema: "PresetCreate", key: name},
		(*client.Client).ListPresets, (*client.Client).GetPreset, (*client.Client).CreatePreset,
		(*client.Client).UpdatePreset, (*client.Client).DeletePreset,
		func(v string) *client.UpdatePresetParams {
			return &client.UpdatePresetParams{IfMatch: &v}
		}),
	adapt(kind{section: integrations, word: "integration", schema: "IntegrationCreate",
		key: name},
		(*client.Client).ListIntegrations, (*client.Client).GetIntegration,
		(*client.Client).CreateIntegration, (*client.Client).UpdateIntegration,
		(*client.Client).DeleteIntegration,
		func(v string) *client.UpdateIntegrationParams {
			return &client.UpdateIntegrationParams{IfMatch: &v}
		}),
	adapt(kind{section: pages, word: "registration page", schema: "RegistrationPageCreate",
		key: func(e entity) string { return fmt.Sprint(e["slug"]) }},
		(*client.Client).ListRegistrationPages, (*client.Client).GetRegistrationPage,
		(*client.Client).CreateRegistrationPage, (*client.Client).UpdateRegistrationPage,
		(*client.Client).DeleteRegistrationPage,
		func(v string) *client.UpdateRegistrationPageParams {
			return &client.UpdateRegistrationPageParams{IfMatch: &v}
		}),
}

// adapt completes a kind with the five operations of the API: T is the resource, N the body that
// creates one, P the body that changes one, the rest are parameters.
func adapt[T, N, P, LP, NP, UP any](k kind,
	list func(*client.Client, context.Context, *LP) iter.Seq2[T, error],
	read func(*client.Client, context.Context, string) (client.Response[T], error),
	create func(*client.Client, context.Context, *NP, N) (client.Response[T], error),
	update func(*client.Client, context.Context, string, *UP, P) (client.Response[T], error),
	remove func(*client.Client, context.Context, string) (client.Response[client.Deleted], error),
	version func(etag string) *UP) *kind {
	k.list = func(ctx context.Context, c *client.Client) iter.Seq2[entity, error] {
		return func(yield func(entity, error) bool) {
			for item, err := range list(c, ctx, nil) {
				e, err := converted[entity](item, err)
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
	k.read = func(ctx context.Context, c *client.Client,
		id string) (client.Response[entity], error) {
		got, err := read(c, ctx, id)
		e, err := converted[entity](got.Value, err)
		return client.Response[entity]{Value: e, ETag: got.ETag}, err
	}
	k.create = func(ctx context.Context, c *client.Client, e entity) (entity, error) {
		body, err := converted[N](e, nil)
		if err != nil {
			return nil, err
		}
		got, err := create(c, ctx, nil, body)
		return converted[entity](got.Value, err)
	}
	k.update = func(ctx context.Context, c *client.Client, id, etag string,
		patch entity) (entity, error) {
		body, err := converted[P](patch, nil)
		if err != nil {
			return nil, err
		}
		got, err := update(c, ctx, id, version(etag), body)
		return converted[entity](got.Value, err)
	}
	k.remove = func(ctx context.Context, c *client.Client, id string) error {
		_, err := remove(c, ctx, id)
		return err
	}
	return &k
}

// converted returns the same JSON as another type, unless there is an error already.
func converted[T any](v any, err error) (T, error) {
	var to T
	if err != nil {
		return to, err
	}
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	return to, err
}
