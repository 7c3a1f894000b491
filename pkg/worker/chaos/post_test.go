package chaos

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/go-json-experiment/json"
)

// post sends JSON to a handler. Any number of goroutines may.
func post(api http.Handler, key, path, body string) answer {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	got := httptest.NewRecorder()
	api.ServeHTTP(got, r)
	a := answer{status: got.Code, header: got.Header()}
	_ = json.Unmarshal(got.Body.Bytes(), &a.body) // what is no object stays nil
	return a
}
