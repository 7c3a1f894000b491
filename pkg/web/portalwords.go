package web

// say returns a text of the portal in a language.
func say(lang, key string) string {
	texts := portalWords[key]
	for i, l := range languages {
		if l.Value == lang && i < len(texts) {
			return texts[i]
		}
	}
	if len(texts) > 0 {
		return texts[0]
	}
	return key
}

// portalWords are the texts of the portal, each in the order of languages.
var portalWords = map[string][]string{
	"title":         {"Your documents", "Uw documenten", "Ihre Unterlagen", "Vos documents", "Sus documentos", "Twoje dokumenty"},
	"hello":         {"Hello", "Hallo", "Guten Tag", "Bonjour", "Hola", "Dzień dobry"},
	"allDone":       {"You have sent everything. Thank you.", "U hebt alles gestuurd. Dank u wel.", "Sie haben alles gesendet. Vielen Dank.", "Vous avez tout envoyé. Merci.", "Ha enviado todo. Gracias.", "Wszystko zostało wysłane. Dziękujemy."},
	"oneOpen":       {"One more document and you are done.", "Nog één document en u bent klaar.", "Noch eine Unterlage, dann sind Sie fertig.", "Encore un document et vous aurez terminé.", "Un documento más y habrá terminado.", "Jeszcze jeden dokument i gotowe."},
	"someOpen":      {"These documents are still needed.", "Deze documenten zijn nog nodig.", "Diese Unterlagen werden noch benötigt.", "Ces documents sont encore nécessaires.", "Aún se necesitan estos documentos.", "Te dokumenty są jeszcze potrzebne."},
	"nothingAsked":  {"Nothing is asked of you at the moment.", "Er wordt op dit moment niets van u gevraagd.", "Im Moment wird nichts von Ihnen benötigt.", "Rien ne vous est demandé pour le moment.", "De momento no se le pide nada.", "W tej chwili nic nie jest potrzebne."},
	"stateWanted":   {"Needed", "Nodig", "Benötigt", "À envoyer", "Necesario", "Potrzebny"},
	"stateAgain":    {"Please send it again", "Stuur het opnieuw", "Bitte erneut senden", "À renvoyer", "Envíelo de nuevo", "Wyślij ponownie"},
	"stateReading":  {"We are reading it", "We lezen het", "Wir lesen es gerade", "Lecture en cours", "Lo estamos leyendo", "Odczytujemy"},
	"stateReview":   {"We are looking at it", "We bekijken het", "Wir prüfen es", "Nous l’examinons", "Lo estamos revisando", "Sprawdzamy"},
	"stateAccepted": {"Accepted", "Goedgekeurd", "Angenommen", "Accepté", "Aceptado", "Przyjęty"},
	"due":           {"Needed by", "Nodig voor", "Benötigt bis", "À envoyer avant le", "Fecha límite", "Potrzebny do"},
	"optional":      {"Not required", "Niet verplicht", "Nicht erforderlich", "Facultatif", "Opcional", "Nieobowiązkowy"},
	"takePicture":   {"Take a picture", "Maak een foto", "Foto aufnehmen", "Prendre une photo", "Hacer una foto", "Zrób zdjęcie"},
	"chooseFile":    {"Choose a file", "Kies een bestand", "Datei auswählen", "Choisir un fichier", "Elegir un archivo", "Wybierz plik"},
	"send":          {"Send", "Versturen", "Senden", "Envoyer", "Enviar", "Wyślij"},
	"sending":       {"Sending…", "Bezig met versturen…", "Wird gesendet…", "Envoi en cours…", "Enviando…", "Wysyłanie…"},
	"lost":          {"The connection was lost. We try again by ourselves.", "De verbinding is verbroken. We proberen het vanzelf opnieuw.", "Die Verbindung ist abgebrochen. Wir versuchen es von selbst erneut.", "La connexion a été perdue. Nous réessayons automatiquement.", "Se perdió la conexión. Lo intentamos de nuevo automáticamente.", "Połączenie zostało przerwane. Spróbujemy ponownie automatycznie."},
	"sent":          {"Sent", "Verstuurd", "Gesendet", "Envoyé", "Enviado", "Wysłano"},
	"replace":       {"Send another one in its place", "Stuur een ander in plaats daarvan", "Ein anderes stattdessen senden", "En envoyer un autre à la place", "Enviar otro en su lugar", "Wyślij inny zamiast tego"},
	"readingText":   {"This page shows the result as soon as it is there.", "Deze pagina toont het resultaat zodra het er is.", "Diese Seite zeigt das Ergebnis, sobald es da ist.", "Cette page affichera le résultat dès qu’il sera là.", "Esta página mostrará el resultado en cuanto esté.", "Ta strona pokaże wynik, gdy tylko będzie gotowy."},
	"why":           {"Why:", "Waarom:", "Grund:", "Raison :", "Motivo:", "Powód:"},
	"forms":         {"Forms to fill in", "In te vullen formulieren", "Auszufüllende Formulare", "Formulaires à remplir", "Formularios por rellenar", "Formularze do wypełnienia"},
	"formsText":     {"Whoever asked you for this will send it to you.", "Wie u hierom vroeg, stuurt het u toe.", "Wer Sie darum gebeten hat, sendet es Ihnen zu.", "La personne qui vous l’a demandé vous l’enverra.", "Quien se lo pidió se lo enviará.", "Osoba, która o to poprosiła, prześle go."},
	"messages":      {"Messages", "Berichten", "Nachrichten", "Messages", "Mensajes", "Wiadomości"},
	"noMessages":    {"There are no messages yet.", "Er zijn nog geen berichten.", "Es gibt noch keine Nachrichten.", "Il n’y a pas encore de messages.", "Todavía no hay mensajes.", "Nie ma jeszcze wiadomości."},
	"allMessages":   {"All messages and answer", "Alle berichten en antwoorden", "Alle Nachrichten und antworten", "Tous les messages et répondre", "Todos los mensajes y responder", "Wszystkie wiadomości i odpowiedź"},
	"answer":        {"Your answer", "Uw antwoord", "Ihre Antwort", "Votre réponse", "Su respuesta", "Twoja odpowiedź"},
	"answerMissing": {"Write something first.", "Schrijf eerst iets.", "Schreiben Sie zuerst etwas.", "Écrivez d’abord quelque chose.", "Escriba algo primero.", "Najpierw coś napisz."},
	"you":           {"You", "U", "Sie", "Vous", "Usted", "Ty"},
	"back":          {"Back to your documents", "Terug naar uw documenten", "Zurück zu Ihren Unterlagen", "Retour à vos documents", "Volver a sus documentos", "Wróć do dokumentów"},
	"language":      {"Language", "Taal", "Sprache", "Langue", "Idioma", "Język"},
	"change":        {"Change", "Wijzigen", "Ändern", "Changer", "Cambiar", "Zmień"},
	"leave":         {"Sign out", "Uitloggen", "Abmelden", "Se déconnecter", "Cerrar sesión", "Wyloguj się"},
	"skip":          {"Skip to the content", "Naar de inhoud", "Zum Inhalt", "Aller au contenu", "Ir al contenido", "Przejdź do treści"},
	"linkTitle":     {"Open your link", "Open uw link", "Öffnen Sie Ihren Link", "Ouvrez votre lien", "Abra su enlace", "Otwórz swój link"},
	"linkText":      {"You reach this page by the link that was sent to you. It works for 24 hours. If yours has ended, ask for a new one.", "U bereikt deze pagina met de link die u hebt gekregen. Die werkt 24 uur. Is de uwe verlopen, vraag dan om een nieuwe.", "Sie erreichen diese Seite über den Link, den Sie erhalten haben. Er gilt 24 Stunden. Ist er abgelaufen, bitten Sie um einen neuen.", "Vous accédez à cette page par le lien qui vous a été envoyé. Il est valable 24 heures. S’il a expiré, demandez-en un nouveau.", "Se llega a esta página con el enlace que recibió. Funciona durante 24 horas. Si ha caducado, pida uno nuevo.", "Na tę stronę prowadzi link, który został wysłany. Działa 24 godziny. Jeśli wygasł, poproś o nowy."},
	"linkField":     {"Your link", "Uw link", "Ihr Link", "Votre lien", "Su enlace", "Twój link"},
	"open":          {"Open", "Openen", "Öffnen", "Ouvrir", "Abrir", "Otwórz"},
	"wrong":         {"Something went wrong", "Er ging iets mis", "Etwas ist schiefgegangen", "Un problème est survenu", "Algo salió mal", "Coś poszło nie tak"},
	"wrongText":     {"This is our mistake, not yours. Try again in a moment.", "Dit is onze fout, niet de uwe. Probeer het zo opnieuw.", "Das ist unser Fehler, nicht Ihrer. Versuchen Sie es gleich erneut.", "C’est notre erreur, pas la vôtre. Réessayez dans un instant.", "Es un error nuestro, no suyo. Inténtelo de nuevo en un momento.", "To nasz błąd, nie Twój. Spróbuj ponownie za chwilę."},
	"nothing":       {"There is nothing here", "Hier is niets", "Hier ist nichts", "Il n’y a rien ici", "Aquí no hay nada", "Tu nic nie ma"},
	"nothingText":   {"The address has a mistake in it, or the page is closed.", "Er zit een fout in het adres, of de pagina is gesloten.", "Die Adresse enthält einen Fehler, oder die Seite ist geschlossen.", "L’adresse contient une erreur, ou la page est fermée.", "La dirección tiene un error o la página está cerrada.", "Adres zawiera błąd lub strona jest zamknięta."},
	"tooMany":       {"There were too many attempts. Wait a minute and try again.", "Er waren te veel pogingen. Wacht een minuut en probeer het opnieuw.", "Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es erneut.", "Il y a eu trop de tentatives. Attendez une minute et réessayez.", "Hubo demasiados intentos. Espere un minuto e inténtelo de nuevo.", "Było zbyt wiele prób. Odczekaj minutę i spróbuj ponownie."},
	"noFile":        {"Choose a picture or a file first.", "Kies eerst een foto of een bestand.", "Wählen Sie zuerst ein Foto oder eine Datei aus.", "Choisissez d’abord une photo ou un fichier.", "Elija primero una foto o un archivo.", "Najpierw wybierz zdjęcie lub plik."},
	"tooLarge":      {"This file is too large. Send one of at most 4 MB.", "Dit bestand is te groot. Stuur er een van hoogstens 4 MB.", "Diese Datei ist zu groß. Senden Sie eine mit höchstens 4 MB.", "Ce fichier est trop volumineux. Envoyez-en un de 4 Mo au plus.", "Este archivo es demasiado grande. Envíe uno de 4 MB como máximo.", "Ten plik jest za duży. Wyślij plik o wielkości do 4 MB."},
	"badFile":       {"We can't read this file. Send a PDF, a JPEG or a PNG.", "We kunnen dit bestand niet lezen. Stuur een PDF, een JPEG of een PNG.", "Wir können diese Datei nicht lesen. Senden Sie eine PDF-, JPEG- oder PNG-Datei.", "Nous ne pouvons pas lire ce fichier. Envoyez un PDF, un JPEG ou un PNG.", "No podemos leer este archivo. Envíe un PDF, un JPEG o un PNG.", "Nie możemy odczytać tego pliku. Wyślij PDF, JPEG lub PNG."},
	"notYet":        {"Registering is not possible here yet", "Registreren kan hier nog niet", "Eine Registrierung ist hier noch nicht möglich", "L’inscription n’est pas encore possible ici", "Aún no es posible registrarse aquí", "Rejestracja nie jest tu jeszcze możliwa"},
	"notYetText":    {"Ask whoever sent you here for a link of your own.", "Vraag wie u hierheen stuurde om een eigen link.", "Bitten Sie die Person, die Sie hierher geschickt hat, um einen eigenen Link.", "Demandez un lien personnel à la personne qui vous a envoyé ici.", "Pida un enlace propio a quien le envió aquí.", "Poproś osobę, która przysłała ten adres, o własny link."},
}
