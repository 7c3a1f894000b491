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
	"wait":          {"Please wait a moment", "Wacht even", "Bitte warten Sie einen Moment", "Veuillez patienter un instant", "Espere un momento", "Poczekaj chwilę"},
	"register":      {"Register", "Registreren", "Registrieren", "S’inscrire", "Registrarse", "Zarejestruj się"},
	"asks":          {"%s asks you to register here. This organisation receives your details.", "%s vraagt u zich hier te registreren. Deze organisatie ontvangt uw gegevens.", "%s bittet Sie, sich hier zu registrieren. Diese Organisation erhält Ihre Angaben.", "%s vous invite à vous inscrire ici. Cette organisation recevra vos données.", "%s le pide que se registre aquí. Esta organización recibirá sus datos.", "%s prosi o rejestrację na tej stronie. Ta organizacja otrzyma podane dane."},
	"willAsk":       {"What you will be asked for", "Wat er van u gevraagd wordt", "Was von Ihnen benötigt wird", "Ce qui vous sera demandé", "Lo que se le pedirá", "Co będzie potrzebne"},
	"form":          {"Form", "Formulier", "Formular", "Formulaire", "Formulario", "Formularz"},
	"firstName":     {"First name", "Voornaam", "Vorname", "Prénom", "Nombre", "Imię"},
	"lastName":      {"Last name", "Achternaam", "Nachname", "Nom", "Apellidos", "Nazwisko"},
	"email":         {"E-mail address", "E-mailadres", "E-Mail-Adresse", "Adresse e-mail", "Correo electrónico", "Adres e-mail"},
	"phone":         {"Phone number (optional)", "Telefoonnummer (niet verplicht)", "Telefonnummer (freiwillig)", "Numéro de téléphone (facultatif)", "Teléfono (opcional)", "Numer telefonu (nieobowiązkowo)"},
	"yourLanguage":  {"Your language", "Uw taal", "Ihre Sprache", "Votre langue", "Su idioma", "Twój język"},
	"leaveEmpty":    {"Leave this field empty", "Laat dit veld leeg", "Lassen Sie dieses Feld leer", "Laissez ce champ vide", "Deje este campo vacío", "Zostaw to pole puste"},
	"after":         {"You then send your documents on a page of your own. It stays open on this device for 24 hours.", "Daarna stuurt u uw documenten op uw eigen pagina. Die blijft 24 uur open op dit apparaat.", "Danach senden Sie Ihre Unterlagen auf Ihrer eigenen Seite. Sie bleibt auf diesem Gerät 24 Stunden geöffnet.", "Vous enverrez ensuite vos documents sur votre propre page. Elle reste ouverte 24 heures sur cet appareil.", "Después enviará sus documentos en su propia página. Permanece abierta en este dispositivo durante 24 horas.", "Potem wyślesz dokumenty na własnej stronie. Na tym urządzeniu pozostanie otwarta przez 24 godziny."},
	"attention":     {"Some fields need your attention. What you typed is still there.", "Sommige velden hebben uw aandacht nodig. Wat u hebt ingevuld, staat er nog.", "Bitte prüfen Sie einige Felder. Was Sie eingegeben haben, ist noch da.", "Certains champs sont à vérifier. Votre saisie est conservée.", "Revise algunos campos. Lo que escribió sigue ahí.", "Sprawdź niektóre pola. Wpisane dane zostały zachowane."},
	"needName":      {"Enter your first or last name.", "Vul uw voor- of achternaam in.", "Geben Sie Ihren Vor- oder Nachnamen ein.", "Indiquez votre prénom ou votre nom.", "Escriba su nombre o sus apellidos.", "Podaj imię lub nazwisko."},
	"needEmail":     {"Enter your e-mail address.", "Vul uw e-mailadres in.", "Geben Sie Ihre E-Mail-Adresse ein.", "Indiquez votre adresse e-mail.", "Escriba su correo electrónico.", "Podaj adres e-mail."},
	"badEmail":      {"Enter an e-mail address such as name@example.com.", "Vul een e-mailadres in, zoals naam@example.com.", "Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.", "Indiquez une adresse e-mail, par exemple nom@example.com.", "Escriba un correo electrónico, por ejemplo nombre@example.com.", "Podaj adres e-mail, na przykład nazwa@example.com."},
	"tooLong":       {"This is too long.", "Dit is te lang.", "Das ist zu lang.", "C’est trop long.", "Es demasiado largo.", "To jest za długie."},
	"badValue":      {"This is not valid. Please check it.", "Dit is niet geldig. Controleer het.", "Das ist nicht gültig. Bitte prüfen Sie es.", "Cette saisie n’est pas valable. Vérifiez-la.", "Este dato no es válido. Compruébelo.", "Te dane są nieprawidłowe. Sprawdź je."},
	"sendAgain":     {"Your registration was not accepted. Please send it again.", "Uw registratie is niet aangenomen. Verstuur die opnieuw.", "Ihre Registrierung wurde nicht angenommen. Bitte senden Sie sie erneut.", "Votre inscription n’a pas été acceptée. Veuillez la renvoyer.", "Su registro no se ha aceptado. Envíelo de nuevo.", "Rejestracja nie została przyjęta. Wyślij ją ponownie."},
	"busy":          {"Too many people are registering at the moment. What you typed is still there. Wait a minute and send it again.", "Er registreren zich nu te veel mensen. Wat u hebt ingevuld, staat er nog. Wacht een minuut en verstuur het opnieuw.", "Im Moment registrieren sich zu viele Personen. Was Sie eingegeben haben, ist noch da. Warten Sie eine Minute und senden Sie es erneut.", "Trop de personnes s’inscrivent en ce moment. Votre saisie est conservée. Attendez une minute et renvoyez-la.", "Se están registrando demasiadas personas en este momento. Lo que escribió sigue ahí. Espere un minuto y envíelo de nuevo.", "W tej chwili rejestruje się zbyt wiele osób. Wpisane dane zostały zachowane. Odczekaj minutę i wyślij je ponownie."},
}
