//go:build e2e

package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

type object = map[string]any

// company is a company of one test, made by the provision function, and its administrator calling
// over the HTTP API.
type company struct {
	t    *testing.T
	id   string
	key  string
	http *http.Client
}

func provision(t *testing.T) *company {
	t.Helper()
	answer, err := stack.invoke("provision", fmt.Appendf(nil, `{"name":%q}`, t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID  string `json:"id"`
		Key struct {
			Secret string `json:"secret"`
		} `json:"key"`
	}
	if err := json.Unmarshal(answer, &made); err != nil || made.Key.Secret == "" {
		t.Fatalf("provision answered %s, %v", answer, err)
	}
	return &company{t, made.ID, made.Key.Secret, stack.client()}
}

// send makes a request and returns status, headers and decoded body. The emulated gateway may stall
// while a killed function is started again; what only reads is asked for once more then.
func (c *company) send(method, path, body string) (int, http.Header, any) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, stack.api+path,
		bytes.NewReader([]byte(body)))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(r)
	if err != nil && method == http.MethodGet {
		response, err = c.http.Do(r)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		c.t.Fatalf("%s %s answered %d %q: %v", method, path, response.StatusCode, text, err)
	}
	return response.StatusCode, response.Header, v
}

// ok makes a request that has to succeed.
func (c *company) ok(method, path, body string) any {
	c.t.Helper()
	status, _, v := c.send(method, path, body)
	if status != http.StatusOK {
		c.t.Fatalf("%s %s answered %d %v", method, path, status, v)
	}
	return v
}

func (c *company) post(path, format string, args ...any) object {
	c.t.Helper()
	return c.ok(http.MethodPost, path, fmt.Sprintf(format, args...)).(object)
}

func (c *company) get(path string) any {
	c.t.Helper()
	return c.ok(http.MethodGet, path, "")
}

// until asks again until it is so.
func (c *company) until(what string, patience time.Duration, is func() bool) {
	c.t.Helper()
	if err := poll(patience, is); err != nil {
		c.t.Fatalf("it never came to be that %s: %v", what, err)
	}
}

// at follows names and indexes into decoded JSON.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for n, step := range path {
		switch s := step.(type) {
		case string:
			o, ok := v.(object)
			if !ok {
				t.Fatalf("%v: no object in %v", path[:n], v)
			}
			v = o[s]
		case int:
			list, ok := v.([]any)
			if !ok || s >= len(list) {
				t.Fatalf("%v: no element %d in %v", path[:n], s, v)
			}
			v = list[s]
		}
	}
	return v
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(project + "/pkg/check/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func inline(content []byte) string {
	return fmt.Sprintf(
		`{"parts":[{"name":"front","fileName":"permit.pdf","contentType":"application/pdf","content":%q}]}`,
		base64.StdEncoding.EncodeToString(content))
}
