package golden

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/dynamo"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
)

// TestFolder opens the data folder of each format with the handlers, at the moment it was recorded.
func TestFolder(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, dir string) {
		r := read(t, dir, "folder")
		engine, data := openFolder(t, dir)
		opens(t, engine, filepath.Join(data, "blobs"), dir, r)
	})
}

// TestDynamo opens the DynamoDB table of each format with the handlers, at the moment it was
// recorded.
func TestDynamo(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, dir string) {
		opens(t, openTable(t, dir), t.TempDir(), dir, read(t, dir, "dynamo"))
	})
}

// opens compares every GET, and sends again what was sent under a key, and the end of an upload.
func opens(t *testing.T, engine kv.Engine, blobs, dir string, r recording) {
	t.Helper()
	s := newService(t, engine, blobs, base, func() time.Time { return r.At })
	c := comparison{t: t, h: s.api, exceptions: exceptions[filepath.Base(dir)], volatile: notData}
	c.run(r)
	server := httptest.NewServer(s.api)
	defer server.Close()
	f := &filler{t: t, base: server.URL, key: "admin", ids: maps.Clone(r.IDs), keys: r.Keys}
	f.make("again", "/candidates/$bob/messages", `{"text":"Hello Bob"}`, "Idempotency-Key", "m1")
	if f.ids["again"] != r.IDs["m1"] {
		t.Errorf("the message of the Idempotency-Key was %s and is %s", r.IDs["m1"], f.ids["again"])
	}
	problem := f.do(http.StatusConflict, "POST", "/candidateDocumentTypes/$announcedFor/upload",
		`{"uploadId":"$announced","commit":true}`).(map[string]any)
	if problem["code"] != "UPLOAD_INCOMPLETE" {
		t.Errorf("the end of an announced upload: %v", problem)
	}
}

// TestStandalone opens the data folder of each format with the standalone process, today, and
// follows the links to parts.
func TestStandalone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds: part of `make test`")
	}
	eachFormat(t, func(t *testing.T, dir string) {
		data := t.TempDir()
		unpack(t, filepath.Join(dir, "folder.tar.gz"), data)
		p, err := standalone.Open(app.Config{Data: data, URL: base, Seal: sealKey(t)},
			slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		c := comparison{t: t, h: p.Handler(), exceptions: exceptions[filepath.Base(dir)],
			parts: true,
			// A token is valid for a day, and the overview counts from today.
			skip: func(a answer) bool {
				return a.Key == "bobToken" || strings.HasSuffix(a.Path, "/tokens") ||
					a.Path == "/overview"
			},
			volatile: func(a answer, at jsontext.Pointer) bool {
				return notData(a, at) || a.Part != nil && at == "/expiresAt" ||
					strings.HasSuffix(string(at), "/lastUsedAt") ||
					// the day of the last use is noted
					at == "#header/ETag" && strings.HasPrefix(a.Path, "/keys/")
			}}
		c.run(read(t, dir, "folder"))
	})
}

// TestWork has the workers go on with what was open in each format: a check whose worker was
// stopped, and deliveries that failed.
func TestWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds: part of `make test`")
	}
	eachFormat(t, func(t *testing.T, dir string) {
		t.Run("folder", func(t *testing.T) {
			t.Parallel()
			engine, data := openFolder(t, dir)
			goOn(t, engine, filepath.Join(data, "blobs"), read(t, dir, "folder"))
		})
		t.Run("dynamo", func(t *testing.T) {
			t.Parallel()
			goOn(t, openTable(t, dir), t.TempDir(), read(t, dir, "dynamo"))
		})
	})
}

// goOn starts the workers an hour after the recording, with a clock that makes five minutes of a
// second: a check that fails is tried again for an hour. The customer's systems are not there.
func goOn(t *testing.T, engine kv.Engine, blobs string, r recording) {
	began := time.Now()
	s := newService(t, engine, blobs, base, func() time.Time {
		return r.At.Add(time.Hour + 300*time.Since(began))
	})
	s.start(t)
	defer s.stop()
	f := &filler{t: t, base: s.server.URL, key: "admin", ids: r.IDs, keys: r.Keys}
	f.until("/candidateDocumentTypes/$hanging", "state", "checkFailed")
	// The lists of later formats have what was written before them, after their task.
	for _, list := range []string{"/candidates?filter[search]=bob",
		"/candidates?filter[missing]=$typeCard"} {
		f.wait(func() string { return "candidates in " + list }, func() bool {
			return len(f.list(list)) > 0
		})
	}
	failed := "/integrations/logs?filter[integrationId]=$rejections"
	f.wait(func() string { return "another attempt of " + failed }, func() bool {
		return slices.ContainsFunc(f.list(failed), func(e map[string]any) bool {
			attempts := e["attempts"].([]any)
			newest := attempts[len(attempts)-1].(map[string]any)
			return newest["at"].(string) > r.At.Format(time.RFC3339)
		})
	})
}

// notData reports whether no data is there: the address of a link to a part, which works for
// minutes only, or the version of the program.
func notData(a answer, at jsontext.Pointer) bool {
	return partPath.MatchString(a.Path) && at == "/url" || a.Path == "/healthz" && at == "/version"
}

// eachFormat runs a test on each folder of testdata.
func eachFormat(t *testing.T, test func(t *testing.T, dir string)) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no formats: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
	}
}

// read returns the answers of a format.
func read(t *testing.T, dir, name string) recording {
	t.Helper()
	var r recording
	path := filepath.Join(dir, name+".answers.json.gz")
	if err := json.Unmarshal(unzip(t, path), &r); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return r
}

// openFolder opens a copy of a data folder.
func openFolder(t *testing.T, dir string) (engine *bolt.Engine, data string) {
	t.Helper()
	data = t.TempDir()
	unpack(t, filepath.Join(dir, "folder.tar.gz"), data)
	engine, err := bolt.Open(filepath.Join(data, "dossier.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return engine, data
}

// openTable writes the items of a format into a new table, as they are.
func openTable(t *testing.T, dir string) *dynamo.Engine {
	t.Helper()
	var items []map[string]map[string]string
	text := unzip(t, filepath.Join(dir, "dynamo.items.json.gz"))
	if err := json.Unmarshal(text, &items); err != nil {
		t.Fatal(err)
	}
	client, name := dynamotest.Client(t), dynamotest.Table(t)
	for some := range slices.Chunk(items, 25) {
		var puts []types.WriteRequest
		for _, plain := range some {
			item := map[string]types.AttributeValue{}
			for attribute, value := range plain {
				if s, ok := value["S"]; ok {
					item[attribute] = &types.AttributeValueMemberS{Value: s}
				} else {
					item[attribute] = &types.AttributeValueMemberN{Value: value["N"]}
				}
			}
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		out, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{name: puts}})
		if err != nil || len(out.UnprocessedItems) > 0 {
			t.Fatalf("write items: %v, %d left", err, len(out.UnprocessedItems))
		}
	}
	return dynamo.New(client, name)
}

// unzip returns the content of a compressed file.
func unzip(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return content
}

// unpack writes the files of an archive into a folder.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(unzip(t, archive)))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !filepath.IsLocal(h.Name) {
			t.Fatalf("%s: %v", archive, err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
