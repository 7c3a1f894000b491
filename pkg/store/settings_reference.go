package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// reference is one place in a company's settings that names something: an id, or a custom field as
// cf_ or dcf_ reference.
type reference struct{ pointer, name string }

// referencesTo lists the places in a company's settings that name one of names, as the errors of an
// IN_USE.
func (s *Store) referencesTo(ctx context.Context, company string,
	names ...string) ([]dossier.FieldError, error) {
	mentions, err := s.references(ctx, company)
	if err != nil {
		return nil, err
	}
	var uses []dossier.FieldError
	for _, m := range mentions {
		named := slices.Contains(names, m.name)
		if named && !slices.ContainsFunc(uses, func(f dossier.FieldError) bool {
			return f.Pointer == m.pointer
		}) {
			uses = append(uses, dossier.FieldError{Pointer: m.pointer, Code: dossier.ProblemInUse,
				Message: "This place refers to it."})
		}
	}
	return uses, nil
}

// inUse refuses to delete something that other settings name.
func inUse(k kind, uses []dossier.FieldError) error {
	if len(uses) == 0 {
		return nil
	}
	return &dossier.Error{Code: dossier.CodeInUse,
		Detail: fmt.Sprintf("The %s is still in use.", k.word), Fields: uses}
}

// references reads everything in a company's settings that can name something else.
func (s *Store) references(ctx context.Context, company string) ([]reference, error) {
	types, err := settings[storedType](ctx, s, company, kindType)
	if err != nil {
		return nil, err
	}
	scenarios, err := settings[storedScenario](ctx, s, company, kindScenario)
	if err != nil {
		return nil, err
	}
	presets, err := settings[storedPreset](ctx, s, company, kindPreset)
	if err != nil {
		return nil, err
	}
	pages, err := settings[storedPage](ctx, s, company, kindPage)
	if err != nil {
		return nil, err
	}
	var all []reference
	for _, dt := range types {
		if !dt.Deleted && !dt.sharedTo(company) {
			all = append(all, dt.references()...)
		}
	}
	for _, scenario := range scenarios {
		all = append(all, referencesAt("/scenarios/"+scenario.ID+"/documentTypeIds",
			scenario.DocumentTypeIDs)...)
	}
	for _, p := range presets {
		all = append(all, p.references()...)
	}
	for _, p := range pages {
		all = append(all, p.references()...)
	}
	return all, nil
}

func referencesAt(pointer string, names []string) []reference {
	all := make([]reference, len(names))
	for n, name := range names {
		all[n] = reference{pointer, name}
	}
	return all
}

// references lists what the rules and the write-back of a document type name; its own id does not
// count.
func (s storedType) references() []reference {
	var all []reference
	at := "/documentTypes/" + s.ID
	for n, w := range s.WriteBack {
		all = append(all, reference{fmt.Sprintf("%s/writeBack/%d", at, n), w.To})
	}
	all = append(all, testReferences(at, s.Submission.Tests)...)
	for _, rule := range s.Submission.Rules {
		pointer := at + "/submission/rules/" + rule.ID
		for _, c := range rule.Conditions {
			if c.Type == dossier.ConditionContext {
				all = append(all, reference{pointer, c.Reference})
				all = append(all, referencesAt(pointer, rules.IDs(c))...)
			}
		}
		for _, a := range rule.Actions {
			if a.Value != s.ID {
				all = append(all, reference{pointer, a.Value})
			}
			fields, _ := a.Metadata["customFields"].(map[string]any)
			for _, ref := range sortedKeys(fields) {
				all = append(all, reference{pointer, prefixDocumentField + ref})
			}
		}
	}
	return all
}

func (p storedPreset) references() []reference {
	at := "/presets/" + p.ID
	all := referencesAt(at+"/documentTypeIds", p.DocumentTypeIDs)
	all = append(all, referencesAt(at+"/formIds", p.FormIDs)...)
	for _, key := range sortedKeys(p.Set) {
		if strings.HasPrefix(key, prefixCandidateField) {
			all = append(all, reference{at + "/set/" + key, key})
		}
	}
	return all
}

func (p storedPage) references() []reference {
	at := "/registration-pages/" + p.ID
	all := referencesAt(at+"/documents", p.documentTypeIDs())
	all = append(all, referencesAt(at+"/formIds", p.FormIDs)...)
	if p.PresetID != "" {
		all = append(all, reference{at + "/presetId", p.PresetID})
	}
	for _, f := range p.CustomFields {
		all = append(all, reference{at + "/customFields", prefixCandidateField + f.Reference})
	}
	return all
}
