package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// Message returns a message of a candidate.
func (s *Store) Message(ctx context.Context,
	company, candidate, id string) (dossier.Message, error) {
	key, err := findMessageKey(company, candidate, id)
	if err != nil {
		return dossier.Message{}, err
	}
	m, _, err := get[dossier.Message](ctx, s, key)
	return m, err
}

// UnreadMessages returns a page of the messages of candidates that no administrator has read, the
// oldest first. Messages that were written before unread ones were listed are not among them.
func (s *Store) UnreadMessages(ctx context.Context, company, after string,
	limit int) ([]dossier.Message, string, error) {
	page, err := s.engine.Query(ctx,
		kv.Query{Index: kv.IndexLookup, Partition: unreadPartition(company), After: after,
			Limit: limit, Eventual: true})
	if err != nil {
		return nil, "", err
	}
	list, err := decodeAll[dossier.Message](page.Items)
	return list, page.After, err
}

// CountUnread returns how many messages of a candidate's dossier the reader's side has not read:
// an administrator those that the candidate wrote, a candidate those that others did.
func (s *Store) CountUnread(ctx context.Context, company, candidate string,
	reader dossier.Author) (int, error) {
	all, _, err := s.Messages(ctx, company, candidate, false, "", 0)
	n := 0
	for _, m := range all {
		theirs := m.Author.Type == dossier.KindCandidate
		switch {
		case reader.Type == dossier.KindCandidate && !theirs && m.ReadByCandidateAt.IsZero(),
			reader.Type != dossier.KindCandidate && theirs && m.ReadByAdministratorAt.IsZero():
			n++
		}
	}
	return n, err
}
