package web

import (
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// reason is a ready-made reason of a reviewer, in each of the portal's languages. The candidate
// reads it in their own.
type reason struct {
	key   string
	final bool // also a reason to reject a document for good
	texts []string
}

// reasonExpired is the key of the reason that the page offers for an expired document.
const reasonExpired = "expired"

var reasons = []reason{
	{"blurred", false, []string{"The picture is blurred. Please take it again in good light.",
		"De foto is onscherp. Maak hem opnieuw bij goed licht.",
		"Das Foto ist unscharf. Bitte nehmen Sie es bei gutem Licht noch einmal auf.",
		"La photo est floue. Veuillez la reprendre avec un bon éclairage.",
		"La foto está borrosa. Hágala de nuevo con buena luz.",
		"Zdjęcie jest nieostre. Zrób je ponownie przy dobrym świetle."}},
	{"corner", false, []string{"A corner is cut off. All four corners have to be in the picture.",
		"Er valt een hoek buiten de foto. Alle vier de hoeken moeten erop staan.",
		"Eine Ecke ist abgeschnitten. Alle vier Ecken müssen auf dem Foto sein.",
		"Un coin est coupé. Les quatre coins doivent être sur la photo.",
		"Falta una esquina. Las cuatro esquinas tienen que verse en la foto.",
		"Jeden róg jest ucięty. Na zdjęciu muszą być wszystkie cztery rogi."}},
	{"back", false, []string{"The back side is missing.", "De achterkant ontbreekt.",
		"Die Rückseite fehlt.", "Le verso manque.", "Falta el reverso.", "Brakuje tylnej strony."}},
	{"other", true, []string{"This is another document than the one we asked for.",
		"Dit is een ander document dan waar we om vroegen.",
		"Das ist eine andere Unterlage als die, um die wir gebeten haben.",
		"Ce n’est pas le document que nous avons demandé.",
		"Este no es el documento que pedimos.", "To inny dokument niż ten, o który prosimy."}},
	{reasonExpired, true, []string{"The document has expired.", "Het document is verlopen.",
		"Das Dokument ist abgelaufen.", "Le document a expiré.", "El documento ha caducado.",
		"Dokument stracił ważność."}},
	{"name", true, []string{"The name is not yours.", "De naam is niet de uwe.",
		"Der Name ist nicht Ihrer.", "Le nom n’est pas le vôtre.", "El nombre no es el suyo.",
		"Nazwisko nie jest Twoje."}},
}

// reasonOptions lists the ready-made reasons in English: all of them, or those to reject for good.
func reasonOptions(final bool) []option {
	var all []option
	for _, r := range reasons {
		if r.final || !final {
			all = append(all, option{r.key, r.texts[0]})
		}
	}
	return all
}

// portalLanguage returns the place in languages of a candidate's, 0 where the portal has no such.
func portalLanguage(candidate string) int {
	_, at := language.MatchStrings(matchLanguage(), candidate)
	return at
}

// reason returns what the candidate reads: the ready-made reason in their language, and what the
// reviewer wrote. Who may decide and not read candidates sends the ready-made one in English.
func (p *page) reason(f *form, now dossier.CandidateDocumentType) string {
	var parts []string
	at := slices.IndexFunc(reasons, func(r reason) bool { return r.key == f.Get("preset") })
	if at >= 0 {
		var candidate dossier.Candidate
		_, _ = p.api.get("/candidates/"+now.CandidateID, &candidate)
		parts = append(parts, reasons[at].texts[portalLanguage(candidate.Language)])
	}
	if own := f.Get("reason"); own != "" {
		parts = append(parts, own)
	}
	return strings.Join(parts, " ")
}

// reasonBody returns the request that rejects a document, or adds to the form that there is no
// reason.
func (p *page) reasonBody(f *form, now dossier.CandidateDocumentType, resubmit bool) object {
	text := p.reason(f, now)
	if text == "" {
		f.add("reason", "Choose a sentence or write your own.")
	}
	return object{"reason": text, "resubmit": resubmit}
}
