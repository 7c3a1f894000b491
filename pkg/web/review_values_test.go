package web_test

import "testing"

// parsed returns a value of a request's document.
func (p *process) parsed(request, reference string) any {
	p.t.Helper()
	d := p.send("GET", "/candidateDocumentTypes/"+request, nil).(object)["document"].(object)
	return d["parsed"].(object)[reference]
}

// TestReviewDates types dates as people write them, without script: the day comes first, what is no
// date is refused by the label of its field, and nothing typed is lost.
func TestReviewDates(t *testing.T) {
	p := start(t)
	request := p.bothSides(p.twoSided())
	b := p.signedIn(t)
	b.noScript()
	b.open("/console/review/" + request)
	b.sees("day.month.year or year-month-day")
	b.fill("v.birth", "07.02.1990")
	b.fill("v.expiry", "2031/13/01")
	b.press("Validate")
	b.sees("“Valid until (4b)” is not a date.")
	for name, want := range map[string]string{"v.birth": "07.02.1990", "v.expiry": "2031/13/01"} {
		if got := eval[string](b,
			`document.querySelector('[name="`+name+`"]').value`); got != want {
			t.Errorf("%s holds %q, not %q", name, got, want)
		}
	}
	p.reaches(request, "inReview")
	b.fill("v.expiry", "11/09/2031")
	b.press("Validate")
	p.reaches(request, "validated")
	for name, want := range map[string]any{"birth": "1990-02-07", "expiry": "2031-09-11"} {
		if got := p.parsed(request, name); got != want {
			t.Errorf("%s is %v, not %v", name, got, want)
		}
	}
	b.quiet()
}

// TestReviewExpired is told that a date has passed before the document is validated, and may ask
// again instead.
func TestReviewExpired(t *testing.T) {
	p := start(t)
	licence := p.twoSided()
	request := p.bothSides(licence)
	b := p.signedIn(t)
	refused := func() {
		t.Helper()
		b.open("/console/review/" + request)
		b.fill("v.number", "NL-77")
		b.fill("v.expiry", "15.02.2024")
		b.press("Validate")
		b.sees("This date has passed (15 February 2024): the document will count as expired.")
		p.reaches(request, "inReview")
	}
	refused()
	b.accessible("a date that has passed")
	b.press("Ask again instead")
	p.reaches(request, "needsResubmission")
	request = p.bothSides(licence)
	refused()
	b.press("Validate anyway")
	b.sees(
		"Driving licence of Chloe Dubois: validated. Its date has passed: it counts as expired.")
	p.eventually("the values", func() bool { return p.parsed(request, "expiry") == "2024-02-15" })
	if got := p.parsed(request, "number"); got != "NL-77" {
		t.Errorf("number is %v", got)
	}
	b.quiet()
}

// TestReviewCompares shows what is on file, marks a value that differs from it, and says which
// values a person changed.
func TestReviewCompares(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b := p.signedIn(t)
	b.open("/console/review/" + s.bobLicence)
	b.sees("On file: the name alone")
	said := func(name string) string {
		return `document.querySelector('[name="` + name +
			`"]').closest(".field").querySelector(".conf").textContent`
	}
	read := eval[string](b, said("v.number"))
	if read == "" || read == "changed by you" {
		t.Errorf("the confidence of a value that was read is %q", read)
	}
	value := eval[string](b, `document.querySelector('[name="v.number"]').value`)
	b.fill("v.number", "NL-205")
	b.waits("the change", said("v.number")+` === "changed by you"`)
	b.fill("v.number", value)
	b.waits("the confidence", said("v.number")+` === "`+read+`"`)
	b.open("/console/review/" + p.bothSides(p.twoSided()))
	b.sees("On file: Date of birth 7 February 1990")
	if eval[bool](b, `Boolean(document.querySelector("meter"))`) ||
		eval[string](b, said("v.number")) != "" {
		t.Error("a confidence stands where nothing was read")
	}
	b.fill("v.birth", "8.2.1990")
	b.sees("This differs from the file: 1990-02-07")
	b.fill("v.birth", "7.2.1990")
	b.waits("no difference", `!document.querySelector(".differs").checkVisibility()`)
	b.accessible("values on file")
	b.quiet()
}
