package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/mrz"
	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// findings holds the values of the parts before they are judged.
type findings struct {
	parsed     map[string]any
	confidence float64
	reasons    []dossier.Reason
	textless   []string // names of parts without text for a parser that reads text
	// a part was read from pictures: what is not found may be there
	recognized bool
	doubtful   []string // references of values that were not recognized with certainty
	readings   []dossier.Reading
}

// minConfidence is the confidence under which a value that was recognized in a picture needs a
// person to look at it.
const minConfidence = 0.9

// sound reports whether every part is there and could be opened.
func (f *findings) sound() bool {
	for _, r := range f.reasons {
		if r.Code == dossier.ReasonUnreadablePart || r.Code == dossier.ReasonMissingPart {
			return false
		}
	}
	return true
}

func (f *findings) add(code, reference, message string) {
	f.reasons = append(f.reasons,
		dossier.Reason{Code: code, Reference: reference, Message: message})
}

// named reports whether a reason names a reference already.
func (f *findings) named(reference string) bool {
	for _, r := range f.reasons {
		whole := r.Code == dossier.ReasonLowConfidence &&
			strings.HasPrefix(reference, r.Reference+".")
		if r.Reference == reference || whole {
			return true
		}
	}
	return false
}

// collect puts the values of the parts together.
func collect(r Request, answers []childproto.Answer) (findings, error) {
	f := findings{parsed: map[string]any{}, confidence: 1}
	have := map[string]bool{}
	for _, p := range r.Parts {
		have[p.Name] = true
	}
	for _, name := range r.RequiredParts {
		if !have[name] {
			f.add(dossier.ReasonMissingPart, "", fmt.Sprintf("The part %q is missing.", name))
		}
	}
	for i, a := range answers {
		name := r.Parts[i].Name
		switch {
		case a.Unreadable != "":
			f.add(dossier.ReasonUnreadablePart, "",
				fmt.Sprintf("The part %q cannot be read: %s.", name, a.Unreadable))
		case dossier.ParserNamed(r.Check.Parser).Reads && !a.Text:
			f.textless = append(f.textless, name)
		}
		f.recognized = f.recognized || a.Recognized
	}
	if !f.sound() {
		return f, nil
	}
	if take := collectors[r.Check.Parser]; take != nil {
		return f, take(&f, r, answers)
	}
	return f, f.objects(r, answers)
}

// collectors holds by parser how the values of the parts are put together. The values of every
// other parser are objects.
var collectors = map[string]func(*findings, Request, []childproto.Answer) error{
	dossier.ParserPDF: (*findings).fields,
	dossier.ParserMRZ: (*findings).zone,
}

// fields takes each field from the first part that has it. The confidence is that of the least
// certain one.
func (f *findings) fields(r Request, answers []childproto.Answer) error {
	for i, field := range r.Check.Fields {
		found := slices.IndexFunc(answers, func(a childproto.Answer) bool {
			return i < len(a.Fields) && a.Fields[i].Text != ""
		})
		if found < 0 {
			if f.recognized {
				f.doubtful = append(f.doubtful, field.Reference)
			}
			continue
		}
		a := answers[found]
		certainty := min(a.Fields[i].Confidence, 1-a.Fields[i].Doubt)
		text := printed.Text(a.Fields[i].Text)
		v, code := read(field, text)
		reading := dossier.Reading{Reference: field.Reference, Value: v, Confidence: certainty,
			Part: r.Parts[found].Name, Page: a.Fields[i].Place.Page, Box: a.Fields[i].Place.Box}
		if code != "" {
			reading.Value = text
		}
		f.readings = append(f.readings, reading)
		if code == "" {
			set(f.parsed, field.Reference, v)
			f.confidence = min(f.confidence, certainty)
		}
		form, err := field.Form()
		switch {
		case err != nil || form != nil && !form.MatchString(text):
			f.doubtful = append(f.doubtful, field.Reference)
		case a.Fields[i].Recognized && (code != "" || certainty < minConfidence ||
			field.Type == dossier.FieldDate && distant(text, r.Today)):
			f.doubtful = append(f.doubtful, field.Reference)
		case code != "":
			f.add(code, field.Reference,
				fmt.Sprintf("The value beside %q is not a %s.", field.Label, field.Type))
		}
	}
	return nil
}

// distant reports whether a date is over a hundred years away: a digit of its year was misread.
func distant(text, today string) bool {
	date, _ := printed.Date(text)
	at, err := time.Parse(time.DateOnly, date)
	now, wrong := time.Parse(time.DateOnly, today)
	return err != nil || wrong != nil || at.Year()-now.Year() > 100 || now.Year()-at.Year() > 100
}

// read converts the text of a field to its type, or returns the code of the reason why it can't.
func read(field dossier.CheckField, text string) (any, string) {
	switch field.Type {
	case dossier.FieldDate:
		if d, ok := printed.Date(text); ok {
			return d, ""
		}
		return nil, dossier.ReasonInvalidDate
	case dossier.FieldNumber:
		if n, ok := printed.Number(text); ok {
			return n, ""
		}
		return nil, dossier.ReasonInvalidNumber
	}
	return text, ""
}

// zone takes the first machine readable zone, even if its check digits fail.
func (f *findings) zone(r Request, answers []childproto.Answer) error {
	for n, a := range answers {
		if a.MRZ == nil {
			continue
		}
		values, failed, err := a.MRZ.Read(r.Today)
		if err != nil {
			return fmt.Errorf("read zone: %w", err)
		}
		f.parsed["mrz"] = values
		f.confidence = 1 - a.MRZDoubt
		if len(failed) > 0 || a.Recognized && digitIn(values) {
			f.confidence = 0
		}
		f.zoneReadings(r.Parts[n].Name, a, values, failed)
		if a.Recognized {
			if f.confidence < minConfidence {
				f.doubtful = append(f.doubtful, "mrz")
			}
			return nil
		}
		for _, d := range failed {
			f.add(dossier.ReasonCheckDigit, d.Reference,
				fmt.Sprintf("The check digit of the %s is wrong.", d.Name))
		}
		return nil
	}
	if len(f.textless) == 0 {
		f.confidence = 0
		f.add(dossier.ReasonNoMRZ, "", "The text has no machine readable zone.")
	}
	return nil
}

// zoneReadings notes where the values of a zone stood. One from text is certain if neither its own
// check digit is wrong nor that over the whole zone; one from a picture is as certain as the zone.
func (f *findings) zoneReadings(part string, a childproto.Answer, values map[string]any,
	failed []mrz.Failure) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		reading := dossier.Reading{Reference: "mrz." + name, Value: values[name],
			Confidence: f.confidence, Part: part, Page: a.MRZPlace.Page, Box: a.MRZPlace.Box}
		wrong := slices.ContainsFunc(failed, func(d mrz.Failure) bool {
			return d.Reference == reading.Reference || d.Reference == mrz.Composite
		})
		if !a.Recognized && !wrong {
			reading.Confidence = 1
		}
		f.readings = append(f.readings, reading)
	}
}

// digitIn reports whether a value of a zone that has letters only, and no check digit, has a digit.
func digitIn(values map[string]any) bool {
	for _, name := range []string{"surname", "givenNames", "issuingState", "nationality", "sex"} {
		text, _ := values[name].(string)
		if strings.ContainsAny(text, "0123456789") {
			return true
		}
	}
	return false
}

// objects takes the members of the objects; of two with one name that of the first part.
func (f *findings) objects(r Request, answers []childproto.Answer) error {
	for i, a := range answers {
		o, ok := clean(a.Object)
		if !ok {
			f.add(dossier.ReasonUnreadablePart, "",
				fmt.Sprintf("The part %q cannot be read: it has too many values.",
					r.Parts[i].Name))
			continue
		}
		for name, v := range o {
			if _, has := f.parsed[name]; !has {
				f.parsed[name] = v
			}
		}
	}
	return nil
}

// decide judges the findings. It is pure.
func decide(r Request, f findings) Outcome {
	// A reviewer enters the values.
	unconfirmed := r.Unconfirmed != "" && f.sound()
	byHand := r.Check.Parser == dossier.ParserNone || unconfirmed
	if f.sound() && len(f.textless) == 0 && !byHand {
		for _, reference := range r.Check.Required {
			if empty(get(f.parsed, reference)) && !f.named(reference) {
				f.add(dossier.ReasonMissingValue, reference,
					fmt.Sprintf("No value was found for %q.", reference))
			}
		}
		f.doubt()
	}
	f.expiry(r)
	out := Outcome{Verdict: Passed, Parsed: f.parsed, Confidence: f.confidence, Reasons: f.reasons,
		Readings: f.readings}
	if slices.ContainsFunc(out.Reasons, f.uploaders) {
		out.Verdict = NeedsResubmission
	} else if len(out.Reasons)+len(f.textless) > 0 || unconfirmed ||
		byHand && len(r.Check.Required) > 0 {
		out.Verdict = NeedsReview
	}
	if !f.sound() || len(f.textless) > 0 || unconfirmed {
		out.Confidence = 0 // nothing was read
	}
	if unconfirmed {
		out.Reasons = append(out.Reasons, dossier.Reason{Code: dossier.ReasonParserNotConfirmed,
			Message: fmt.Sprintf("The document was not sent to the parser service at %s, which is "+
				"another company's: this company has not confirmed that host.", r.Unconfirmed)})
	}
	for _, name := range f.textless {
		out.Reasons = append(out.Reasons,
			dossier.Reason{Code: dossier.ReasonNoText,
				Message: fmt.Sprintf("The part %q has no text that can be read.", name)})
	}
	return out
}

// doubt adds a reason for each value that was not recognized with certainty.
func (f *findings) doubt() {
	for _, reference := range f.doubtful {
		if !f.named(reference) {
			f.add(dossier.ReasonLowConfidence, reference, fmt.Sprintf(
				"The value of %q was not recognized with certainty.", reference))
		}
	}
}

// uploaders reports whether a reason is the uploader's to mend. What was not found in a picture may
// be there: a person looks.
func (f *findings) uploaders(r dossier.Reason) bool {
	switch r.Code {
	case dossier.ReasonLowConfidence:
		return false
	case dossier.ReasonMissingValue, dossier.ReasonNoMRZ:
		return !f.recognized
	}
	return true
}

// expiry adds a reason when the date of expiry has passed. The day itself is still good.
func (f *findings) expiry(r Request) {
	reference := r.Check.ExpiryReference
	v := get(f.parsed, reference)
	if reference == "" || empty(v) || f.named(reference) {
		return
	}
	text, _ := v.(string)
	switch date, ok := printed.Date(text); {
	case !ok:
		f.add(dossier.ReasonInvalidDate, reference,
			fmt.Sprintf("The value of %q is not a date.", reference))
	case strings.Compare(date, r.Today) < 0:
		f.add(dossier.ReasonExpired, reference, "The document has expired.")
	}
}
