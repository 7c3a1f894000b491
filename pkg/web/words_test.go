package web

import (
	"io/fs"
	"maps"
	"regexp"
	"strings"
	"testing"
)

// TestPortalWords holds that every text of the portal is there in every language, and that every
// text that a template names is there.
func TestPortalWords(t *testing.T) {
	t.Parallel()
	all := maps.Clone(portalWords)
	for _, r := range reasons {
		all["reason "+r.key] = r.texts
	}
	for key, texts := range all {
		if len(texts) != len(languages) {
			t.Errorf("%q has %d texts for %d languages", key, len(texts), len(languages))
		}
		for i, text := range texts {
			if strings.Count(text, "%s") != strings.Count(texts[0], "%s") {
				t.Errorf("%q names not the same in %s", key, languages[i].Label)
			}
			if text == "" {
				t.Errorf("%q has no text in %s", key, languages[min(i, len(languages)-1)].Label)
			}
		}
	}
	named := regexp.MustCompile(`say \$?\.?[lL]ang "([^"]+)"`)
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "templates/shared/portal.html") {
		content, err := fs.ReadFile(templateFiles, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(content), -1) {
			if portalWords[m[1]] == nil {
				t.Errorf("%s: there is no text %q", file, m[1])
			}
		}
	}
}
