package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/client"
)

// imported are settings with what the files of candidates name.
const imported = `
documentTypes:
- name: Work permit
  check:
    parser: none
    decision: manual
    fields:
    - {reference: permit.number, label: Permit number, type: text}
    - {reference: permit.hours, label: Hours, type: number}
    - {reference: permit.expires, label: Valid until, type: date}
    required: [permit.number]
    expiryReference: permit.expires
- name: First aid
fields:
- {entity: candidate, reference: size, type: number, label: Shoe size}
- {entity: candidate, reference: tags, type: list, label: Tags}
`

// beside writes a file beside the settings and returns its path.
func (o operator) beside(name, text string) string {
	o.t.Helper()
	path := filepath.Join(filepath.Dir(o.file), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
	return path
}

// asExcelWrites is a file with a byte order mark, semicolons, CRLF, quoted cells, days first and a
// decimal comma. The second candidate begins like a formula.
const asExcelWrites = "\ufeffPersonnel number;First name;lastName;Phone;Shoe size;Tags;Note;" +
	"Work permit: Permit number;Work permit: Hours;Work permit: Valid until;First aid\r\n" +
	"A-1;Ada;\"Love;lace\";'+31 6 1;42,5;driver|night;x;NL-1;37,5;1.5.2099;yes\r\n" +
	"A-2;Grace;'=1+1;;;;;;;;no\r\n" +
	";;;;;;;;;;\r\n" +
	"A-3;Mary;Jackson;;;;;NL-3;;2001-01-01;\r\n"

// TestImportCandidates imports a file as a spreadsheet writes it, again without a change, and
// exports it: the export imports without a change too, and runs nothing in a spreadsheet.
func TestImportCandidates(t *testing.T) {
	t.Parallel()
	o := operate(t, imported)
	o.want(0, nil, "apply", o.file)
	file := o.beside("candidates.csv", asExcelWrites)
	columns := []string{"--column", "Personnel number=externalId", "--column", "Note=-"}
	args := append([]string{"import", file}, columns...)
	o.want(0, []string{"3 candidates would be created", "3 documents would be recorded"},
		append(args, "--dry-run")...)
	o.want(0, []string{"0 candidates would be created"}, "import", "--dry-run",
		o.beside("empty.csv", "externalId\n"))
	out := o.want(0, []string{"3 candidates created, 0 updated, 0 unchanged; 3 documents recorded",
		"Importing [" + strings.Repeat("#", 40) + "] 3 of 3\n"}, args...)
	if strings.Contains(out, "would") {
		t.Errorf("%s", out)
	}
	o.want(0, []string{"0 candidates created, 0 updated, 3 unchanged; 0 documents recorded"},
		args...)
	csv := o.want(0, nil, "export", "candidates")
	for _, line := range []string{
		"candidateId,externalId,firstName,lastName,email,phone,birthDate,nationality,language,cf_size,cf_tags," +
			"Work permit,Work permit: permit.number,Work permit: permit.hours,Work permit: permit.expires,First aid",
		",A-1,Ada,Love;lace,,'+31 6 1,,,,42.5,driver|night,yes,NL-1,37.5,2099-05-01,yes",
		",A-2,Grace,'=1+1,,,,,,,,,,,,",
		",A-3,Mary,Jackson,,,,,,,,yes,NL-3,,2001-01-01,",
	} {
		if !strings.Contains(csv, line+"\n") {
			t.Errorf("%q is missing in\n%s", line, csv)
		}
	}
	exported := filepath.Join(t.TempDir(), "exported.csv")
	o.want(0, nil, "export", "candidates", exported)
	o.want(2, []string{"exists"}, "export", "candidates", exported)
	o.want(0, []string{"0 candidates created, 0 updated, 3 unchanged"}, "import", exported)
	o.want(0, []string{"1 updated, 0 unchanged; 1 documents recorded"}, "import",
		o.beside("renewed.csv",
			"externalId,Work permit: number,Work permit: permit.number\nA-3,,NL-4"),
		"--column", "Work permit: number=-")
}

// TestImportOfAnExport exports two candidates, one without an external id. The export imports
// without a change, with a change to the latter, and into another installation.
func TestImportOfAnExport(t *testing.T) {
	t.Parallel()
	o := operate(t, imported)
	o.want(0, nil, "apply", o.file)
	o.want(0, []string{"1 candidates created"}, "import", o.beside("candidates.csv",
		"externalId,First name,Work permit: permit.number\nA-1,Ada,NL-1\n"))
	c, err := client.New(o.base, o.key)
	if err != nil {
		t.Fatal(err)
	}
	name := "Grace"
	if _, err := c.CreateCandidate(t.Context(), nil,
		client.CandidateCreate{FirstName: &name}); err != nil {
		t.Fatal(err)
	}
	csv := o.want(0, nil, "export", "candidates")
	row := regexp.MustCompile(`(?m)^cnd_[0-9A-Z]+,,Grace,.*$`).FindString(csv)
	if row == "" {
		t.Fatalf("no row without an external id:\n%s", csv)
	}
	file := o.beside("exported.csv", csv)
	o.want(0, []string{"0 candidates would be created, 0 would be updated, 2 unchanged"},
		"import", "--dry-run", file)
	o.want(0, []string{"0 candidates created, 0 updated, 2 unchanged"}, "import", file)
	changed := o.beside("changed.csv", "candidateId,Last name,Work permit: permit.number\n"+
		row[:strings.Index(row, ",")]+",Hopper,NL-2\n")
	o.want(0, []string{"0 candidates created, 1 updated, 0 unchanged; 1 documents recorded"},
		"import", changed)
	o.want(0, []string{"0 candidates created, 0 updated, 1 unchanged"}, "import", changed)
	o.want(2, []string{`line 4, column "candidateId": Line `, "has the same candidateId."},
		"import",
		o.beside("twice.csv", csv+row+"\n"))

	other := operate(t, imported)
	other.want(0, nil, "apply", other.file)
	other.want(2, []string{"There is no candidate with the id", "--moved"}, "import", file)
	other.want(0, []string{"2 candidates created, 0 updated"}, "import", "--moved", file)
	other.want(0, []string{"0 candidates created, 0 updated, 2 unchanged"}, "import", "--moved",
		file)
}

// wrongFiles are files with mistakes, and what is printed of each.
var wrongFiles = map[string]struct {
	text string
	want []string
}{
	"Header": {"externalId,Fist name\nA-1,Ada\n",
		[]string{`:`, `line 1, column "Fist name": This names nothing.`}},
	"NoID": {"First name\nAda\n", []string{"line 1: No column is the externalId"}},
	"Twice": {"externalId,First name,firstName\nA-1,Ada,Ada\n",
		[]string{`line 1, column "firstName": Another column means the same.`}},
	"Missing": {"externalId,First name\n,Ada\n",
		[]string{`line 2, column "externalId": The externalId is missing.`}},
	"Same": {"externalId\nA-1\nA-1\n",
		[]string{`line 3, column "externalId": Line 2 has the same externalId.`}},
	"Cells": {"externalId,Shoe size,Work permit: Valid until,First aid\nA-1,big,5/1/2030,maybe\n",
		[]string{`line 2, column "Shoe size": "big" is not a number.`,
			`line 2, column "Work permit: Valid until": "5/1/2030" is not a date such as`,
			`line 2, column "First aid": "maybe" is neither yes nor no.`}},
	"Service": {"externalId,E-Mail,Nationality,Work permit: Hours\nA-1,ada@,nld,\nA-2,,,5\n",
		[]string{`line 2, column "E-Mail": The email`, `line 2, column "Nationality":`,
			`line 3, column "Work permit: Hours":`}},
	"Count":    {"externalId,First name\nA-1\n", []string{"line 2: wrong number of fields"}},
	"Quotes":   {"externalId\n\"A-1\n", []string{"line 2: extraneous or missing \""}},
	"Encoding": {"externalId,First name\nA-1,J\xfcrgen\n", []string{`save it as "CSV UTF-8"`}},
}

// A file with a mistake imports nothing, unless it is imported in part.
func TestImportCandidatesRefused(t *testing.T) {
	t.Parallel()
	o := operate(t, imported)
	o.want(0, nil, "apply", o.file)
	for name, c := range wrongFiles {
		code := 2
		if name == "Encoding" {
			code = 1
		}
		o.want(code, c.want, "import", o.beside(name+".csv", c.text))
	}
	right := "externalId,Email\nA-1,ada@example.com\nA-2,grace@\n"
	o.want(2, []string{"1 candidates would be created", "nothing was imported"}, "import",
		o.beside("part.csv", right))
	if list := o.want(0, nil, "export", "candidates"); strings.Contains(list, "A-1") {
		t.Errorf("imported\n%s", list)
	}
	o.want(2, []string{"1 candidates created", `line 3, column "Email"`}, "import", "--partial",
		o.beside("part.csv", right))
}
