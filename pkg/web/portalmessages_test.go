package web_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	shownMessage    = regexp.MustCompile(`<div class="msg"><p>([^<]*)</p>`)
	earlierMessages = regexp.MustCompile(`<a rel="next" href="([^"]*)">Wcześniejsze wiadomości</a>`)
)

// reader signs in as a candidate, without script, and returns how to get a page.
func (p *process) reader(candidate string) func(path string) string {
	t := p.t
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Client{Jar: jar}
	_, token, _ := strings.Cut(p.link(candidate), "#")
	res, err := web.PostForm(p.base+"/c/signin", url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return func(path string) string {
		t.Helper()
		res, err := web.Get(p.base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s answered %d, %v", path, res.StatusCode, err)
		}
		return string(text)
	}
}

// TestManyMessages reads what a candidate with many messages sees: the newest first, 50 on each
// page, with links that need no script.
func TestManyMessages(t *testing.T) {
	p := start(t)
	candidate := p.post("/candidates", `{"firstName":"Grace","language":"pl"}`)
	var want []string
	for n := range 105 {
		text := fmt.Sprintf("%03d %s", n, strings.Repeat("x", 3_000))
		want = append(want, text)
		p.post("/candidates/"+candidate+"/messages", fmt.Sprintf(`{"text":%q}`, text))
	}
	slices.Reverse(want)
	get := p.reader(candidate)
	if home := get("/c"); !strings.Contains(home, want[0]) {
		t.Error("the first page does not show the newest message")
	}
	var got []string
	var sizes []int
	for path := "/c/messages"; path != ""; {
		page := get(path)
		shown := shownMessage.FindAllStringSubmatch(page, -1)
		for _, m := range shown {
			got = append(got, m[1])
		}
		sizes = append(sizes, len(shown))
		if newest := strings.Contains(page, "Najnowsze wiadomości"); newest != (len(sizes) > 1) {
			t.Errorf("page %d leads to the newest messages: %t", len(sizes), newest)
		}
		path = ""
		if next := earlierMessages.FindStringSubmatch(page); next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	if diff := cmp.Diff([]int{50, 50, 5}, sizes); diff != "" {
		t.Errorf("messages on each page (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%.2000s", diff)
	}
	if page := get("/c/messages?after=made-up"); !strings.Contains(page, want[0]) {
		t.Error("a page that does not exist does not lead to the newest messages")
	}
}
