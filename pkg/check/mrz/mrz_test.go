package mrz

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The specimens of Utopia in Doc 9303.
var (
	td3 = []string{"P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
		"L898902C36UTO7408122F1204159ZE184226B<<<<<10"}
	td2 = []string{"I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"}
	td1 = []string{"I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6",
		"ERIKSSON<<ANNA<MARIA<<<<<<<<<<"}
)

const today = "2026-11-21"

func TestRead(t *testing.T) {
	t.Parallel()
	person := map[string]any{
		"issuingState": "UTO", "nationality": "UTO", "surname": "ERIKSSON",
		"givenNames": "ANNA MARIA", "sex": "F",
		"birthDate": "1974-08-12", "expiryDate": "2012-04-15",
	}
	for format, test := range map[string]struct {
		lines []string
		own   map[string]any
	}{
		TD3: {td3, map[string]any{"documentType": "P", "documentNumber": "L898902C3",
			"optionalData": "ZE184226B"}},
		TD2: {td2, map[string]any{"documentType": "I", "documentNumber": "D23145890"}},
		TD1: {td1, map[string]any{"documentType": "I", "documentNumber": "D23145890"}},
	} {
		want := map[string]any{}
		for _, m := range []map[string]any{person, test.own} {
			for k, v := range m {
				want[k] = v
			}
		}
		zone := Find(append([]string{"PASSPORT"}, test.lines...))
		if zone == nil || zone.Format != format {
			t.Fatalf("%s: found %v", format, zone)
		}
		got, failed, err := zone.Read(today)
		if err != nil || len(failed) > 0 {
			t.Errorf("%s: %v %v", format, failed, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", format, d)
		}
	}
}

// TestLongNumber reads a TD1 whose number goes on in the optional data, made here from the rules of
// part 5.
func TestLongNumber(t *testing.T) {
	t.Parallel()
	const number = "D23145890734"
	rest := number[9:] + string(Digit(number)) + "<"
	first := "I<UTO" + number[:9] + "<" + rest + strings.Repeat("<", 15-len(rest))
	second := "7408122F1204159UTO<<<<<<<<<<<"
	second += string(Digit(first[5:] + second[:7] + second[8:15] + second[18:29]))
	zone := Zone{TD1, []string{first, second, td1[2]}}
	values, failed, err := zone.Read(today)
	if err != nil || len(failed) > 0 || values["documentNumber"] != number {
		t.Errorf("%v %v %v", values["documentNumber"], failed, err)
	}
}

// TestDigits changes every guarded character, one at a time: at least one digit must fail each
// time.
func TestDigits(t *testing.T) {
	t.Parallel()
	for format, lines := range map[string][]string{TD3: td3, TD2: td2, TD1: td1} {
		for l, line := range lines {
			if format == TD1 && l == 2 || format != TD1 && l == 0 {
				continue // names and issuer are not guarded
			}
			for i, c := range []byte(line) {
				if unguarded := format == TD1 &&
					(l == 0 && i < 5 || l == 1 && (i == 7 || i > 14 && i < 18)) ||
					format != TD1 && (i > 9 && i < 13 || i == 20); unguarded {
					continue
				}
				changed := append([]string(nil), lines...)
				changed[l] = line[:i] + string(rune('0'+(c+1)%10)) + line[i+1:]
				if changed[l] == line {
					continue
				}
				_, failed, err := Zone{format, changed}.Read(today)
				if err != nil || len(failed) == 0 &&
					Digit(changed[l][i:i+1]) != Digit(line[i:i+1]) {
					t.Errorf("%s line %d character %d: nothing failed (%v)", format, l, i, err)
				}
			}
		}
	}
}

func TestCentury(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		birth, want string
	}{{"261121", "2026-11-21"}, {"261122", "1926-11-22"}, {"740812", "1974-08-12"}, {"74<<<<", ""},
		{"990231", ""}} {
		changed := Zone{TD3, []string{td3[0], td3[1][:13] + test.birth + td3[1][19:]}}
		values, _, err := changed.Read(today)
		if got, _ := values["birthDate"].(string); err != nil || got != test.want {
			t.Errorf("%s: %q, %v", test.birth, got, err)
		}
	}
}

func FuzzMRZ(f *testing.F) {
	for _, z := range [][]string{td1, td2, td3} {
		f.Add(strings.Join(z, "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		zone := Find(strings.Split(text, "\n"))
		if zone == nil {
			return
		}
		values, _, err := zone.Read(today)
		if err != nil {
			t.Fatalf("found, but not read: %v", err)
		}
		for name := range values {
			if !strings.Contains(strings.Join(dossier.MRZReferences, " ")+" ", "mrz."+name+" ") {
				t.Errorf("value %q is not among the references", name)
			}
		}
	})
}

// TestLettered takes digits that stand for letters out of the places that have letters only, and
// leaves every other place alone.
func TestLettered(t *testing.T) {
	t.Parallel()
	for format, lines := range map[string][]string{TD1: td1, TD2: td2, TD3: td3} {
		seen := slices.Clone(lines)
		for i, l := range seen {
			seen[i] = strings.ReplaceAll(l, "UTO", "UT0")
		}
		names := map[string]int{TD1: 2}[format]
		seen[names] = strings.ReplaceAll(seen[names], "MARIA", "MAR1A")
		if d := cmp.Diff(lines, (Zone{format, seen}).Lettered()); d != "" {
			t.Errorf("%s: %s", format, d)
		}
	}
}

// TestRepaired takes letters out of dates and check digits where all check digits hold then, and
// leaves every other place, a visa and what does not hold alone.
func TestRepaired(t *testing.T) {
	t.Parallel()
	digits := strings.NewReplacer("0", "O", "1", "I", "2", "Z", "5", "S", "8", "B")
	for format, lines := range map[string][]string{TD1: td1, TD2: td2, TD3: td3} {
		line, from := 1, 13
		if format == TD1 {
			from = 0
		}
		seen := slices.Clone(lines)
		l := seen[line]
		seen[line] = l[:from] + digits.Replace(l[from:from+7]) + l[from+7:len(l)-1] +
			digits.Replace(l[len(l)-1:])
		if seen[line] == l {
			t.Fatal("nothing to repair")
		}
		if d := cmp.Diff(lines, (Zone{format, seen}).Repaired()); d != "" {
			t.Errorf("%s: %s", format, d)
		}
		wrong := slices.Clone(seen) // the O is read for a 6
		wrong[line] = strings.Replace(l, "0415", "O415", 1)
		wrong[line] = strings.Replace(wrong[line], "7408", "7468", 1)
		if d := cmp.Diff(wrong, (Zone{format, wrong}).Repaired()); d != "" {
			t.Errorf("%s whose digits don't hold: %s", format, d)
		}
	}
	number := []string{td3[0], strings.Replace(td3[1], "L898902", "L8989O2", 1)}
	if d := cmp.Diff(number, (Zone{TD3, number}).Repaired()); d != "" {
		t.Errorf("document number: %s", d)
	}
	visa := []string{"V" + td3[0][1:], strings.Replace(td3[1], "740812", "74O812", 1)}
	if d := cmp.Diff(visa, (Zone{TD3, visa}).Repaired()); d != "" {
		t.Errorf("visa: %s", d)
	}
}
