package web

// consolePages are the console's pages behind signing in, by pattern.
var consolePages = map[string]handler{
	"GET /console/{$}": today,

	"GET /console/requests": listRequests,

	"GET /console/candidates":                        listCandidates,
	"GET /console/candidates/new":                    newCandidate,
	"POST /console/candidates/new":                   createCandidate,
	"GET /console/candidates/{id}":                   showDossier,
	"POST /console/candidates/{id}/ask":              askForDocument,
	"POST /console/candidates/{id}/message":          sendMessage,
	"POST /console/candidates/{id}/read/{message}":   readMessage,
	"POST /console/candidates/{id}/unsend/{message}": deleteMessage,
	"POST /console/candidates/{id}/pass":             verifyPass,
	"POST /console/candidates/{id}/reject":           rejectCandidate,
	"POST /console/candidates/{id}/reopen":           reopenCandidate,
	"POST /console/candidates/{id}/erase":            eraseCandidate,
	"POST /console/candidates/{id}/link":             linkCandidate,
	"POST /console/candidates/{id}/stop/{request}":   stopAsking,
}
