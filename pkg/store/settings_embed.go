package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// maxGet is the highest number of items that one request reads.
const maxGet = 100

// embedded returns document types as responses show them, in the order of the ids.
func embedded(types map[string]storedType, ids []string) []dossier.DocumentType {
	list := []dossier.DocumentType{}
	for _, id := range ids {
		if dt, ok := types[id]; ok {
			list = append(list, dt.shown())
		}
	}
	return list
}

// typesOf reads the document types that the entities of a page name: one request for each hundred
// of them, never one for each entity.
func typesOf[S any](ctx context.Context, s *Store, company string, page []S,
	ids func(S) []string) (map[string]storedType, error) {
	var all []string
	for _, entity := range page {
		all = append(all, ids(entity)...)
	}
	slices.Sort(all)
	types := map[string]storedType{}
	for part := range slices.Chunk(slices.Compact(all), maxGet) {
		some, err := typesBy(ctx, s, company, true, part)
		if err != nil {
			return nil, err
		}
		for id, dt := range some {
			types[id] = dt
		}
	}
	return types, nil
}

// requireTypes reads the document types of a request and reports those that do not exist, and
// duplicates. pointer has the place of the number.
func (s *Store) requireTypes(ctx context.Context, company, pointer string,
	ids []string) (map[string]storedType, error) {
	types, err := s.types(ctx, company, ids)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	for n, id := range ids {
		dt, ok := types[id]
		switch {
		case !ok || dt.Deleted:
			p.Add(fmt.Sprintf(pointer, n), dossier.ProblemUnknown,
				"There is no document type with the id %q.",
				dossier.Clip(id))
		case slices.Index(ids, id) < n:
			p.Add(fmt.Sprintf(pointer, n), dossier.ProblemDuplicate,
				"The document type is listed twice.")
		}
	}
	return types, p.Err()
}

// requireEntities reports the ids of a request that are no entity of a kind, and duplicates.
func requireEntities(ctx context.Context, s *Store, company string, k kind, pointer string,
	ids []string) error {
	missing := map[string]bool{}
	if err := readSettings(ctx, s, company, k, ids, missing, func(string, struct{}) {}); err !=
		nil {
		return err
	}
	var p dossier.Problems
	for n, id := range ids {
		at := pointer
		if strings.Contains(pointer, "%") {
			at = fmt.Sprintf(pointer, n)
		}
		switch {
		case missing[id]:
			p.Add(at, dossier.ProblemUnknown, "There is no %s with the id %q.", k.word,
				dossier.Clip(id))
		case slices.Index(ids, id) < n:
			p.Add(at, dossier.ProblemDuplicate, "The %s is listed twice.", k.word)
		}
	}
	return p.Err()
}
