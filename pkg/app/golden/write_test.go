package golden

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json"
	"go.etcd.io/bbolt"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/dynamo"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
)

var format = flag.String("write", "", "write the golden of this code into testdata, by this name")

// age of the older part of the dossier when it is recorded: longer than an integration may fail.
const age = 10 * 24 * time.Hour

// TestWrite makes a golden of the code as it is, where -write asks for it. The other tests read it.
func TestWrite(t *testing.T) {
	if *format == "" {
		return
	}
	dir := filepath.Join("testdata", *format)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Run("folder", func(t *testing.T) { writeFolder(t, dir) })
	t.Run("dynamo", func(t *testing.T) { writeDynamo(t, dir) })
}

// begin makes the companies, and what is to be old, with the clock turned back.
func begin(t *testing.T, engine kv.Engine, blobs string, r *receiver) *filler {
	t.Helper()
	old := func() time.Time { return time.Now().Add(-age) }
	s := newService(t, engine, blobs, "http://127.0.0.1", old, host(t, r.URL))
	f := &filler{t: t, ids: map[string]string{"receiver": r.URL}, keys: map[string]string{}}
	for _, name := range []string{"admin", "stranger"} {
		made, err := s.store.CreateCompany(t.Context(), "", "Company of the "+name)
		if err != nil {
			t.Fatal(err)
		}
		f.keys[name] = made.Key.Secret
	}
	s.start(t)
	f.base = s.server.URL
	f.fillBefore(time.Now().Add(-age / 2).UTC().Format(dossier.DateLayout))
	s.stop()
	return f
}

// writeFolder makes the dossier with the standalone process, on a folder.
func writeFolder(t *testing.T, dir string) {
	data, r := t.TempDir(), newReceiver(t)
	db := filepath.Join(data, "dossier.db")
	engine, err := bolt.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	f := begin(t, engine, filepath.Join(data, "blobs"), r)
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"first-start": "done\n",
		"link-secret": hex.EncodeToString(linkSecret)} {
		if err := os.WriteFile(filepath.Join(data, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stop := runStandalone(t, f, data, host(t, r.URL))
	f.fill()
	stop()
	compact(t, db)
	write(t, filepath.Join(dir, "folder.tar.gz"), pack(t, data))

	copied := t.TempDir()
	unpack(t, filepath.Join(dir, "folder.tar.gz"), copied)
	if engine, err = bolt.Open(filepath.Join(copied, "dossier.db")); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	writeRecording(t, engine, filepath.Join(copied, "blobs"), f, dir, "folder")
}

// writeRecording records the answers about the dossier that was made.
func writeRecording(t *testing.T, engine kv.Engine, blobs string, f *filler, dir, name string) {
	t.Helper()
	at := time.Now().UTC().Truncate(time.Millisecond)
	s := newService(t, engine, blobs, base, func() time.Time { return at })
	keys := maps.Clone(f.keys)
	keys["nobody"] = "no key"
	got := crawl(t, s.api, s.blobs.Handler(s.store), recording{At: at, IDs: f.ids, Keys: keys})
	text, err := json.Marshal(got, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, name+".answers.json.gz"), zip(t, text))
	t.Logf("%d answers", len(got.Answers))
}

// runStandalone runs the process until stop is called.
func runStandalone(t *testing.T, f *filler, data, target string) (stop func()) {
	t.Helper()
	out := &output{ready: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	cfg := app.Config{Addr: "127.0.0.1:0", Data: data, Lease: 30 * time.Second, Sweep: time.Second,
		AllowTargets: []string{target}, Seal: sealKey(t)}
	go func() { ended <- standalone.Run(ctx, cfg, out, slog.New(slog.DiscardHandler)) }()
	select {
	case <-out.ready:
	case err := <-ended:
		t.Fatal(err)
	}
	f.base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(out.text)
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// output keeps what the process prints first.
type output struct {
	once  sync.Once
	text  string
	ready chan struct{}
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.once.Do(func() {
		o.text = string(p)
		close(o.ready)
	})
	return len(p), nil
}

// writeDynamo makes the dossier with the same handlers and workers, on a DynamoDB table.
func writeDynamo(t *testing.T, dir string) {
	name, blobs, r := dynamotest.Table(t), t.TempDir(), newReceiver(t)
	client := dynamotest.Client(t)
	engine := dynamo.New(client, name)
	f := begin(t, engine, blobs, r)
	s := newService(t, engine, blobs, base, time.Now, host(t, r.URL))
	s.start(t)
	f.base = s.server.URL
	f.fill()
	s.stop()
	writeRecording(t, engine, blobs, f, dir, "dynamo")
	write(t, filepath.Join(dir, "dynamo.items.json.gz"), zip(t, dump(t, client, name)))
}

// dump returns the items of a table as a list in DynamoDB's JSON.
func dump(t *testing.T, client *dynamodb.Client, name string) []byte {
	t.Helper()
	var items []map[string]map[string]string
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			plain := map[string]map[string]string{}
			for attribute, value := range item {
				switch v := value.(type) {
				case *types.AttributeValueMemberS:
					plain[attribute] = map[string]string{"S": v.Value}
				case *types.AttributeValueMemberN:
					plain[attribute] = map[string]string{"N": v.Value}
				default:
					t.Fatalf("attribute %s is a %T", attribute, value)
				}
			}
			items = append(items, plain)
		}
	}
	text, err := json.Marshal(items, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d items", len(items))
	return text
}

// compact rewrites a database without its free pages.
func compact(t *testing.T, path string) {
	t.Helper()
	from, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	to, err := bbolt.Open(path+".small", 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	small := to.Path()
	err = errors.Join(bbolt.Compact(to, from, 0), from.Close(), to.Close(), os.Rename(small, path))
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", path, len(content))
}

func zip(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pack returns the files of a folder as a compressed archive.
func pack(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, ".incoming") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Typeflag: tar.TypeReg,
			Mode: 0o600, Size: int64(len(content))}); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return zip(t, b.Bytes())
}
