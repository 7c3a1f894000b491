//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page in a browser profile of its own, on the deployed stack.
type tab struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	said []string // errors, and what the content policy refused
}

// newBrowser starts a browser that trusts the certificate of the emulated AWS.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path := os.Getenv("DOSSIER_BROWSER")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Fatal("there is no Chromium: `make browser` fetches it, or DOSSIER_BROWSER names one")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("host-resolver-rules", "MAP *.execute-api.localhost 127.0.0.1"))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	first, stopFirst := chromedp.NewContext(ctx)
	t.Cleanup(func() { stopFirst(); stop() })
	if err := chromedp.Do(first); err != nil {
		t.Fatal(err)
	}
	return first
}

// newTab opens a page of the browser in a profile of its own.
func newTab(t *testing.T, browser context.Context) *tab {
	t.Helper()
	b := &tab{t: t}
	ctx, stop := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.ctx = ctx
	b.run(command(log.Enable, cdp.Empty{}), command(runtime.Enable, cdp.Empty{}),
		chromedp.EmulateViewport(1280, 900))
	return b
}

// command is an action that sends one command of the protocol.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (b *tab) listen(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity || e.Entry.Level == log.EntryLevelError &&
			e.Entry.Source != log.EntrySourceNetwork {
			b.said = append(b.said, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	}
}

// quiet fails where the page logged an error or the content policy refused something.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range b.said {
		b.t.Errorf("the browser said: %s", line)
	}
}

// patience bounds how long a test waits for one condition: a function may have to start first.
const patience = time.Minute

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%v\nthe page: %s", err, b.text())
	}
}

// eval runs a script on the page and returns its value.
func eval[T any](b *tab, script string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v\nthe page: %s", err, b.text())
	}
	return v
}

// text returns the path and the visible text of the page, for the message of a failure.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](
		`location.pathname + "\n" + document.body.innerText`))
	return text
}

func (b *tab) open(address string) {
	b.t.Helper()
	b.run(chromedp.Navigate(address))
}

// waits waits until a script's value is true, also when the page changes meanwhile.
func (b *tab) waits(what, script string) {
	b.t.Helper()
	if err := poll(patience, func() bool {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		defer cancel()
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script))
		return holds && err == nil
	}); err != nil {
		b.t.Fatalf("%s did not come: %v\nthe page: %s", what, err, b.text())
	}
}

// sees waits until the page reads a text.
func (b *tab) sees(text string) {
	b.t.Helper()
	b.waits(fmt.Sprintf("the text %q", text), fmt.Sprintf(
		`document.readyState === "complete" && document.body.innerText.includes(%q)`, text))
}

// press clicks the visible button, link or summary whose text begins so.
func (b *tab) press(text string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("button, a, summary")].find(
		(c) => c.checkVisibility() && c.innerText.trim().startsWith(%q))`, text)
	b.waits(fmt.Sprintf("the control %q", text),
		`document.readyState === "complete" && Boolean(`+find+`)`)
	eval[bool](b, `(() => { `+find+`.click(); return true })()`)
}

// fill types into the field of a name.
func (b *tab) fill(name, value string) {
	b.t.Helper()
	find := fmt.Sprintf(`document.querySelector('[name="%s"]')`, name)
	b.waits("the field "+name, `Boolean(`+find+`)`)
	eval[bool](b, fmt.Sprintf(`(() => { %s.value = %q; return true })()`, find, value))
}
