package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// mention is one place in a company's settings that names something: an id, or a custom field as cf_ or dcf_ reference.
type mention struct{ pointer, name string }

// uses lists the places in a company's settings that name one of names, as the errors of an IN_USE.
func (t *Store) uses(ctx context.Context, company string, names ...string) ([]dossier.FieldError, error) {
	mentions, err := t.mentions(ctx, company)
	if err != nil {
		return nil, err
	}
	var uses []dossier.FieldError
	for _, m := range mentions {
		named := slices.Contains(names, m.name)
		if named && !slices.ContainsFunc(uses, func(f dossier.FieldError) bool { return f.Pointer == m.pointer }) {
			uses = append(uses, dossier.FieldError{Pointer: m.pointer, Code: "inUse", Message: "names it"})
		}
	}
	return uses, nil
}

// inUse refuses to take away what something names.
func inUse(k kind, uses []dossier.FieldError) error {
	if len(uses) == 0 {
		return nil
	}
	return &dossier.Error{Code: dossier.CodeInUse, Detail: fmt.Sprintf("The %s is named elsewhere.", k.word), Fields: uses}
}

// mentions reads everything in a company's settings that can name something else.
func (t *Store) mentions(ctx context.Context, company string) ([]mention, error) {
	types, err := settings[storedType](ctx, t, company, kindType)
	if err != nil {
		return nil, err
	}
	scenarios, err := settings[storedScenario](ctx, t, company, kindScenario)
	if err != nil {
		return nil, err
	}
	presets, err := settings[storedPreset](ctx, t, company, kindPreset)
	if err != nil {
		return nil, err
	}
	pages, err := settings[storedPage](ctx, t, company, kindPage)
	if err != nil {
		return nil, err
	}
	var all []mention
	for _, dt := range types {
		if !dt.Deleted && !dt.sharedTo(company) {
			all = append(all, dt.mentions()...)
		}
	}
	for _, s := range scenarios {
		all = append(all, mentionAll("/scenarios/"+s.ID+"/documentTypeIds", s.DocumentTypeIDs)...)
	}
	for _, p := range presets {
		all = append(all, p.mentions()...)
	}
	for _, p := range pages {
		all = append(all, p.mentions()...)
	}
	return all, nil
}

func mentionAll(pointer string, names []string) []mention {
	all := make([]mention, len(names))
	for n, name := range names {
		all[n] = mention{pointer, name}
	}
	return all
}

// mentions lists what the rules and the write-back of a document type name; its own id does not count.
func (s storedType) mentions() []mention {
	var all []mention
	at := "/documentTypes/" + s.ID
	for n, w := range s.WriteBack {
		all = append(all, mention{fmt.Sprintf("%s/writeBack/%d", at, n), w.To})
	}
	for _, rule := range s.Submission.Rules {
		pointer := at + "/submission/rules/" + rule.ID
		for _, c := range rule.Conditions {
			if c.Type == dossier.ConditionContext {
				all = append(all, mention{pointer, c.Reference})
				all = append(all, mentionAll(pointer, rules.IDs(c))...)
			}
		}
		for _, a := range rule.Actions {
			if a.Value != s.ID {
				all = append(all, mention{pointer, a.Value})
			}
			fields, _ := a.Metadata["customFields"].(map[string]any)
			for _, ref := range sortedKeys(fields) {
				all = append(all, mention{pointer, prefixDocumentField + ref})
			}
		}
	}
	return all
}

func (p storedPreset) mentions() []mention {
	at := "/presets/" + p.ID
	all := mentionAll(at+"/documentTypeIds", p.DocumentTypeIDs)
	all = append(all, mentionAll(at+"/formIds", p.FormIDs)...)
	for _, key := range sortedKeys(p.Set) {
		if strings.HasPrefix(key, prefixCandidateField) {
			all = append(all, mention{at + "/set/" + key, key})
		}
	}
	return all
}

func (p storedPage) mentions() []mention {
	at := "/registration-pages/" + p.ID
	all := mentionAll(at+"/documents", p.documentTypeIDs())
	all = append(all, mentionAll(at+"/formIds", p.FormIDs)...)
	if p.PresetID != "" {
		all = append(all, mention{at + "/presetId", p.PresetID})
	}
	return all
}
