package store

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// newMessage adds a message to the transaction.
func (c *candidateTx) newMessage(m dossier.Message) (dossier.Message, error) {
	m.ID = dossier.PrefixMessage + c.at.id.ULID() + c.store.newID("")
	m.CandidateID, m.State, m.CreatedAt = c.cand.ID, dossier.MessageUnread, c.now
	i, err := messageItem(c.at.messageKey(m.ID), 0, m)
	if err != nil {
		return m, err
	}
	c.add(put(i))
	c.cand.Messages++
	return m, nil
}

// notification returns the event of the message of a scenario, whose author is the service. values
// are those of its placeholders, beside the candidate's own. A candidate with dossier.MaxMessages
// gets no more: ok is false, so that a run always ends.
func (c *candidateTx) notification(n dossier.Notification,
	values map[string]string) (sent event.Payload, ok bool, err error) {
	if c.cand.Messages >= dossier.MaxMessages {
		return sent, false, nil
	}
	values = maps.Clone(values)
	if values == nil {
		values = map[string]string{}
	}
	values[dossier.PlaceholderFirstName] = c.cand.FirstName
	n = n.Filled(values)
	m, err := c.newMessage(dossier.Message{
		Subject: n.Subject, Text: n.Text,
		Author: dossier.Author{Type: dossier.AuthorSystem, ID: "system", Name: "Dossier"}})
	return event.NewMessageSent(
		event.MessageSent{MessageID: m.ID, AuthorType: dossier.AuthorSystem}), err == nil, err
}

func messageItem(key kv.Key, rev int64, m dossier.Message) (kv.Item, error) {
	i, err := item(key, rev, m)
	if err == nil {
		i.Fields = map[string]string{"author": authorField(m.Author), "state": m.State}
	}
	if at, ok := refOf(key.PK); ok && m.Author.Type == dossier.KindCandidate &&
		m.ReadByAdministratorAt.IsZero() {
		i.Lookup, i.LookupSort = unreadPartition(at.company), unreadSort(m.CreatedAt, key)
	}
	return i, err
}

// SendMessage stores a message and its event, in one transaction.
func (s *Store) SendMessage(ctx context.Context, company, candidate string, author dossier.Author,
	text string) (sent dossier.Message, err error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return sent, err
	}
	err = s.changeCandidate(ctx, at, func(c *candidateTx) (any, error) {
		if c.cand.Messages >= dossier.MaxMessages {
			return nil, dossier.Errorf(dossier.CodeLimitReached,
				"A candidate can have at most %d messages.", dossier.MaxMessages)
		}
		if author.Type == dossier.KindCandidate {
			author.Name = strings.TrimSpace(c.cand.FirstName + " " + c.cand.LastName)
		}
		if sent, err = c.newMessage(dossier.Message{Text: text, Author: author}); err != nil {
			return nil, err
		}
		return sent, c.emit(event.NewMessageSent(
			event.MessageSent{MessageID: sent.ID, AuthorType: author.Type}))
	})
	return sent, err
}

// Messages returns a page of a candidate's messages, the oldest or the newest first; limit 0
// returns all.
func (s *Store) Messages(ctx context.Context, company, candidate string, newestFirst bool,
	after string, limit int) ([]dossier.Message, string, error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return nil, "", err
	}
	page, err := s.engine.Query(ctx,
		kv.Query{Partition: at.messagePartition(), After: after, Limit: limit,
			Backward: newestFirst})
	if err != nil {
		return nil, "", err
	}
	if len(page.Items) == 0 {
		// A message implies its candidate; only an empty list has to look whether there is one.
		if _, _, err := s.readCandidate(ctx, at); err != nil {
			return nil, "", err
		}
	}
	messages, err := decodeAll[dossier.Message](page.Items)
	return messages, page.After, err
}

// findMessageKey returns the key of a candidate's message; NOT_FOUND for an id of another's.
func findMessageKey(company, candidate, id string) (kv.Key, error) {
	at, err := parseRef(company, candidate)
	ulids, ok := dossier.ParseID(dossier.PrefixMessage, id, 2)
	if err != nil || !ok || ulids[:dossier.ULIDLen] != at.id.ULID() {
		return kv.Key{}, dossier.ErrNotFound
	}
	return at.messageKey(id), nil
}

// ReadMessage marks a message as read by the reader's side, administrator or candidate. The first
// reader is kept. It does not matter who wrote the message.
func (s *Store) ReadMessage(ctx context.Context, company, candidate, id string,
	reader dossier.Author) (m dossier.Message, err error) {
	key, err := findMessageKey(company, candidate, id)
	if err != nil {
		return m, err
	}
	err = s.retryOnConflict(ctx, func() error {
		var read kv.Item
		if m, read, err = get[dossier.Message](ctx, s, key); err != nil {
			return err
		}
		if !markRead(&m, reader, s.now()) {
			return nil
		}
		i, err := messageItem(key, read.Rev, m)
		if err != nil {
			return err
		}
		return s.commit(ctx, m, put(i))
	})
	return m, err
}

// markRead reports whether the reading changed the message.
func markRead(m *dossier.Message, reader dossier.Author, now dossier.Time) bool {
	at := &m.ReadByAdministratorAt
	if reader.Type == dossier.KindCandidate {
		at = &m.ReadByCandidateAt
	}
	if !at.IsZero() {
		return false
	}
	*at, m.State = now, dossier.MessageRead
	return true
}

// DeleteMessage deletes an author's unread message by one conditional write. The stored message
// that a failed condition returns tells the reason: NOT_MESSAGE_AUTHOR or MESSAGE_ALREADY_READ.
func (s *Store) DeleteMessage(ctx context.Context, company, candidate, id string,
	author dossier.Author) error {
	key, err := findMessageKey(company, candidate, id)
	if err != nil {
		return err
	}
	own := authorField(author)
	err = s.commit(ctx, nil, kv.Write{Delete: &key,
		If: kv.Condition{Is: map[string]string{"author": own, "state": dossier.MessageUnread}}})
	failed, ok := errors.AsType[*kv.ConditionFailed](err)
	if !ok {
		return err
	}
	stored := failed.Failed[0]
	switch {
	case stored.Rev == 0:
		return dossier.ErrNotFound
	case stored.Fields["author"] != own:
		return dossier.Errorf(dossier.CodeNotMessageAuthor, "Only its author can delete a message.")
	}
	return dossier.Errorf(dossier.CodeMessageRead, "The message was already read.")
}
