package standalone_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// client calls a standalone process that runs for one test.
type client struct {
	t    *testing.T
	base string
	key  string
}

// send makes a request and returns status, headers and decoded body.
func (c *client) send(method, path string, body any) (int, http.Header, any) {
	c.t.Helper()
	var payload io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		payload = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		payload = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, payload)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		c.t.Fatalf("%s %s answered %d %q: %v", method, path, res.StatusCode, text, err)
	}
	return res.StatusCode, res.Header, v
}

// ok makes a request that has to succeed.
func (c *client) ok(method, path string, body any) any {
	c.t.Helper()
	status, _, v := c.send(method, path, body)
	if status != http.StatusOK {
		c.t.Fatalf("%s %s answered %d %v", method, path, status, v)
	}
	return v
}

func (c *client) post(path, body string) object {
	c.t.Helper()
	return c.ok(http.MethodPost, path, body).(object)
}

func (c *client) list(path string) []any {
	c.t.Helper()
	return c.ok(http.MethodGet, path, nil).([]any)
}

// at follows names and indexes into decoded JSON.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			v = v.(object)[s]
		case int:
			list := v.([]any)
			if s >= len(list) {
				t.Fatalf("%v: only %d elements in %v", path, len(list), v)
			}
			v = list[s]
		}
	}
	return v
}
