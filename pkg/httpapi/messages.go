package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func (a *API) messageRoutes() []route {
	const path = "/candidates/{candidateId}/messages"
	return []route{
		{method: http.MethodGet, path: path, scope: dossier.ScopeMessagesRead,
			tokens: "candidateId", paging: uncut, sorts: []string{sortCreated, sortNewest},
			handle: a.listMessages},
		{method: http.MethodPost, path: path, scope: dossier.ScopeMessagesWrite,
			tokens: "candidateId", handle: a.sendMessage},
		{method: http.MethodPost, path: path + "/{messageId}/read",
			scope: dossier.ScopeMessagesWrite, tokens: "candidateId",
			body: bodyNone, handle: a.readMessage},
		{method: http.MethodGet, path: path + "/{messageId}", scope: dossier.ScopeMessagesRead,
			tokens: "candidateId", handle: a.getMessage},
		{method: http.MethodGet, path: "/candidates/{candidateId}/unread",
			scope: dossier.ScopeMessagesRead, tokens: "candidateId",
			handle: a.countUnread},
		{method: http.MethodGet, path: "/messages/unread", scope: dossier.ScopeMessagesRead,
			paging: paged, handle: a.listUnread},
		{method: http.MethodDelete, path: path + "/{messageId}", scope: dossier.ScopeMessagesWrite,
			handle: a.deleteMessage},
	}
}

// listMessages returns every message, unless a page is requested.
func (a *API) listMessages(r *request) (any, error) {
	newestFirst, err := r.newestFirst()
	if err != nil {
		return nil, err
	}
	find := func(after string, limit int) ([]dossier.Message, string, error) {
		return a.store.Messages(r.Context(), r.company(), r.param("candidateId"),
			newestFirst, after, limit)
	}
	if !a.streams || r.query.Has(pageSize) || r.query.Has(pageAfter) {
		return list(r, find)
	}
	first, next, err := find("", streamedPage)
	if err != nil || next == "" {
		return pageResult{first, ""}, err
	}
	return streamList(first, next, func(after string) ([]dossier.Message, string, error) {
		return find(after, streamedPage)
	}), nil
}

// newestFirst reports whether a list that is ordered by createdAt begins with the newest.
func (r *request) newestFirst() (bool, error) {
	order := r.query.Get("sort")
	if order == "" {
		return false, nil
	}
	var p dossier.Problems
	p.Word("?sort", order, r.route.sorts)
	return order == sortNewest, p.Err()
}

// streamedPage is the number of messages of a streamed list that are in memory at once.
const streamedPage = 100

// messageInput is the body of POST …/messages.
type messageInput struct {
	Text string `json:"text"`
}

// Validate records what is wrong with the text.
func (in messageInput) Validate(p *dossier.Problems) { p.Text("/text", in.Text, dossier.MaxText) }

func (a *API) sendMessage(r *request) (any, error) {
	in, err := decodeValid(r, messageInput.Validate)
	if err != nil {
		return nil, err
	}
	return a.store.SendMessage(r.Context(), r.company(), r.param("candidateId"),
		r.principal.Author(), in.Text)
}

// readMessage marks a message as read by the caller's side, administrator or candidate.
func (a *API) readMessage(r *request) (any, error) {
	return a.store.ReadMessage(r.Context(), r.company(), r.param("candidateId"),
		r.param("messageId"), r.principal.Author())
}

func (a *API) deleteMessage(r *request) (any, error) {
	return nil, a.store.DeleteMessage(r.Context(), r.company(), r.param("candidateId"),
		r.param("messageId"), r.principal.Author())
}

func (a *API) getMessage(r *request) (any, error) {
	return a.store.Message(r.Context(), r.company(), r.param("candidateId"), r.param("messageId"))
}

// unread is the response of GET /candidates/{candidateId}/unread.
type unread struct {
	Messages int `json:"messages"`
}

// countUnread counts the messages that the caller's side has not read.
func (a *API) countUnread(r *request) (any, error) {
	n, err := a.store.CountUnread(r.Context(), r.company(), r.param("candidateId"),
		r.principal.Author())
	return unread{n}, err
}

// listUnread answers the messages of all candidates that no administrator has read.
func (a *API) listUnread(r *request) (any, error) {
	return list(r, func(after string, limit int) ([]dossier.Message, string, error) {
		return a.store.UnreadMessages(r.Context(), r.company(), after, limit)
	})
}
