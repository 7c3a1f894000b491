//go:build e2e

package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// manualLicence is a document type whose documents a person validates.
const manualLicence = `{"name":"Driving licence","requiredParts":["front"],"check":{"parser":"pdf",
  "decision":"manual","fields":[{"reference":"class","label":"Class","type":"text"}]}}`

// TestPages does the main job by a real browser on the deployed stack: an administrator signs in
// with a key and makes a link; the candidate opens it and sends a PDF; the administrator reviews
// and validates it.
func TestPages(t *testing.T) {
	t.Parallel()
	c := provision(t)
	licence := c.post("/documentTypes", manualLicence)["id"]
	candidate := c.post("/candidates", `{"firstName":"Grace","documentTypeIds":[%q]}`,
		licence)["id"].(string)
	browser := newBrowser(t)
	admin := newTab(t, browser)
	admin.open(stack.api + "/console")
	admin.sees("Sign in")
	admin.fill("key", c.key)
	admin.press("Sign in")
	admin.sees("Waiting for you")
	admin.open(stack.api + "/console/candidates/" + candidate)
	admin.press("Link for the candidate")
	admin.press("Make a link")
	admin.sees("A link for the candidate.")
	link := eval[string](admin, `document.querySelector(".secret").textContent`)
	if !strings.HasPrefix(link, stack.api+"/c#dst_") {
		t.Fatalf("the link is %q", link)
	}
	phone := newTab(t, browser)
	phone.open(link)
	phone.sees("Hello Grace")
	pdf, err := filepath.Abs(project + "/pkg/check/testdata/chromium-plain.pdf")
	if err != nil {
		t.Fatal(err)
	}
	phone.run(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]:not([capture])`),
		[]string{pdf}))
	phone.sees("We are looking at it")
	phone.quiet()
	admin.open(stack.api + "/console")
	admin.press("Start to review")
	admin.sees("Driving licence of Grace")
	admin.waits("the PDF", `Boolean(document.querySelector("iframe[src^='blob:']"))`)
	admin.press("Validate")
	admin.sees(": validated.")
	admin.quiet()
	got := c.get("/candidateDocumentTypes?filter[candidateId]=" + candidate)
	if at(t, got, 0, "state") != "validated" {
		t.Errorf("after the review: %v", got)
	}
}

// TestCookies holds that a session's cookie reaches no script and no other site, and that another
// site's form is refused behind the gateway.
func TestCookies(t *testing.T) {
	t.Parallel()
	c := provision(t)
	post := func(origin string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			stack.api+"/console/signin", strings.NewReader("key="+c.key))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", origin)
		client := stack.client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response
	}
	own := post(stack.api)
	cookies := own.Cookies()
	if own.StatusCode != http.StatusSeeOther || len(cookies) != 1 {
		t.Fatalf("OK: %d %v", own.StatusCode, cookies)
	}
	if k := cookies[0]; k.Name != "__Host-dossier-console" || !k.HttpOnly || !k.Secure ||
		k.SameSite != http.SameSiteStrictMode || k.Path != "/" || k.Domain != "" {
		t.Errorf("OK: the cookie is %v", k)
	}
	if foreign := post("https://elsewhere.example"); foreign.StatusCode != http.StatusForbidden ||
		len(foreign.Cookies()) > 0 {
		t.Errorf("ErrOrigin: %d %v", foreign.StatusCode, foreign.Cookies())
	}
}
