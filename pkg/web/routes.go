package web

// consolePages are the console's pages behind signing in, by pattern.
var consolePages = map[string]handler{
	"GET /console/{$}": today,

	"GET /console/requests": listRequests,

	"GET /console/review":                nextReview,
	"GET /console/review/{id}":           showReview,
	"POST /console/review/{id}/validate": validateDocument,
	"POST /console/review/{id}/ask":      askAgain,
	"POST /console/review/{id}/reject":   rejectDocument,
	"GET /console/runs/{request}/{run}":  showRuleRun,

	"GET /console/document-types":              listTypes,
	"GET /console/document-types/new":          newType,
	"POST /console/document-types/new":         saveType,
	"GET /console/document-types/{id}":         showType,
	"GET /console/document-types/{id}/edit":    editType,
	"POST /console/document-types/{id}/edit":   saveType,
	"POST /console/document-types/{id}/delete": deleteType,
	"GET /console/document-types/{id}/rules":   editRules,
	"POST /console/document-types/{id}/rules":  saveRules,
	"GET /console/document-types/{id}/try":     tryRules,

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
