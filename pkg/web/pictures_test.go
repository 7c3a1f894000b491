package web_test

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// pictures is the folder that the pictures of the documentation are written to; empty writes none.
var pictures = flag.String("pictures", "", "take the pictures of the documentation into this folder")

// maxPicture limits the bytes of a picture.
const maxPicture = 100_000

var pictureIn = regexp.MustCompile(`[("]((?:docs/)?pictures/[a-z-]+\.png)[)"]`)

// TestPictures takes the pictures of the documentation. Each has to be there, be named by a
// document, and be small; each that a document names is one of them.
func TestPictures(t *testing.T) {
	p := start(t)
	s := p.furnish()
	b, c := p.signedIn(t), newTab(t, p.base)
	b.look("light", 1120, 700)
	c.look("light", 390, 780)
	var taken []string
	take := func(b *tab, name, path, reads string) {
		b.open(path)
		b.sees(reads)
		content := b.picture()
		if len(content) > maxPicture {
			t.Errorf("%s has %d bytes of at most %d", name, len(content), maxPicture)
		}
		if *pictures != "" {
			if err := os.WriteFile(filepath.Join(*pictures, name), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		taken = append(taken, name)
	}
	take(b, "today.png", "/console", "Identity card")
	take(b, "review.png", "/console/review/"+p.photographed(s.licence, b), "Validate")
	take(b, "rule-run.png", "/console/runs/"+s.adaPermit+"/"+p.run(s.adaPermit), "Why not")
	take(c, "register.png", p.public("drivers"), "What you will be asked for")
	c.open(p.link(s.ada))
	c.sees("Hello Ada")
	take(c, "candidate.png", "/c", "One more document")
	named := namedPictures(t)
	for _, name := range taken {
		content, err := os.ReadFile(filepath.Join("../../docs/pictures", name))
		if err != nil {
			t.Errorf("%v: `make pictures` takes it", err)
			continue
		}
		if _, err := png.Decode(bytes.NewReader(content)); err != nil || len(content) > maxPicture {
			t.Errorf("docs/pictures/%s has %d bytes: %v", name, len(content), err)
		}
		if !slices.Contains(named, name) {
			t.Errorf("no document shows docs/pictures/%s", name)
		}
	}
	for _, name := range named {
		if !slices.Contains(taken, name) {
			t.Errorf("a document names %s, which is taken of nothing", name)
		}
	}
}

// card is a page that looks like a photographed licence.
const card = `data:text/html,<body style="margin:0;background:%23456"><div style="margin:36px;` +
	`padding:30px;border-radius:18px;background:%23f3e9ee;font:26px/1.6 sans-serif">` +
	`<b>DRIVING LICENCE</b><br>1. HOPPER<br>2. GRACE<br>4b. 2031-05-01<br>5. NL-204<br>9. CE</div>`

// photographed uploads a picture of a licence for a new candidate and returns the request, which
// then waits for a reviewer.
func (p *process) photographed(licence string, b *tab) string {
	p.t.Helper()
	b.look("light", 600, 420)
	b.run(chromedp.Navigate(card))
	photo := b.picture()
	b.look("light", 1120, 700)
	request := p.request(p.post("/candidates",
		`{"firstName":"Grace","lastName":"Hopper","documentTypeIds":["`+licence+`"]}`), licence)
	p.post("/candidateDocumentTypes/"+request+"/upload", fmt.Sprintf(
		`{"parts":[{"name":"front","fileName":"licence.png","contentType":"image/png","content":%q}]}`,
		base64.StdEncoding.EncodeToString(photo)))
	p.reaches(request, "inReview")
	return request
}

// namedPictures lists the pictures that README.md and docs/ show, each path checked.
func namedPictures(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pictureIn.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s names a picture that is missing: %v", file, err)
			}
			named = append(named, filepath.Base(m[1]))
		}
	}
	return named
}
