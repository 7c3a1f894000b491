package store

import (
	"context"
	"errors"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

func messageID(cand, msg string) string { return prefixMessage + cand + msg }

// newMessage adds a message to the transaction.
func (c *candidateTx) newMessage(m dossier.Message) (dossier.Message, error) {
	id := c.store.cfg.NewID(c.store.cfg.Now())
	m.ID, m.CandidateID, m.State, m.CreatedAt = messageID(c.ulid(), id), c.cand.ID, dossier.MessageUnread, c.now
	i, err := messageItem(c.company, 0, m)
	if err != nil {
		return m, err
	}
	c.add(put(i))
	return m, nil
}

// message writes what a notification says, by the service itself.
func (c *candidateTx) message(n dossier.Notification) (dossier.Message, error) {
	return c.newMessage(dossier.Message{
		Subject: n.Subject, Text: n.Text, Author: dossier.Author{Type: dossier.AuthorSystem, ID: "system", Name: "Dossier"}})
}

func messageItem(company string, rev int64, m dossier.Message) (kv.Item, error) {
	i, err := item(keyMessage(company, m.CandidateID[len(prefixCandidate):], m.ID[len(prefixMessage)+ulidLen:]), rev, m)
	if err == nil {
		i.Fields = map[string]string{"author": m.Author.Type + "#" + m.Author.ID, "state": m.State}
	}
	return i, err
}

// SendMessage stores a message with its event, in one transaction.
func (s *Store) SendMessage(ctx context.Context, company, candidate string, author dossier.Author, text string) (sent dossier.Message, err error) {
	err = s.changeCandidate(ctx, company, candidate, func(c *candidateTx) (any, error) {
		if author.Type == dossier.KindCandidate {
			author.Name = strings.TrimSpace(c.cand.FirstName + " " + c.cand.LastName)
		}
		if sent, err = c.newMessage(dossier.Message{Text: text, Author: author}); err != nil {
			return nil, err
		}
		return sent, c.emit(event.NewMessageSent(event.MessageSent{MessageID: sent.ID, AuthorType: author.Type}))
	})
	return sent, err
}

// Messages returns a page of a candidate's messages, oldest first; limit 0 returns all.
func (s *Store) Messages(ctx context.Context, company, candidate, after string, limit int) ([]dossier.Message, string, error) {
	cand, ok := bare(prefixCandidate, candidate, 1)
	if !ok {
		return nil, "", dossier.ErrNotFound
	}
	page, err := s.engine.Query(ctx, kv.Query{Partition: pkCandidate(company, cand) + "#MSG", After: after, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	if len(page.Items) == 0 {
		// Only a list without messages needs to know whether there is a candidate at all.
		if _, _, err := s.readCandidate(ctx, company, candidate); err != nil {
			return nil, "", err
		}
	}
	messages, err := decodeAll[dossier.Message](page.Items)
	return messages, page.After, err
}

// keyOfMessage returns the key of a candidate's message; ok is false where the id is not one of that candidate's.
func keyOfMessage(company, candidate, id string) (kv.Key, bool) {
	cand, ok := bare(prefixCandidate, candidate, 1)
	rest, found := bare(prefixMessage, id, 2)
	if !ok || !found || rest[:ulidLen] != cand {
		return kv.Key{}, false
	}
	return keyMessage(company, cand, rest[ulidLen:]), true
}

// ReadMessage marks a message as read by the reader's side. The first reader stays; an author does not read their own.
func (s *Store) ReadMessage(ctx context.Context, company, candidate, id string, reader dossier.Author) (m dossier.Message, err error) {
	key, ok := keyOfMessage(company, candidate, id)
	if !ok {
		return m, dossier.ErrNotFound
	}
	err = s.retryOnConflict(ctx, func() error {
		var read kv.Item
		if m, read, err = get[dossier.Message](ctx, s, key); err != nil {
			return err
		}
		if !markRead(&m, reader, s.now()) {
			return nil
		}
		i, err := messageItem(company, read.Rev, m)
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
	if !at.IsZero() || m.Author.Type == reader.Type && m.Author.ID == reader.ID {
		return false
	}
	*at, m.State = now, dossier.MessageRead
	return true
}

// DeleteMessage deletes an own message that nobody has read, in one conditional write. The stored message that comes back
// with a refusal says why: NOT_MESSAGE_AUTHOR, or MESSAGE_ALREADY_READ.
func (s *Store) DeleteMessage(ctx context.Context, company, candidate, id string, author dossier.Author) error {
	key, ok := keyOfMessage(company, candidate, id)
	if !ok {
		return dossier.ErrNotFound
	}
	own := author.Type + "#" + author.ID
	err := s.commit(ctx, nil, kv.Write{Delete: &key, If: kv.Condition{Is: map[string]string{"author": own, "state": dossier.MessageUnread}}})
	var failed *kv.ConditionFailed
	if !errors.As(err, &failed) {
		return err
	}
	stored := failed.Failed[0]
	switch {
	case stored.Rev == 0:
		return dossier.ErrNotFound
	case stored.Fields["author"] != own:
		return dossier.Errorf(dossier.CodeNotMessageAuthor, "Only its author can delete a message.")
	}
	return dossier.Errorf(dossier.CodeMessageRead, "The message was read already.")
}
