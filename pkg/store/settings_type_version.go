package store

import (
	"context"
	"math"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/rules"
)

// versionWrites numbers the rules of a saved document type and returns the writes that keep them as
// a version: none if they are the same as before, which is empty for a new type. The oldest version
// beyond dossier.MaxRuleVersions goes. The rules of before become a version too if they were saved
// when versions were not kept. from is the version that the rules come from, or 0.
//
// Absent, or as it was read, each: whatever has come between raised the revision of the settings.
func (s *Store) versionWrites(ctx context.Context, dt *storedType, before storedType,
	from int64) ([]kv.Write, error) {
	if before.Version > 0 && rules.Equal(before.Submission, dt.Submission) {
		return nil, nil
	}
	company, id := dt.Owner.CompanyID, dossier.DocumentTypeID(dt.ID)
	dt.Version = before.Version + 1
	made, err := item(ruleVersionKey(company, id, dt.Version), 0, dossier.SubmissionVersion{
		Version: dt.Version, Submission: dt.Submission, RestoredFrom: from,
		CreatedBy: actorOf(ctx), CreatedAt: dt.UpdatedAt})
	if err != nil {
		return nil, err
	}
	writes := []kv.Write{put(made)}
	if before.Version == 0 {
		return writes, nil
	}
	keys := []kv.Key{ruleVersionKey(company, id, before.Version)}
	if oldest := dt.Version - dossier.MaxRuleVersions; oldest > 0 {
		keys = append(keys, ruleVersionKey(company, id, oldest))
	}
	kept, err := s.engine.Get(ctx, false, keys...)
	if err != nil {
		return nil, err
	}
	if kept[0].Rev == 0 {
		first, err := item(keys[0], 0, dossier.SubmissionVersion{Version: before.Version,
			Submission: before.Submission, CreatedAt: before.UpdatedAt})
		if err != nil {
			return nil, err
		}
		writes = append(writes, put(first))
	}
	if len(kept) > 1 && kept[1].Rev > 0 {
		writes = append(writes, remove(kept[1]))
	}
	return writes, nil
}

// ruleVersionQuery reads the versions of the rules of a document type.
func ruleVersionQuery(company string, dt dossier.DocumentTypeID) kv.Query {
	first, last := ruleVersionKey(company, dt, 0), ruleVersionKey(company, dt, math.MaxInt32)
	return kv.Query{Partition: first.PK, From: first.SK, To: last.SK}
}

// removeVersions returns the writes that delete the versions of the rules of a document type.
func (s *Store) removeVersions(ctx context.Context, company, id string) ([]kv.Write, error) {
	page, err := s.engine.Query(ctx, ruleVersionQuery(company, dossier.DocumentTypeID(id)))
	if err != nil {
		return nil, err
	}
	writes := make([]kv.Write, len(page.Items))
	for n, i := range page.Items {
		writes[n] = remove(i)
	}
	return writes, nil
}

// RuleVersions returns a page of the versions of the rules of a document type, newest first.
// FORBIDDEN where another company owns it.
func (s *Store) RuleVersions(ctx context.Context, company, id, after string,
	limit int) ([]dossier.SubmissionVersion, string, error) {
	if _, _, err := s.ownType(ctx, company, id, 0); err != nil {
		return nil, "", err
	}
	q := ruleVersionQuery(company, dossier.DocumentTypeID(id))
	q.After, q.Limit, q.Backward = after, limit, true
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, "", err
	}
	list, err := decodeAll[dossier.SubmissionVersion](page.Items)
	for n := range list {
		list[n].Submission = withTests(list[n].Submission)
	}
	return list, page.After, err
}

// RuleVersion returns one version of the rules of a document type. FORBIDDEN where another company
// owns it.
func (s *Store) RuleVersion(ctx context.Context, company, id string,
	n int64) (dossier.SubmissionVersion, error) {
	if _, _, err := s.ownType(ctx, company, id, 0); err != nil {
		return dossier.SubmissionVersion{}, err
	}
	return s.ruleVersion(ctx, company, id, n)
}

func (s *Store) ruleVersion(ctx context.Context, company, id string,
	n int64) (dossier.SubmissionVersion, error) {
	v, _, err := get[dossier.SubmissionVersion](ctx, s,
		ruleVersionKey(company, dossier.DocumentTypeID(id), n))
	v.Submission = withTests(v.Submission)
	return v, err
}

// CompareRules returns what leads from the rules of one version to those of another.
func (s *Store) CompareRules(ctx context.Context, company, id string,
	from, to int64) (dossier.SubmissionDiff, error) {
	before, err := s.RuleVersion(ctx, company, id, from)
	if err != nil {
		return dossier.SubmissionDiff{}, err
	}
	after, err := s.ruleVersion(ctx, company, id, to)
	return dossier.SubmissionDiff{From: from, To: to,
		Changes: rules.Diff(before.Submission, after.Submission),
		Tests:   rules.DiffTests(before.Submission, after.Submission)}, err
}

// RestoreRules gives a document type the rules of one of its versions again, as a new version. They
// are checked like new ones and keep their ids.
func (s *Store) RestoreRules(ctx context.Context, company, id string, want Rev,
	n int64) (dossier.DocumentType, Rev, error) {
	return s.changeType(ctx, company, id, want, "",
		func(dt storedType) (in dossier.DocumentTypeInput, version int64, err error) {
			v, err := s.ruleVersion(ctx, company, id, n)
			in = dt.content()
			in.Submission = v.Submission
			return in, n, err
		})
}
