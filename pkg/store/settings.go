package store

import (
	"context"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// kind is a kind of settings entity: its partition, the prefix of its ids, and its name.
type kind struct{ partition, prefix, word string }

var (
	kindType        = kind{"DT", dossier.PrefixDocumentType, "document type"}
	kindScenario    = kind{"SCN", dossier.PrefixScenario, "scenario"}
	kindForm        = kind{"FRM", dossier.PrefixForm, "form"}
	kindPreset      = kind{"PRE", dossier.PrefixPreset, "preset"}
	kindPage        = kind{"RPG", dossier.PrefixRegistrationPage, "registration page"}
	kindIntegration = kind{"INT", dossier.PrefixIntegration, "integration"}
	kindField       = kind{"CFD", dossier.PrefixCustomField, "custom field"}
	kindKey         = kind{"KEY", dossier.PrefixKey, "key"}
	kindProvider    = kind{"SIP", dossier.PrefixSignInProvider, "sign-in provider"}
)

// kinds lists every kind, whose keys a golden pins.
var kinds = []kind{kindType, kindScenario, kindForm, kindPreset, kindPage, kindIntegration,
	kindField, kindKey, kindProvider}

// Rev is the revision that the client has read, for ETag and If-Match; 0 asks for none.
type Rev int64

// setting reads one settings entity.
func setting[T any](ctx context.Context, s *Store, company string, k kind,
	id string) (v T, read kv.Item, err error) {
	key, ok := settingKey(company, k, id)
	if !ok {
		return v, read, dossier.ErrNotFound
	}
	return get[T](ctx, s, key)
}

// settings reads all entities of one kind of a company: at most dossier.MaxListed.
func settings[T any](ctx context.Context, s *Store, company string, k kind) ([]T, error) {
	page, err := s.engine.Query(ctx, kv.Query{Partition: partitionOf(company, k.partition)})
	if err != nil {
		return nil, err
	}
	return decodeAll[T](page.Items)
}

func decodeAll[T any](items []kv.Item) ([]T, error) {
	all := make([]T, 0, len(items))
	for _, i := range items {
		v, err := decode[T](i)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// settingsRevision is the item that serializes the changes of a company's settings: what one change
// has read to be right (that a reference is free, that nothing names what it deletes) still holds
// when it is written.
type settingsRevision struct {
	Changes int64 `json:"changes"`
}

// changeSettings runs one change of a company's settings: plan reads and decides, and returns the
// response and the writes.
func changeSettings[T any](ctx context.Context, s *Store, company string,
	plan func(now dossier.Time) (T, []kv.Write, error)) (T, error) {
	var answer T
	err := s.retryOnConflict(ctx, func() error {
		revision, read, err := get[settingsRevision](ctx, s, revisionKey(company))
		if err != nil && !errors.Is(err, dossier.ErrNotFound) {
			return err
		}
		var writes []kv.Write
		if answer, writes, err = plan(s.now()); err != nil {
			return err
		}
		revision.Changes++
		next, err := item(revisionKey(company), read.Rev, revision)
		if err != nil {
			return err
		}
		// Failed: somebody changed the settings meanwhile, so the plan is made again.
		return s.commit(ctx, answer, append(writes, put(next))...)
	})
	return answer, err
}

// ifMatch refuses a change of something that is not as the client last saw it.
func ifMatch(want Rev, read kv.Item) error {
	if want != 0 && int64(want) != read.Rev {
		return dossier.Errorf(dossier.CodePrecondition,
			"The resource has changed: If-Match names another version.")
	}
	return nil
}
