package printed

import (
	"testing"
	"time"
	"unicode/utf8"
)

func TestDate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2031-05-01": "2031-05-01", "2031-05-01T10:00:00Z": "2031-05-01", "2031/5/1": "2031-05-01",
		"01.05.2031": "2031-05-01",
		"1.5.2031":   "2031-05-01", "01/05/2031": "2031-05-01", "05/31/2031": "2031-05-31",
		"01-05-2031": "2031-05-01",
		"1 May 2031": "2031-05-01", "May 1, 2031": "2031-05-01", "1. Mai 2031": "2031-05-01",
		"1er mai 2031":      "2031-05-01",
		"1 de mayo de 2031": "2031-05-01", "1 maggio 2031": "2031-05-01",
		"1 mei 2031": "2031-05-01", "01 MAY/MAI 2031": "2031-05-01",
		"Thursday, May 1st, 2031": "2031-05-01", "01-AUG-2031": "2031-08-01",
		"3 août 2031": "2031-08-03", "5. März 2031": "2031-03-05",
		"2031-02-30": "", "31.04.2031": "", "01.05.31": "", "May 2031": "",
		"1 May or June 2031": "", "": "", "NL-204": "", "2031": "",
		"13/13/2031": "", "00.05.2031": "",
	} {
		if got, ok := Date(in); got != want || ok != (want != "") {
			t.Errorf("Date(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]float64{
		"1.234,56": 1234.56, "1,234.56": 1234.56, "1234.5": 1234.5, "1 234,56": 1234.56,
		"1'234.56": 1234.56, "1.234": 1234, "1,234": 1234,
		"0.125": 0.125, "1.234.567": 1234567, "12": 12, "-3,5": -3.5, "EUR 1.234,56": 1234.56,
		"1.234,56 €": 1234.56, "$1,234.50": 1234.5,
		"75 kg": 75, "12 %": 12, "1234,567": 1234.567,
	} {
		if got, ok := Number(in); got != want || !ok {
			t.Errorf("Number(%q) = %v, %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "CE", "1.2.3", "1,23,456", "1.234,567,8", "12 34 56 7", "1e9",
		"NaN", "0x10", "--1", "1-2"} {
		if got, ok := Number(in); ok {
			t.Errorf("Number(%q) = %v", in, got)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x00b\u200b  c\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > MaxText {
			t.Errorf("Text(%q) = %q", s, got)
		}
		if again := Text(got); again != got {
			t.Errorf("Text is not stable: %q, %q", got, again)
		}
	})
}

func FuzzDate(f *testing.F) {
	f.Add("1. Mai 2031")
	f.Add("05/31/2031")
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := Date(s)
		if _, err := time.Parse(time.DateOnly, d); ok != (err == nil) {
			t.Errorf("Date(%q) = %q, %v", s, d, ok)
		}
		if again, _ := Date(d); again != d {
			t.Errorf("Date(%q) = %q", d, again)
		}
	})
}

func FuzzNumber(f *testing.F) {
	f.Add("EUR 1.234,56")
	f.Fuzz(func(t *testing.T, s string) {
		if n, ok := Number(s); ok && n != n {
			t.Errorf("Number(%q) = %v", s, n)
		}
	})
}
