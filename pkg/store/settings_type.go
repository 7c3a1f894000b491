package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

func (s *storedType) content() dossier.DocumentTypeInput {
	c := s.Check
	in := dossier.DocumentTypeInput{
		Name: s.Name, Description: s.Description, Pass: s.Pass, RequiredParts: s.RequiredParts,
		Check: dossier.CheckInput{Parser: &c.Parser, Decision: &c.Decision, Fields: c.Fields,
			Required:        c.Required,
			ExpiryReference: optional(c.ExpiryReference)},
		WriteBack: s.WriteBack, SharedWith: s.SharedWith, Submission: s.Submission,
		RemindBefore: s.RemindBefore, Replaceable: optional(s.Replaceable),
	}
	if c.HTTP != nil {
		in.Check.HTTP = &dossier.HTTPParserInput{URL: c.HTTP.URL}
	}
	return in
}

// optional returns a text that may be missing, as a request has it.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// valueOr returns a value of a request, or other where the request has none.
func valueOr[T any](value *T, other T) T {
	if value == nil {
		return other
	}
	return *value
}

// set applies the part of a document type that its company decides. It returns the secret of the
// parser service if that is new, because the address was set or changed; "" if the secret stays.
func (s *storedType) set(in dossier.DocumentTypeInput, secret string,
	now dossier.Time) (newSecret string) {
	before := s.Check.HTTP
	s.Name, s.Description, s.Pass, s.RequiredParts, s.WriteBack = in.Name, in.Description, in.Pass,
		in.RequiredParts, in.WriteBack
	s.SharedWith, s.RemindBefore, s.UpdatedAt = in.SharedWith, in.RemindBefore, now
	s.Replaceable = valueOr(in.Replaceable, "")
	s.Check = dossier.Check{Parser: valueOr(in.Check.Parser, dossier.ParserNone),
		Decision: valueOr(in.Check.Decision, dossier.DecisionManual),
		Fields:   in.Check.Fields, Required: in.Check.Required,
		ExpiryReference: valueOr(in.Check.ExpiryReference, "")}
	if in.Check.HTTP != nil {
		s.Check.HTTP = &dossier.HTTPParser{URL: in.Check.HTTP.URL, Secret: secret}
		if before != nil && before.URL == in.Check.HTTP.URL {
			s.Check.HTTP.Secret = before.Secret
			secret = ""
		}
		newSecret = secret
	}
	s.submission(in.Submission)
	return newSecret
}

// submission replaces the rules. A rule without an id that otherwise equals a stored one keeps the
// id of that one.
func (s *storedType) submission(in dossier.Submission) {
	before := s.Submission.Rules
	s.Submission = dossier.Submission{Rules: slices.Clone(in.Rules), Tests: in.Tests}
	taken := map[string]bool{}
	for _, r := range in.Rules {
		taken[r.ID] = true
	}
	for n, r := range s.Submission.Rules {
		for _, old := range before {
			r.ID = old.ID
			if s.Submission.Rules[n].ID == "" && !taken[old.ID] && reflect.DeepEqual(r, old) {
				s.Submission.Rules[n].ID, taken[old.ID] = old.ID, true
			}
		}
	}
}

// withSecret returns the type as the response shows it: with the secret of its parser service if
// that is new.
func (s storedType) withSecret(secret string) once[dossier.DocumentType] {
	shown := s.whole()
	if secret != "" {
		shown.Check.HTTP.Secret = secret
	}
	return once[dossier.DocumentType]{shown, s.whole()}
}

// CreateType creates a document type, and its copies for the companies it is shared with, in one
// transaction. secret is for its parser service, if it has one; the response shows it once.
func (s *Store) CreateType(ctx context.Context, company string, in dossier.DocumentTypeInput,
	secret string) (dossier.DocumentType, error) {
	id := s.newID(dossier.PrefixDocumentType)
	answer, err := changeSettings(ctx, s, company,
		func(now dossier.Time) (answer once[dossier.DocumentType], writes []kv.Write, err error) {
			around, err := s.ruleContext(ctx, company)
			if err != nil {
				return answer, nil, err
			}
			if len(around.own) >= dossier.MaxListed {
				return answer, nil, dossier.Errorf(dossier.CodeLimitReached,
					"A company can have at most %d document types.", dossier.MaxListed)
			}
			dt := storedType{DocumentType: dossier.DocumentType{ID: id,
				Owner: dossier.Owner{CompanyID: company}, CreatedAt: now}}
			newSecret := dt.set(in, secret, now)
			s.sealParser(&dt)
			if err := s.reviewType(ctx, around, &dt); err != nil {
				return answer, nil, err
			}
			versions, err := s.versionWrites(ctx, &dt, storedType{}, 0)
			if err != nil {
				return answer, nil, err
			}
			writes, err = s.typeWrites(ctx, dt, kv.Item{}, nil)
			return dt.withSecret(newSecret), append(writes, versions...), err
		})
	return answer.shown, err
}

// Type returns a document type and the revision it has.
func (s *Store) Type(ctx context.Context, company, id string) (dossier.DocumentType, Rev, error) {
	dt, read, err := s.readType(ctx, company, id)
	return dt.whole(), Rev(read.Rev), err
}

// readType reads a document type; a deleted one, or one that is not shared any more, is not found.
func (s *Store) readType(ctx context.Context, company, id string) (storedType, kv.Item, error) {
	dt, read, err := setting[storedType](ctx, s, company, kindType, id)
	if err == nil && dt.Deleted {
		return storedType{}, kv.Item{}, dossier.ErrNotFound
	}
	return dt, read, err
}

// Types returns a page of a company's document types, those shared with it among them.
func (s *Store) Types(ctx context.Context, company, after string,
	limit int) ([]dossier.DocumentType, string, error) {
	stored, next, err := filteredPage(ctx, s, company, kindType, after, limit,
		func(dt storedType) bool { return !dt.Deleted })
	list := make([]dossier.DocumentType, len(stored))
	for n, dt := range stored {
		list[n] = dt.whole()
	}
	return list, next, err
}

// ownType reads a document type to change it: FORBIDDEN where another company owns it.
func (s *Store) ownType(ctx context.Context, company, id string,
	want Rev) (storedType, kv.Item, error) {
	dt, read, err := s.readType(ctx, company, id)
	if err == nil && dt.sharedTo(company) {
		err = dossier.Errorf(dossier.CodeForbidden,
			"The document type belongs to another company of the group.")
	}
	if err == nil {
		err = ifMatch(want, read)
	}
	return dt, read, err
}

// ChangeType changes a document type and its copies. secret is for its parser service, if that is
// new; the response then shows it once. IN_USE where the settings of a company that it is no longer
// shared with name it.
func (s *Store) ChangeType(ctx context.Context, company, id string, want Rev, secret string,
	change func(dossier.DocumentTypeInput) (dossier.DocumentTypeInput,
		error)) (dossier.DocumentType, Rev, error) {
	return s.changeType(ctx, company, id, want, secret,
		func(dt storedType) (dossier.DocumentTypeInput, int64, error) {
			in, err := change(dt.content())
			return in, 0, err
		})
}

// changeType does ChangeType. change returns the version too whose rules the new ones are, 0 if
// they come from no version.
func (s *Store) changeType(ctx context.Context, company, id string, want Rev, secret string,
	change func(storedType) (in dossier.DocumentTypeInput, version int64,
		err error)) (dossier.DocumentType, Rev, error) {
	var rev Rev
	answer, err := changeSettings(ctx, s, company,
		func(now dossier.Time) (answer once[dossier.DocumentType], writes []kv.Write, err error) {
			before, read, err := s.ownType(ctx, company, id, want)
			if err != nil {
				return answer, nil, err
			}
			in, version, err := change(before)
			if err != nil {
				return answer, nil, err
			}
			around, err := s.ruleContext(ctx, company)
			if err != nil {
				return answer, nil, err
			}
			dt := before
			newSecret := dt.set(in, secret, now)
			s.sealParser(&dt)
			var restored []dossier.Rule
			if version > 0 {
				restored = in.Submission.Rules
			}
			if err := s.reviewType(ctx, around, &dt, restored...); err != nil {
				return answer, nil, err
			}
			versions, err := s.versionWrites(ctx, &dt, before, version)
			if err != nil {
				return answer, nil, err
			}
			rev = Rev(read.Rev + 1)
			writes, err = s.typeWrites(ctx, dt, read, before.SharedWith)
			return dt.withSecret(newSecret), append(writes, versions...), err
		})
	return answer.shown, rev, err
}

// DeleteType deletes a document type everywhere it is shared. Candidates that were asked for it
// keep it. IN_USE while a rule, scenario, preset or registration page names it, of any of the
// companies.
func (s *Store) DeleteType(ctx context.Context, company, id string) error {
	_, err := changeSettings(ctx, s, company,
		func(now dossier.Time) (none struct{}, writes []kv.Write, err error) {
			dt, read, err := s.ownType(ctx, company, id, 0)
			if err != nil {
				return none, nil, err
			}
			uses, err := s.referencesTo(ctx, company, id)
			if err != nil {
				return none, nil, err
			}
			dt.Deleted, dt.UpdatedAt = true, now
			partners := dt.SharedWith
			dt.SharedWith = nil
			writes, err = s.typeWrites(ctx, dt, read, partners)
			if used := (*dossier.Error)(nil); errors.As(err, &used) &&
				used.Code == dossier.CodeInUse {
				uses, err = append(uses, used.Fields...), nil
			}
			if err != nil {
				return none, nil, err
			}
			versions, err := s.removeVersions(ctx, company, id)
			if err != nil {
				return none, nil, err
			}
			return none, append(writes, versions...), inUse(kindType, uses)
		})
	return err
}

// reviewType does reviewContent, and runs the tests of the rules.
func (s *Store) reviewType(ctx context.Context, around *ruleContext, dt *storedType,
	restored ...dossier.Rule) error {
	if err := s.reviewContent(around, dt, restored...); err != nil {
		return err
	}
	return s.runTests(ctx, *dt)
}

// reviewContent checks what a document type names, gives its rules ids, notes warnings and the
// types of the fields it writes to. The ids of restored rules are known.
func (s *Store) reviewContent(around *ruleContext, dt *storedType,
	restored ...dossier.Rule) error {
	given := rules.AssignIDs(dt.Submission.Rules, func() string {
		return s.newID(dossier.PrefixRule)
	})
	dt.Submission.Tests = rules.NameOutcomes(dt.Submission)
	var p dossier.Problems
	dt.WriteTypes = map[string]string{}
	references := dt.Check.References()
	checkReferences(&p, dt.Check, references)
	for n, w := range dt.WriteBack {
		checkWriteBack(&p, fmt.Sprintf("/writeBack/%d", n), w, around.fields, references)
		if slices.ContainsFunc(dt.WriteBack[:n], func(o dossier.WriteBack) bool {
			return o.To == w.To
		}) {
			p.Add(fmt.Sprintf("/writeBack/%d/to", n), dossier.ProblemDuplicate,
				"An earlier element already writes to this field.")
		}
		if fieldType, ok := around.fields[w.To]; ok {
			dt.WriteTypes[w.To] = fieldType
		}
	}
	known := around.knownFor(*dt)
	for _, id := range given {
		known.RuleIDs[id] = true
	}
	for _, r := range restored {
		known.RuleIDs[r.ID] = true
	}
	problems, warnings := rules.Review(dt.Submission, known)
	dt.Warnings = warnings
	p.AddAll(problems)
	return p.Err()
}
