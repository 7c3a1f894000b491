package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func (a *API) messageRoutes() []route {
	const path = "/candidates/{candidateId}/messages"
	return []route{
		{method: http.MethodGet, path: path, scope: dossier.ScopeMessagesRead, tokens: "candidateId", paging: uncut,
			handle: a.listMessages},
		{method: http.MethodPost, path: path, scope: dossier.ScopeMessagesWrite, tokens: "candidateId", handle: a.sendMessage},
		{method: http.MethodPost, path: path + "/{messageId}/read", scope: dossier.ScopeMessagesWrite, tokens: "candidateId",
			body: bodyNone, handle: a.readMessage},
		{method: http.MethodDelete, path: path + "/{messageId}", scope: dossier.ScopeMessagesWrite, handle: a.deleteMessage},
	}
}

// listMessages answers all of them, unless a page is asked for.
func (a *API) listMessages(r *request) (any, error) {
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	list, next, err := a.store.Messages(r.Context(), r.principal.CompanyID, r.param("candidateId"), after, size)
	return listed{list, next}, err
}

func (a *API) sendMessage(r *request) (any, error) {
	in, err := decode[struct {
		Text string `json:"text"`
	}](r)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	checkText(&p, "/text", in.Text, dossier.MaxText)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return a.store.SendMessage(r.Context(), r.principal.CompanyID, r.param("candidateId"), r.principal.Author(), in.Text)
}

// readMessage marks a message as read by the side of who calls.
func (a *API) readMessage(r *request) (any, error) {
	return a.store.ReadMessage(r.Context(), r.principal.CompanyID, r.param("candidateId"), r.param("messageId"), r.principal.Author())
}

func (a *API) deleteMessage(r *request) (any, error) {
	return nil, a.store.DeleteMessage(r.Context(), r.principal.CompanyID, r.param("candidateId"), r.param("messageId"), r.principal.Author())
}
