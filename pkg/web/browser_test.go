package web_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

// screens is the folder of the screenshots; empty takes none.
var screens = flag.String("screens", "", "take a screenshot of each screen into this folder")

// allocator runs the one browser of the tests; each test has a profile of its own in it.
var allocator struct {
	sync.Once
	ctx  context.Context
	stop context.CancelFunc
	err  error
}

// TestMain ends the browser. The test binary is also the child that parses.
func TestMain(m *testing.M) {
	code := m.Run()
	if allocator.stop != nil {
		allocator.stop()
	}
	os.Exit(code)
}

// browserPath finds the browser.
func browserPath() (string, error) {
	if path := os.Getenv("DOSSIER_BROWSER"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "",
		fmt.Errorf("there is no Chromium: `make browser` fetches it, or DOSSIER_BROWSER names one")
}

func startBrowser() {
	path, err := browserPath()
	if err != nil {
		allocator.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	first, stopFirst := chromedp.NewContext(ctx)
	allocator.ctx, allocator.stop = first, func() { stopFirst(); stop() }
	allocator.err = chromedp.Do(first)
}

// tab is one browser profile with one page in it.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string
	mu   sync.Mutex
	said []string // what the page logged: errors, and what the content policy refused
}

// newTab opens a profile of its own on a site.
func newTab(t *testing.T, base string) *tab {
	t.Helper()
	allocator.Do(startBrowser)
	if allocator.err != nil {
		t.Fatal(allocator.err)
	}
	b := &tab{t: t, base: base}
	ctx, stop := chromedp.NewContext(allocator.ctx, chromedp.WithNewBrowserContext())
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
		if e.Entry.Source == log.EntrySourceSecurity ||
			e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			b.said = append(b.said, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	case *page.EventJavascriptDialogOpening:
		b.said = append(b.said, "a dialog opened: "+e.Message)
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

// short bounds how long a test waits for one condition.
const short = 30 * time.Second

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, short)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.failed(err)
	}
}

// failed ends the test with what the page read.
func (b *tab) failed(err error) {
	b.t.Helper()
	b.shoot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
	b.t.Fatalf("%v\nthe page: %s", err, b.text())
}

// eval runs a script on the page and returns its value.
func eval[T any](b *tab, script string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*short)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.failed(err)
	}
	return v
}

// text returns the path and the visible text of the page, for the message of a failure.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, 3*time.Second)
	defer cancel()
	text, _ := chromedp.Run(ctx,
		chromedp.Evaluate[string](`location.pathname + "\n" + document.body.innerText`))
	return text
}

// open goes to a page. The page before it may be on its way to another one, by what was pressed
// there: that ends this navigation, which is then made again.
func (b *tab) open(path string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, short)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Navigate(b.base+path))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "net::ERR_ABORTED") || ctx.Err() != nil {
			b.failed(err)
		}
	}
}

// waits waits until a script's value is true, also when the page changes meanwhile.
func (b *tab) waits(what, script string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, short)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script))
		if holds && err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.failed(fmt.Errorf("%s did not come: %v", what, err))
		}
	}
}

// sees waits until the page reads a text.
func (b *tab) sees(text string) {
	b.t.Helper()
	b.waits(fmt.Sprintf("the text %q", text),
		fmt.Sprintf(`document.readyState === "complete" && document.body.innerText.includes(%q)`,
			text))
}

// leaves presses a control and waits for the next page, also where it reads like this one.
func (b *tab) leaves(text string) {
	b.t.Helper()
	eval[string](b, `document.body.dataset.left = "no"`)
	b.press(text)
	b.waits("the next page",
		`document.readyState === "complete" && document.body.dataset.left !== "no"`)
}

// press clicks the visible button, link or summary with a text.
func (b *tab) press(text string) {
	b.t.Helper()
	const controls = `[...document.querySelectorAll("button, a, summary, label")].find((c) => c.checkVisibility() && c.innerText.replace(/\s+/g, " ").trim().startsWith(%q))`
	find := fmt.Sprintf(controls, text)
	b.waits(fmt.Sprintf("the control %q", text),
		`document.readyState === "complete" && Boolean(`+find+`)`)
	at := eval[[]float64](b, `(() => { const c = `+find+
		`; c.scrollIntoView({block: "center"}); const r = c.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2] })()`)
	b.run(chromedp.MouseClickXY(at[0], at[1]))
}

// submit clicks the visible button of a form with exactly this text.
func (b *tab) submit(text string) {
	b.t.Helper()
	find := fmt.Sprintf(
		`[...document.querySelectorAll("form button")].find((c) => c.checkVisibility() && c.innerText.trim() === %q)`, text)
	b.waits(fmt.Sprintf("the button %q", text), `Boolean(`+find+`)`)
	eval[bool](b, `(() => { `+find+`.click(); return true })()`)
}

// fill types into the field of a name.
func (b *tab) fill(name, value string) {
	b.t.Helper()
	find := fmt.Sprintf(
		`[...document.querySelectorAll('[name="%s"]:not([type=hidden])')].find((f) => f.checkVisibility())`, name)
	b.waits("the field "+name, `Boolean(`+find+`)`)
	eval[bool](b,
		fmt.Sprintf(
			`(() => { const f = %s; f.focus(); f.value = %q; for (const e of ["input", "change"]) f.dispatchEvent(new Event(e, {bubbles: true})); return true })()`, find, value))
}

// choose selects the option with a label.
func (b *tab) choose(name, label string) {
	b.t.Helper()
	find := fmt.Sprintf(
		`[...document.querySelectorAll('select[name="%s"]')].find((f) => f.checkVisibility())`,
		name)
	b.waits("the choice "+label,
		fmt.Sprintf(`[...(%s?.options ?? [])].some((o) => o.text.trim() === %q)`, find, label))
	value := eval[string](b, fmt.Sprintf(`[...%s.options].find((o) => o.text.trim() === %q).value`,
		find, label))
	b.fill(name, value)
}

// key presses a key.
func (b *tab) key(keys string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(keys))
}

func (b *tab) noScript() {
	b.t.Helper()
	b.run(command(emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}))
}

// look switches between light and dark, and sets the window.
func (b *tab) look(scheme string, width, height int64) {
	b.t.Helper()
	b.run(command(emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}}),
		chromedp.EmulateViewport(width, height))
}

// shoot takes a screenshot of the whole page, where a folder is named.
func (b *tab) shoot(name string) {
	if *screens == "" {
		return
	}
	beyond := true
	png, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		metrics, err := cdp.Call(ctx, t, page.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return nil, err
		}
		content := metrics.CSSContentSize
		shot, err := cdp.Call(ctx, t, page.CaptureScreenshot,
			page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond,
				Clip: &page.Viewport{Width: content.Width, Height: min(content.Height, 2400),
					Scale: 1}})
		return shot.Data, err
	})
	if err == nil {
		err = os.MkdirAll(*screens, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(*screens, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Errorf("screenshot %s: %v", name, err)
	}
}

// picture returns what the window shows, as a PNG.
func (b *tab) picture() []byte {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		shot, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		return shot.Data, err
	})
	if err != nil {
		b.failed(err)
	}
	return png
}

// axe is the accessibility checker's script.
var axe = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile("../../.tools/browser/node_modules/axe-core/axe.min.js")
	if err != nil {
		return "", fmt.Errorf("there is no axe-core: `make browser` fetches it: %w", err)
	}
	return string(text), nil
})

// accessible fails for each finding of axe-core on the page, and where the page is wider than the
// window.
func (b *tab) accessible(where string) {
	b.t.Helper()
	script, err := axe()
	if err != nil {
		b.t.Fatal(err)
	}
	eval[float64](b, script+";0")
	found := eval[[]string](b,
		`axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}).then(
		(r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary.slice(0, 300))))`)
	for _, f := range found {
		b.t.Errorf("%s: axe-core: %s", where, f)
	}
	if eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth + 1`) {
		b.t.Errorf("%s: the page is wider than the window", where)
	}
}
