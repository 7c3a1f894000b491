package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// ruleContext holds the settings of a company that the rules of a saved document type can name.
type ruleContext struct {
	own    []storedType // of the company itself
	fields map[string]string
	known  rules.Catalog // without what is the type's own
}

// ruleContext reads everything that rules can name.
func (s *Store) ruleContext(ctx context.Context, company string) (*ruleContext, error) {
	rc := &ruleContext{known: rules.Catalog{CandidateFields: map[string]string{},
		DocumentFields: map[string]string{},
		DocumentTypes:  map[string]bool{}, Forms: map[string]bool{}, Presets: map[string]bool{},
		Scenarios: map[string]bool{}, EventOnly: map[string][]string{},
		PresetAdds: map[string][]string{}}}
	types, err := settings[storedType](ctx, s, company, kindType)
	if err != nil {
		return nil, err
	}
	for _, dt := range types {
		if dt.Deleted {
			continue
		}
		rc.known.DocumentTypes[dt.ID] = true
		if !dt.sharedTo(company) {
			rc.own, rc.known.Others = append(rc.own, dt), append(rc.known.Others, dt.DocumentType)
		}
	}
	if rc.fields, err = s.fieldTypes(ctx, company); err != nil {
		return nil, err
	}
	for name, fieldType := range rc.fields {
		if ref, ok := strings.CutPrefix(name, prefixDocumentField); ok {
			rc.known.DocumentFields[ref] = fieldType
		} else {
			rc.known.CandidateFields[strings.TrimPrefix(name, prefixCandidateField)] = fieldType
		}
	}
	return rc, rc.readTargets(ctx, s, company)
}

// readTargets reads the forms, presets and scenarios that actions can name.
func (rc *ruleContext) readTargets(ctx context.Context, s *Store, company string) error {
	forms, err := settings[dossier.Form](ctx, s, company, kindForm)
	if err != nil {
		return err
	}
	for _, f := range forms {
		rc.known.Forms[f.ID] = true
	}
	presets, err := settings[storedPreset](ctx, s, company, kindPreset)
	if err != nil {
		return err
	}
	for _, p := range presets {
		rc.known.Presets[p.ID], rc.known.PresetAdds[p.ID] = true, p.DocumentTypeIDs
	}
	scenarios, err := settings[storedScenario](ctx, s, company, kindScenario)
	for _, sc := range scenarios {
		rc.known.Scenarios[sc.ID] = sc.Notification != nil
		if sc.Notification != nil {
			rc.known.EventOnly[sc.ID] = sc.Notification.Without(dossier.RulePlaceholders)
		}
	}
	return err
}

// knownFor returns the facts that a review of the rules of one document type needs.
func (rc *ruleContext) knownFor(dt storedType) rules.Catalog {
	k := rc.known
	k.TypeID, k.TypeName, k.Shared = dt.ID, dt.Name, len(dt.SharedWith) > 0
	k.References = dt.Check.References()
	k.RuleIDs = map[string]bool{}
	for _, o := range rc.own {
		if o.ID == dt.ID {
			for _, r := range o.Submission.Rules {
				k.RuleIDs[r.ID] = true
			}
		}
	}
	return k
}

// checkReferences names the references of a check that its parser does not read.
func checkReferences(p *dossier.Problems, c dossier.Check, references []string) {
	for n, ref := range c.Required {
		unknownReference(p, fmt.Sprintf("/check/required/%d", n), ref, references)
	}
	if c.ExpiryReference != "" {
		unknownReference(p, "/check/expiryReference", c.ExpiryReference, references)
	}
}

func unknownReference(p *dossier.Problems, pointer, ref string, references []string) {
	if references != nil && !slices.Contains(references, ref) {
		p.Add(pointer, dossier.ProblemUnknown, "The parser of this document type does not read %q.",
			dossier.Clip(ref))
	}
}

// checkWriteBack checks that a value can be read, and that there is a field to write it to. The
// external id is the company's own.
func checkWriteBack(p *dossier.Problems, pointer string, w dossier.WriteBack,
	fields map[string]string, references []string) {
	unknownReference(p, pointer+"/from", w.From, references)
	if _, custom := fields[w.To]; custom ||
		w.To != "externalId" && slices.Contains(dossier.TextKeys, w.To) {
		return
	}
	p.Add(pointer+"/to", dossier.ProblemUnknown, "There is no candidate field %q to write to.",
		dossier.Clip(w.To))
}
