// Package web serves the pages for people: the console for administrators and the portal for
// candidates. Pages are rendered from templates and work without script. Every page is a client of
// the API: it calls the API's http.Handler in process with the credential of the session, so that
// scopes, limits and errors are decided there.
package web
