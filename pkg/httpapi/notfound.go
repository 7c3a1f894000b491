package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// nouns maps the segment of a path before an id to what has the id, as clients are told.
var nouns = map[string]string{
	"candidates": "candidate", "messages": "message", "forms": "form",
	"candidateDocumentTypes": "candidate document type", "containers": "candidate document type",
	"documents": "document", "parts": "part", "documentTypes": "document type",
	"scenarios": "scenario", "presets": "preset", "customFields": "custom field",
	"registration-pages": "registration page", "public": "company", "companies": "company",
	"keys": "key", "signInProviders": "sign-in provider", "settings": anySetting,
	"integrations": "integration", "logs": "log entry", "tokens": "token",
	"versions": "version", "diff": "version", "ruleRuns": "rule run",
}

// anySetting is the noun of a path that takes the ids of several kinds.
const anySetting = "setting"

// notFound returns the NOT_FOUND of a request. Its sentence depends on the path alone: something of
// another company and something that does not exist get the same response, to the byte.
func (x *exchange) notFound() *dossier.Error {
	if x.endpoint == nil || len(x.endpoint.params) == 0 {
		return dossier.ErrNotFound
	}
	segments := strings.Split(x.endpoint.path, "/")
	var things []string
	for n, segment := range segments {
		name, found := strings.CutPrefix(segment, "{")
		if !found {
			continue
		}
		thing := nouns[segments[n-1]]
		if thing == "" {
			return dossier.ErrNotFound
		}
		id := x.param(strings.TrimSuffix(name, "}"))
		if kind := dossier.KindOf(id); kind != "" && kind != thing && thing != anySetting {
			return dossier.Errorf(dossier.CodeNotFound, "%s is the id of %s, not of %s.",
				thisID(id, x.endpoint), withArticle(kind), withArticle(thing))
		}
		things = append(things, thing)
	}
	sentence := fmt.Sprintf("There is no %s with this id", things[0])
	if len(things) > 1 {
		sentence += ", or it has no such " + strings.Join(slices.Compact(things[1:]), " or ")
	}
	return dossier.Errorf(dossier.CodeNotFound, "%s.", sentence)
}

// thisID names an id of a path at the beginning of a sentence: by itself if there are others.
func thisID(id string, e *endpoint) string {
	if len(e.params) > 1 {
		return fmt.Sprintf("%q", id)
	}
	return "This"
}

func withArticle(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
