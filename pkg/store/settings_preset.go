package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

func (p *storedPreset) set(in dossier.PresetInput, now dossier.Time) {
	p.Name, p.Set, p.DocumentTypeIDs, p.FormIDs, p.UpdatedAt = in.Name, in.Set, in.DocumentTypeIDs,
		in.FormIDs, now
}

func (p *storedPreset) content() dossier.PresetInput {
	return dossier.PresetInput{Name: p.Name, Set: p.Set, DocumentTypeIDs: p.DocumentTypeIDs,
		FormIDs: p.FormIDs}
}

// shown returns the preset as responses show it.
func (p storedPreset) shown(types map[string]storedType) dossier.Preset {
	shown := p.Preset
	shown.DocumentTypes = embedded(types, p.DocumentTypeIDs)
	return shown
}

// CreatePreset creates a preset. Its error names fields, document types and forms that do not
// exist.
func (s *Store) CreatePreset(ctx context.Context, company string,
	in dossier.PresetInput) (dossier.Preset, error) {
	return createSetting(ctx, s, company, kindPreset,
		func(id string, now dossier.Time,
			_ []storedPreset) (p storedPreset, answer dossier.Preset, err error) {
			p.ID, p.CreatedAt = id, now
			p.set(in, now)
			types, err := s.checkPreset(ctx, company, &p)
			return p, p.shown(types), err
		})
}

// checkPreset checks what a preset names, notes the types of the custom fields it sets, and returns
// its document types.
func (s *Store) checkPreset(ctx context.Context, company string,
	p *storedPreset) (map[string]storedType, error) {
	fields, err := s.fieldTypes(ctx, company)
	if err != nil {
		return nil, err
	}
	p.Types = map[string]string{}
	var problems dossier.Problems
	for _, key := range sortedKeys(p.Set) {
		pointer := "/set/" + pointerEscape.Replace(key)
		fieldType, custom := fields[key]
		switch {
		case custom && strings.HasPrefix(key, prefixCandidateField):
			p.Types[key] = fieldType
			problems.Value(pointer, fieldType, p.Set[key])
		case key != "externalId" && slices.Contains(dossier.TextKeys, key):
			if text, ok := p.Set[key].(string); !ok {
				problems.Say(pointer, dossier.ProblemWrongType, "must be a text")
			} else {
				problems.CandidateText(pointer, key, text)
			}
		default:
			problems.Add(pointer, dossier.ProblemUnknown,
				"A preset cannot set the candidate field %q.", dossier.Clip(key))
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if err := requireEntities(ctx, s, company, kindForm, "/formIds/%d", p.FormIDs); err != nil {
		return nil, err
	}
	return s.requireTypes(ctx, company, "/documentTypeIds/%d", p.DocumentTypeIDs)
}

// pointerEscape writes a member name as a segment of an RFC 6901 pointer.
var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// Preset returns a preset and the revision it has.
func (s *Store) Preset(ctx context.Context, company, id string) (dossier.Preset, Rev, error) {
	p, read, err := setting[storedPreset](ctx, s, company, kindPreset, id)
	if err != nil {
		return dossier.Preset{}, 0, err
	}
	types, err := s.types(ctx, company, p.DocumentTypeIDs)
	return p.shown(types), Rev(read.Rev), err
}

// Presets returns a page of a company's presets. Their document types are one more request.
func (s *Store) Presets(ctx context.Context, company, after string,
	limit int) ([]dossier.Preset, string, error) {
	stored, next, err := settingsPage[storedPreset](ctx, s, company, kindPreset, after, limit)
	if err != nil {
		return nil, "", err
	}
	types, err := typesOf(ctx, s, company, stored, func(p storedPreset) []string {
		return p.DocumentTypeIDs
	})
	list := make([]dossier.Preset, len(stored))
	for n, p := range stored {
		list[n] = p.shown(types)
	}
	return list, next, err
}

// ChangePreset changes a preset. LIMIT_REACHED where the rules that apply it could then do more
// than one run can.
func (s *Store) ChangePreset(ctx context.Context, company, id string, want Rev,
	change func(dossier.PresetInput) (dossier.PresetInput, error)) (dossier.Preset, Rev, error) {
	return updateSetting(ctx, s, company, kindPreset, id, want,
		func(p storedPreset, now dossier.Time) (after storedPreset, answer dossier.Preset,
			err error) {
			in, err := change(p.content())
			if err != nil {
				return p, answer, err
			}
			more := len(in.DocumentTypeIDs) > len(p.DocumentTypeIDs)
			p.set(in, now)
			types, err := s.checkPreset(ctx, company, &p)
			if err == nil && more {
				err = s.checkAppliers(ctx, company, p)
			}
			return p, p.shown(types), err
		})
}

// checkAppliers reviews the rules that apply a preset as if it were stored.
func (s *Store) checkAppliers(ctx context.Context, company string, p storedPreset) error {
	rc, err := s.ruleContext(ctx, company)
	if err != nil {
		return err
	}
	rc.known.PresetAdds[p.ID] = p.DocumentTypeIDs
	for _, dt := range rc.own {
		applies := slices.ContainsFunc(dt.references(), func(m reference) bool {
			return m.name == p.ID
		})
		if !applies {
			continue
		}
		if problems, _ := rules.Review(dt.Submission, rc.knownFor(dt)); len(problems) > 0 {
			return &dossier.Error{Code: dossier.CodeLimitReached,
				Detail: "Rules that apply this preset could exceed the limits of one run.",
				Fields: []dossier.FieldError{
					{Pointer: "/documentTypes/" + dt.ID + "/submission/rules",
						Code: dossier.ProblemTooMany, Message: problems[0].Message},
				}}
		}
	}
	return nil
}

// DeletePreset deletes a preset; IN_USE while a rule or registration page names it.
func (s *Store) DeletePreset(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, s, company, kindPreset, id, func(p storedPreset) []string {
		return []string{p.ID}
	})
}
