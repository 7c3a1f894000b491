package dossier_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// told lists problems as pointer and code, in a fixed order.
func told(validate func(*dossier.Problems)) []string {
	var p dossier.Problems
	validate(&p)
	var list []string
	for _, f := range p.List() {
		list = append(list, f.Pointer+" "+string(f.Code))
	}
	slices.Sort(list)
	return list
}

func text(n int) string { return strings.Repeat("é", n) }

func ascii(n int) string { return strings.Repeat("a", n) }

func pointer[T any](v T) *T { return &v }

func slugText(p *dossier.Problems, text string) {
	dossier.RegistrationPageInput{Name: "n", Slug: text}.Validate(p)
}

func keyText(p *dossier.Problems, text string) {
	dossier.PublicRegistration{FirstName: pointer("Ada"), Email: pointer("a@b.nl"),
		IdempotencyKey: &text}.Validate(p)
}

// TestTexts checks the syntax of single texts: what is fine at its limit, and what is not.
func TestTexts(t *testing.T) {
	t.Parallel()
	candidate := func(key string) func(p *dossier.Problems, text string) {
		return func(p *dossier.Problems, text string) { p.CandidateText("/x", key, text) }
	}
	reference := func(p *dossier.Problems, text string) { p.Reference("/x", text) }
	dotted := func(p *dossier.Problems, text string) { p.DottedReference("/x", text) }
	part := func(p *dossier.Problems, text string) {
		if before := p.Len(); p.PartName("/x", text) != (p.Len() == before) {
			t.Errorf("PartName of %q is not what it records", text)
		}
	}
	for name, c := range map[string]struct {
		check func(*dossier.Problems, string)
		fine  []string
		wrong map[string]string // text to code
	}{
		"name": {candidate("firstName"), []string{"A", text(dossier.MaxName)}, map[string]string{
			"": "tooShort", text(dossier.MaxName + 1): "tooLong", "a\nb": "malformed"}},
		"email": {candidate("email"), []string{"ada@example.nl"}, map[string]string{
			"ada": "malformed", "Ada <ada@example.nl>": "malformed",
			"<ada@example.nl>": "malformed"}},
		"birthDate": {candidate("birthDate"), []string{"2000-02-29"}, map[string]string{
			"2001-02-29": "malformed"}},
		"nationality": {candidate("nationality"), []string{"NL", "NLD"}, map[string]string{
			"nl": "malformed", "NLDX": "malformed"}},
		"language": {candidate("language"),
			[]string{"nl", "nl-BE", "abcdefgh-12345678-12345678-12345678"}, map[string]string{
				"abcdefgh-12345678-12345678-123456781": "malformed",
				"abcdefgh-12345678-12345678-1234567-8": "malformed", "n": "malformed"}},
		"reference": {reference, []string{ascii(dossier.MaxReference), "a_1"}, map[string]string{
			"": "required", ascii(dossier.MaxReference + 1): "tooLong", "1a": "malformed"}},
		"dotted": {dotted, []string{ascii(dossier.MaxReference), "a.b-1"}, map[string]string{
			"": "required", ascii(dossier.MaxReference + 1): "tooLong", "a..b": "malformed"}},
		"part": {part, []string{"front", ascii(50)}, map[string]string{
			"": "required", ascii(51): "malformed", "-a": "malformed"}},
		"slug": {slugText, []string{"a-b"}, map[string]string{
			"": "required", "A": "malformed", "a--b": "malformed"}},
		"idempotencyKey": {keyText, []string{ascii(dossier.MinRegistrationKey)}, map[string]string{
			ascii(dossier.MinRegistrationKey - 1): "tooShort", "": "required", "a": "tooShort"}},
	} {
		for _, text := range c.fine {
			if got := told(func(p *dossier.Problems) { c.check(p, text) }); len(got) > 0 {
				t.Errorf("%s %q: %v", name, text, got)
			}
		}
		for text, code := range c.wrong {
			got := told(func(p *dossier.Problems) { c.check(p, text) })
			if len(got) != 1 || !strings.HasSuffix(got[0], " "+code) {
				t.Errorf("%s %q: %v, want %s", name, text, got, code)
			}
		}
	}
}

var now = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func moment(after time.Duration) dossier.Time { return dossier.NewTime(now.Add(after)) }
func checkURL(raw string) error {
	if raw != "https://a.nl" {
		return errors.New("must be https://a.nl")
	}
	return nil
}

func keyEnding(ends, before dossier.Time) func(*dossier.Problems) {
	return func(p *dossier.Problems) {
		dossier.KeyUpdate{Name: "k", Scopes: []string{}, ExpiresAt: ends}.Validate(p, before,
			now)
	}
}

func docType(in dossier.DocumentTypeInput) func(*dossier.Problems) {
	in.Name = "Card"
	return func(p *dossier.Problems) { in.Validate(p, checkURL) }
}

func checkOf(in dossier.CheckInput) func(*dossier.Problems) {
	return docType(dossier.DocumentTypeInput{Check: in})
}

func checkField(reference string) dossier.CheckField {
	return dossier.CheckField{Reference: reference, Label: "l", Type: dossier.FieldText}
}

func withPattern(fieldType, pattern string) dossier.CheckField {
	f := checkField("a")
	f.Type, f.Pattern = fieldType, pattern
	return f
}

func presetWith(members ...string) func(*dossier.Problems) {
	in := dossier.PresetInput{Name: "p", Set: map[string]any{}}
	for _, m := range members {
		in.Set[m] = "x"
	}
	return in.Validate
}

func signIn(key, link string) func(*dossier.Problems) {
	return dossier.SessionInput{Key: key, Link: link}.Validate
}

var bodyCases = map[string]struct {
	validate func(*dossier.Problems)
	want     []string
}{
	"OK key that ends": {keyEnding(moment(time.Millisecond), dossier.Time{}), nil},
	"ErrKeyThatEnded": {keyEnding(moment(0), dossier.Time{}),
		[]string{"/expiresAt outOfRange"}},
	"OK key that had ended": {keyEnding(moment(-time.Hour), moment(-time.Hour)), nil},
	"OK key without end":    {keyEnding(dossier.Time{}, moment(0)), nil},
	"OK reminders": {docType(dossier.DocumentTypeInput{RemindBefore: []int{1, 365}}),
		nil},
	"ErrReminders": {
		docType(dossier.DocumentTypeInput{RemindBefore: []int{0, 366, 7, 7}}),
		[]string{"/remindBefore/0 outOfRange", "/remindBefore/1 outOfRange",
			"/remindBefore/3 duplicate"},
	},
	"OK fields of pdf": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserPDF),
			Fields: []dossier.CheckField{
				checkField("a.b"), checkField("a.bc"), checkField("c")}}), nil,
	},
	"ErrFieldsOfMRZ": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserMRZ),
			Fields: []dossier.CheckField{checkField("a")}}), []string{"/check/fields notAllowed"},
	},
	"OK mrz without fields": {checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserMRZ)}),
		nil},
	"ErrTwiceTheSame": {
		checkOf(dossier.CheckInput{Fields: []dossier.CheckField{checkField("a"), checkField("a"),
			checkField("a")}}), []string{"/check/fields/1/reference duplicate",
			"/check/fields/2/reference duplicate"},
	},
	"OK pattern": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserPDF), Fields: []dossier.CheckField{
			withPattern(dossier.FieldText, `[A-Z]{2}-[0-9]{6}|X`)}}), nil,
	},
	"ErrPattern": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserPDF), Fields: []dossier.CheckField{
			withPattern(dossier.FieldText, `[A-Z`)}}),
		[]string{"/check/fields/0/pattern malformed"},
	},
	"ErrPatternOfTwoHalves": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserPDF), Fields: []dossier.CheckField{
			withPattern(dossier.FieldText, `A)|(?:B`)}}),
		[]string{"/check/fields/0/pattern malformed"},
	},
	"ErrPatternOfTooManyLetters": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserPDF), Fields: []dossier.CheckField{
			withPattern(dossier.FieldText, strings.Repeat("A", dossier.MaxName+1))}}),
		[]string{"/check/fields/0/pattern tooLong"},
	},
	"ErrPatternOfADate": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserPDF), Fields: []dossier.CheckField{
			withPattern(dossier.FieldDate, `[0-9]+`)}}),
		[]string{"/check/fields/0/pattern notAllowed"},
	},
	"ErrOneWithinTheOther": {
		checkOf(dossier.CheckInput{Fields: []dossier.CheckField{
			checkField("a.b"), checkField("a.c"),
			checkField("a")}}), []string{"/check/fields/2/reference duplicate"},
	},
	"ErrOneAroundTheOther": {
		checkOf(dossier.CheckInput{Fields: []dossier.CheckField{
			checkField("a"), checkField("a.c")}}),
		[]string{"/check/fields/1/reference duplicate"},
	},
	"ErrHTTPWithoutAddress": {checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserHTTP)}),
		[]string{"/check/http required"}},
	"ErrAddressWithoutHTTP": {
		checkOf(dossier.CheckInput{HTTP: &dossier.HTTPParserInput{URL: "https://a.nl"}}),
		[]string{"/check/http notAllowed"},
	},
	"OK http": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserHTTP),
			HTTP: &dossier.HTTPParserInput{URL: "https://a.nl"}}), nil,
	},
	"ErrHTTPAddress": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserHTTP),
			HTTP: &dossier.HTTPParserInput{URL: "http://a.nl"}}),
		[]string{"/check/http/url notAllowed"},
	},
	"ErrHTTPNoAddress": {
		checkOf(dossier.CheckInput{Parser: pointer(dossier.ParserHTTP),
			HTTP: &dossier.HTTPParserInput{}}), []string{"/check/http/url required"},
	},
	"OK longest member": {presetWith("cf_" + ascii(dossier.MaxReference)), nil},
	"ErrLongMembersToldOnce": {
		presetWith("cf_"+ascii(dossier.MaxReference+1), "cf_"+ascii(dossier.MaxReference+2)),
		[]string{"/set tooLong"},
	},
	"OK sign in by key":  {signIn("dsr_x", ""), nil},
	"OK sign in by link": {signIn("", "dsl_x"), nil},
	"ErrSignInByNothing": {signIn("", ""), []string{"/key required"}},
	"ErrSignInByBoth":    {signIn("dsr_x", "dsl_x"), []string{"/link notAllowed"}},
	"OK largest metadata": {func(p *dossier.Problems) {
		dossier.CandidateDocumentTypeChange{}.Validate(p, dossier.MaxMetadata)
	}, nil},
	"ErrMetadata": {func(p *dossier.Problems) {
		dossier.CandidateDocumentTypeChange{}.Validate(p, dossier.MaxMetadata+1)
	}, []string{"/metadata tooLong"}},
	"ErrRegistrationNoName": {
		dossier.PublicRegistration{FirstName: pointer(" "), Email: pointer("a@b.nl")}.Validate,
		[]string{"/firstName required"},
	},
	"OK registration": {
		dossier.PublicRegistration{LastName: pointer("L"), Email: pointer("a@b.nl")}.Validate,
		nil,
	},
	"ErrRegistrationByRobots": {
		dossier.PublicRegistration{LastName: pointer("L"), Website: "x"}.Validate,
		[]string{"/email required", "/website notAllowed"},
	},
	"ErrFieldsAskedTwice": {
		dossier.RegistrationPageInput{Name: "n", Slug: "s",
			CustomFields: []dossier.AskedField{{Reference: "a"}, {Reference: "b"},
				{Reference: "a"}, {}, {}}}.Validate,
		[]string{"/customFields/2/reference duplicate", "/customFields/3/reference required",
			"/customFields/4/reference required"},
	},
	"ErrFormFieldsTwice": {
		dossier.FormInput{Name: "n",
			Fields: []dossier.FormField{{Reference: "a", Label: "l", Type: "text"},
				{Reference: "b", Label: "l", Type: "text"},
				{Reference: "a", Label: "l", Type: "text"}}}.Validate,
		[]string{"/fields/2/reference duplicate"},
	},
	"ErrImport": {(&dossier.CandidateImportInput{}).Validate,
		[]string{"/externalId required"}},
}

// TestBodies checks what is wrong with bodies by themselves.
func TestBodies(t *testing.T) {
	t.Parallel()
	for name, c := range bodyCases {
		if diff := cmp.Diff(c.want, told(c.validate)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestChangedTextsOnly lets a wrong text stay that was there before, and looks at every other one.
func TestChangedTextsOnly(t *testing.T) {
	t.Parallel()
	before := dossier.CandidateInput{Email: pointer("no address"), Nationality: pointer("x")}
	in := dossier.CandidateInput{Email: pointer("no address"), Nationality: pointer("y"),
		Language: pointer("z")}
	want := []string{"/language malformed", "/nationality malformed"}
	if diff := cmp.Diff(want, told(func(p *dossier.Problems) {
		in.Validate(p, before)
	})); diff != "" {
		t.Error(diff)
	}
}

// TestPlaceholdersOfScenarios checks where a scenario may use which placeholder.
func TestPlaceholdersOfScenarios(t *testing.T) {
	t.Parallel()
	events := []string{"e"}
	for name, c := range map[string]struct {
		text   string
		active *bool
		want   []string
	}{
		"OK":         {"Dear {{firstName}}", nil, nil},
		"ErrNoValue": {"By {{dueAt}}", nil, []string{"/notification/text notAllowed"}},
		"ErrOfARule": {"The {{documentType}}", nil,
			[]string{"/notification/text notAllowed"}},
		"OK inactive": {"The {{documentType}}", pointer(false), nil},
		"ErrInactive": {"By {{dueAt}}", pointer(false),
			[]string{"/notification/text notAllowed"}},
		"ErrActive": {"The {{documentType}}", pointer(true),
			[]string{"/notification/text notAllowed"}},
		"ErrUnknown": {"The {{x}}", nil, []string{"/notification/text unknown"}},
		"ErrOpen": {"Dear {{firstName}} {{", nil,
			[]string{"/notification/text malformed"}},
		"ErrNothingBeside": {" {{firstName}} ", nil, []string{"/notification/text tooShort"}},
		"ErrBlank":         {" ", nil, []string{"/notification/text required"}},
	} {
		in := dossier.ScenarioInput{Name: "n", EventName: "e", Active: c.active,
			Notification: &dossier.Notification{Subject: "s", Text: c.text}}
		got := told(func(p *dossier.Problems) {
			in.Validate(p, events, func(string) []string { return []string{"firstName"} })
		})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestParsedIsBounded counts the bytes of names and texts, and eight for every value.
func TestParsedIsBounded(t *testing.T) {
	t.Parallel()
	fill := func(bytes int) map[string]any { // 8 for the object, 1 and 8 and the text for a member
		out, left, names := map[string]any{}, bytes-8, []string{}
		for c := 'a'; c <= 'z'; c++ {
			names = append(names, string(c))
		}
		for c := 'A'; c <= 'Z'; c++ {
			names = append(names, string(c))
		}
		for _, name := range names {
			n := min(left-9, dossier.MaxParsedText)
			if n < 0 {
				break
			}
			out[name], left = ascii(n), left-9-n
		}
		return out
	}
	parsed := func(v map[string]any) func(*dossier.Problems) {
		return func(p *dossier.Problems) { p.Parsed("/p", v) }
	}
	for name, c := range map[string]struct {
		values map[string]any
		want   []string
	}{
		"OK all bytes":    {fill(dossier.MaxParsed), nil},
		"ErrOneMore":      {fill(dossier.MaxParsed + 1), []string{"/p tooLong"}},
		"OK longest text": {map[string]any{"a": []any{text(dossier.MaxParsedText)}}, nil},
		"ErrText": {map[string]any{"a": []any{"", text(dossier.MaxParsedText + 1)}},
			[]string{"/p/a/1 tooLong"}},
		"OK values": {map[string]any{"": make([]any, dossier.MaxParsed/8-2)}, nil},
		"ErrValues": {map[string]any{"": make([]any, dossier.MaxParsed/8-1)},
			[]string{"/p tooLong"}},
		"ErrMembers": {map[string]any{ascii(dossier.MaxParsed): 1.0}, []string{"/p tooLong"}},
	} {
		if diff := cmp.Diff(c.want, told(parsed(c.values))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
