package printed

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"
)

// months holds the names of months in English, German, French, Spanish, Italian and Dutch, folded.
var months = monthNames(
	"january jan januar jänner januari janvier janv enero ene gennaio gen",
	"february feb februar februari février fevrier févr fevr febrero febbraio febr",
	"march mar märz maerz mrz mär mars marzo maart mrt",
	"april apr avril avr abril abr aprile",
	"may mai mayo maggio mag mei",
	"june jun juni juin junio giugno giu",
	"july jul juli juillet juil julio luglio lug",
	"august aug août aout agosto ago augustus",
	"september sep sept septembre septiembre setiembre settembre set",
	"october oct oktober okt octobre octubre ottobre ott",
	"november nov novembre noviembre",
	"december dec dezember dez décembre decembre déc diciembre dic dicembre",
)

// fillers are words that may stand in a written date and carry no value.
var fillers = words("st nd rd th er de del of the le den der di il am el on d dated",
	"monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun",
	"montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche",
	"lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica",
	"maandag dinsdag woensdag donderdag vrijdag zaterdag zondag")

// Patterns are made when they are first needed: a function that checks nothing yet starts without
// them.
var (
	isoDate  = pattern(`^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})(?:[T ]\d{1,2}:\d{2}\S*)?$`)
	dayFirst = pattern(
		`^(\d{1,2})\s*([-/. ])\s*(\d{1,2})\s*([-/. ])\s*(\d{4})(?: \d{1,2}:\d{2}\S*)?$`)
	token = pattern(`\d+|\p{L}+`)
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Date reads a day in the usual forms and gives it as YYYY-MM-DD: 2031-05-01 (also with a time
// behind it), 01.05.2031, 01/05/2031, 1 May 2031, May 1, 2031, 1. Mai 2031, 1er mai 2031, 01
// MAY/MAI 2031. Of two numbers the day comes first, unless only the other reading is a day
// (05/31/2031). The year has four digits.
func Date(s string) (string, bool) {
	s = Text(s)
	if m := isoDate().FindStringSubmatch(s); m != nil && m[2] == m[4] {
		return day(m[1], number(m[3]), m[5])
	}
	if m := dayFirst().FindStringSubmatch(s); m != nil && m[2] == m[4] {
		if d, ok := day(m[5], number(m[3]), m[1]); ok {
			return d, true
		}
		return day(m[5], number(m[1]), m[3])
	}
	return writtenDate(strings.ToLower(norm.NFC.String(s)))
}

// writtenDate reads a date with the name of its month: one name (or the same in two languages), one
// year, one day.
func writtenDate(s string) (string, bool) {
	if len(s) > 60 {
		return "", false
	}
	month, year, dayOf := 0, "", ""
	for _, t := range token().FindAllString(s, 12) {
		n, isMonth := months[t]
		switch {
		case isMonth && (month == 0 || month == n):
			month = n
		case len(t) == 4 && number(t) > 0 && year == "":
			year = t
		case len(t) <= 2 && number(t) > 0 && dayOf == "":
			dayOf = t
		case !fillers[t]:
			return "", false
		}
	}
	if month == 0 || year == "" || dayOf == "" {
		return "", false
	}
	return day(year, month, dayOf)
}

// day gives the date when the calendar has it.
func day(year string, month int, dayOf string) (string, bool) {
	t := time.Date(number(year), time.Month(month), number(dayOf), 0, 0, 0, 0, time.UTC)
	if t.Year() != number(year) || int(t.Month()) != month || t.Day() != number(dayOf) ||
		t.Year() < 1000 {
		return "", false
	}
	return t.Format(time.DateOnly), true
}

// number is the value of a few digits, or 0.
func number(s string) int {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

func monthNames(perMonth ...string) map[string]int {
	names := make(map[string]int)
	for i, list := range perMonth {
		for name := range strings.FieldsSeq(list) {
			names[name] = i + 1
		}
	}
	return names
}

func words(lists ...string) map[string]bool {
	set := make(map[string]bool)
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
	}
	return set
}
