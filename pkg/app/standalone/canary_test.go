package standalone_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/processtest"
	"github.com/dossierhq/dossier/pkg/app/standalone"
)

// canary is in every personal field of the test, and nowhere else. canaryDay is for fields that
// take dates only.
const canary, canaryDay = "cnry9x7", "1907-03-11"

// sings reports whether a canary is in a text, as it is or inside something in base64.
func sings(text string) bool {
	for _, c := range []string{canary, canaryDay} {
		for shift := range 3 {
			inside := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + c))
			inside = inside[(shift*8+5)/6 : len(inside)-2]
			if strings.Contains(text, inside) || strings.Contains(text, c) {
				return true
			}
		}
	}
	return false
}

func TestSings(t *testing.T) {
	t.Parallel()
	for n := range 7 {
		text := strings.Repeat("y", n) + canary + strings.Repeat("z", 7-n)
		if !sings(text) || !sings(base64.StdEncoding.EncodeToString([]byte(text))) {
			t.Errorf("%s is not heard", text)
		}
	}
	if sings(base64.StdEncoding.EncodeToString([]byte("the birds are silent"))) {
		t.Error("heard in silence")
	}
}

// TestCanary puts a canary into every personal field, has everything fail that can, and erases the
// candidate: it is in no log line, no error, no event, and after the erasure in nothing that is
// stored.
func TestCanary(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), &processtest.Output{}
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, canary, http.StatusInternalServerError)
	}))
	t.Cleanup(bad.Close)
	parser := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"parsed":{"holder":"`+canary+
			`"},"confidence":0.5,"reasons":[{"code":"BLURRED","reference":"holder","message":"`+
			canary+`"}]}`)
	}))
	t.Cleanup(parser.Close)
	good := newHook(t)
	c, stop := startLogged(t, dir, log, bad, parser, good.Server)
	thin := c.post("/integrations",
		`{"name":"G","triggerEvent":"candidateMessageSent","target":{"type":"webhook","url":"`+
			good.URL+`"}}`)
	good.mu.Lock()
	good.secret = thin["secret"].(string)
	good.mu.Unlock()
	candidate := c.sow(bad.URL, parser.URL)
	c.mistakes(candidate)
	until(t, "a webhook came", func() bool {
		bodies, _, _ := good.received()
		return len(bodies) > 1
	})
	until(t, "a webhook failed", func() bool {
		return len(
			c.list(
				"/integrations/logs?filter[eventName]=candidateDocumentValidated&filter[candidateId]="+candidate)) > 0
	})
	bodies, _, _ := good.received()
	c.silent(candidate, bodies)
	c.ok(http.MethodDelete, "/candidates/"+candidate, nil)
	before := len(log.String())
	until(t, "nothing is due any more", func() bool {
		return strings.Count(log.String()[before:], `"msg":"swept","due":0`) > 3 &&
			strings.Contains(log.String(), "erased data is overwritten")
	})
	stop()
	for line := range strings.Lines(log.String()) {
		if sings(line) {
			t.Errorf("a canary is in the log: %s", line)
		}
	}
	if !strings.Contains(log.String(), "check failed") {
		t.Error("no check failed in the log")
	}
	erased(t, dir, candidate)
}

// silent checks that what the API tells beside the candidate has no canary, and what webhooks got.
func (c *client) silent(candidate string, bodies any) {
	c.t.Helper()
	for what, v := range map[string]any{"events": c.list("/candidates/" + candidate + "/events"),
		"webhooks": bodies, "log": c.list("/integrations/logs"),
		"calls of the parser": c.list("/integrations/parser-calls")} {
		if sings(fmt.Sprint(v)) {
			c.t.Errorf("a canary is in the %s: %v", what, v)
		}
	}
	if len(c.list("/integrations/parser-calls")) == 0 {
		c.t.Error("no call of the parser is logged")
	}
	if all := fmt.Sprint(c.ok(http.MethodGet, "/candidates/"+candidate, nil)); !sings(all) {
		c.t.Errorf("no canary was sown: %s", all)
	}
}

// startLogged starts a process that logs everything, and returns what ends it.
func startLogged(t *testing.T, dir string, log io.Writer,
	targets ...*httptest.Server) (*client, func()) {
	t.Helper()
	cfg := app.Config{Addr: "127.0.0.1:0", Data: dir, Lease: 30 * time.Second,
		Sweep: 100 * time.Millisecond}
	for _, target := range targets {
		u, err := url.Parse(target.URL)
		if err != nil {
			t.Fatal(err)
		}
		cfg.AllowTargets = append(cfg.AllowTargets, u.Host)
	}
	out := &processtest.Output{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- standalone.Run(ctx, cfg, out,
			slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	}()
	<-out.Ready()
	stop := func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the process ended with %v", err)
		}
		ended <- nil
	}
	t.Cleanup(stop)
	key := regexp.MustCompile(`(?m)^admin key: (dsr_\S+)$`).FindStringSubmatch(out.String())
	return &client{t: t, base: regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(
		out.String()), key: key[1]}, stop
}

// sow puts the canary into every personal field of a candidate.
func (c *client) sow(bad, parser string) string {
	t := c.t
	t.Helper()
	id := func(path, format string, args ...any) string {
		t.Helper()
		return c.post(path, fmt.Sprintf(format, args...))["id"].(string)
	}
	id("/customFields", `{"entity":"candidate","reference":"note","label":"N","type":"text"}`)
	id("/customFields", `{"entity":"document","reference":"dnote","label":"N","type":"text"}`)
	form := id("/forms", `{"name":"F","fields":[{"reference":"q","label":"Q","type":"text"}]}`)
	for _, payload := range []string{"full", "thin"} {
		id("/integrations",
			`{"name":"B","triggerEvent":"candidateDocumentValidated","payload":%q,"target":{"type":"webhook","url":%q}}`, payload, bad)
	}
	asked := id("/documentTypes", `{"name":"A"}`)
	read := id("/documentTypes",
		`{"name":"J","check":{"parser":"json","decision":"automatic"},"writeBack":[{"from":"holder.name","to":"cf_note"}],"submission":{"rules":[
		{"conditionsType":"and","conditions":[{"type":"fields","reference":"holder.name","operator":"isNotEmpty"},{"type":"context","reference":"lastName","operator":"isNotEmpty"}],
		"actions":[{"type":"addDocumentType","value":%q}]}]}}`, asked)
	remote := `{"name":"H","check":{"parser":"http","decision":"automatic","http":{"url":%q}}}`
	failing, doubting := id("/documentTypes", remote, bad), id("/documentTypes", remote, parser)
	byHand := id("/documentTypes", `{"name":"M","check":{"parser":"none","decision":"manual"}}`)
	sown := fmt.Sprintf(
		`{"externalId":"%[1]s-x","firstName":"%[1]s","lastName":"%[1]s","email":"%[1]s@example.com","phone":"%[1]s","birthDate":"%[2]s",
		"language":"nl-%[1]s","customFields":{"note":"%[1]s"}`, canary, canaryDay)
	candidate := id("/candidates", `%s,"formIds":[%q],"documentTypeIds":[%q,%q,%q]}`, sown, form,
		read, failing, doubting)
	own := "/candidates/" + candidate
	c.ok(http.MethodPatch, own, `{"firstName":"`+canary+` again"}`)
	c.post(own+"/forms/"+form, `{"answers":{"q":"`+canary+`"}}`)
	c.post(own+"/reject", `{"reason":"`+canary+`"}`)
	c.post(own+"/reopen", ``)
	c.post(own+"/passVerification", `{"status":"failed","reason":"`+canary+`"}`)
	c.post(own+"/messages", `{"text":"`+canary+`"}`)
	c.retried(own+"/messages", `{"text":"`+canary+`"}`)
	reviewed := id("/candidateDocumentTypes",
		`{"candidateId":%q,"documentTypeId":%q,"metadata":{"m":%q},"customFields":{"dnote":%q}}`,
		candidate, byHand, canary, canary)
	request := func(documentType string) string { return "cdt_" + candidate[4:] + documentType[4:] }
	c.uploadJSON(request(read))
	c.uploadJSON(request(failing))
	c.uploadJSON(request(doubting))
	until(t, "the documents are checked", func() bool {
		state := func(documentType string) any {
			return at(t, c.ok(http.MethodGet, "/candidateDocumentTypes/"+request(documentType),
				nil), "state")
		}
		return state(read) == "validated" && state(doubting) == "needsResubmission"
	})
	c.rejectByHand(reviewed)
	return candidate
}

// rejectByHand uploads a document and rejects it.
func (c *client) rejectByHand(reviewed string) {
	c.t.Helper()
	c.postPending(reviewed)
	c.post("/candidateDocumentTypes/"+reviewed+"/upload",
		fmt.Sprintf(
			`{"parts":[{"name":"%[1]s","fileName":"%[1]s.pdf","contentType":"application/pdf","content":%[2]q}]}`,
			canary, base64.StdEncoding.EncodeToString([]byte("%PDF-1.4\n"+canary+"\n%%EOF\n"))))
	until(c.t, "the document waits for a decision", func() bool {
		return at(c.t, c.ok(http.MethodGet, "/candidateDocumentTypes/"+reviewed, nil), "state") !=
			"processing"
	})
	c.post("/candidateDocumentTypes/"+reviewed+"/reject", `{"reason":"`+canary+`"}`)
}

// retried sends a request under an Idempotency-Key, whose answer is kept.
func (c *client) retried(path, body string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path,
		strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + c.key},
		"Content-Type": {"application/json"}, "Idempotency-Key": {"k"}}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		c.t.Fatalf("%d %v", res.StatusCode, err)
	}
}

const canaryJSON = `{"holder":{"name":"` + canary + `","born":"` + canaryDay + `"}}`

func (c *client) uploadJSON(request string) {
	c.t.Helper()
	c.post("/candidateDocumentTypes/"+request+"/upload",
		fmt.Sprintf(
			`{"parts":[{"name":"front","fileName":"%s.json","contentType":"application/json","content":%q}]}`,
			canary, base64.StdEncoding.EncodeToString([]byte(canaryJSON))))
}

// behindPartition holds the bytes that the embedded store writes between the two texts of a key.
// Without it the partition of a company whose ULID ends in A would count as a candidate.
const behindPartition = "\x00\x01"

// erased opens what the process left: no canary in any item or file, and the skeleton of events.
func erased(t *testing.T, dir, candidate string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "dossier.db"), 0o600,
		&bbolt.Options{ReadOnly: true, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	kept := map[string]int{}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				if sings(string(k)) || sings(string(v)) {
					t.Errorf("a canary is in %s: %q: %.600q", bucket, k, v)
				}
				for _, kind := range []string{"A#CAND", "B#CDT#", "DOC#", "RUN#", "EVT#", "LOG#",
					"DLV#", "PCL#"} {
					if string(bucket) == "items" &&
						bytes.Contains(k, []byte(behindPartition+kind)) &&
						bytes.Contains(k, []byte(candidate[4:])) {
						kept[kind]++
					}
				}
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept["A#CAND"] != 1 || kept["B#CDT#"] < 5 || kept["DOC#"] < 4 || kept["RUN#"] < 1 ||
		kept["EVT#"] < 10 || kept["LOG#"]+kept["DLV#"] < 3 || kept["PCL#"] != 0 {
		t.Errorf("of the skeleton there is %v", kept)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if sings(string(content)) || sings(path) {
			t.Errorf("a canary is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
