package client

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Client sends requests with one key to one installation. It is safe for concurrent use once its
// fields are set.
type Client struct {
	// HTTP sends the requests; nil is http.DefaultClient.
	HTTP *http.Client
	// Attempts bounds how often a request is sent that may be sent again; 0 is 5.
	Attempts uint

	base, key string
	pause     time.Duration // before the second attempt, at random around it; 0 is half a second
}

// New returns a client of the installation at an address such as https://dossier.example.com. The
// key may also be the token of a session or a candidate; without one, only public requests succeed.
func New(base, key string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil,
			fmt.Errorf(
				"%q is not the address of an installation, such as https://dossier.example.com",
				base)
	}
	return &Client{base: strings.TrimRight(base, "/"), key: key}, nil
}

// Response is the answer to an operation that succeeded.
type Response[T any] struct {
	Value     T
	ETag      string // the version of Value, for IfMatch of an update; empty where there is none
	RequestID string
}

// call is a request before it is sent.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any
	idempotent   bool // the operation takes an Idempotency-Key
}

// path fills the ids into the path of an operation.
func path(format string, ids ...string) string {
	escaped := make([]any, len(ids))
	for n, id := range ids {
		escaped[n] = url.PathEscape(id)
	}
	return fmt.Sprintf(format, escaped...)
}

// addQuery adds a parameter that is not nil, each element of a list by itself.
func (r *call) addQuery(name string, value any) {
	if r.query == nil {
		r.query = url.Values{}
	}
	for _, text := range texts(value) {
		r.query.Add(name, text)
	}
}

// addHeader adds a header that is not nil.
func (r *call) addHeader(name string, value any) {
	if r.header == nil {
		r.header = http.Header{}
	}
	for _, text := range texts(value) {
		r.header.Add(name, text)
	}
}

// texts returns the texts of a parameter, which is a scalar, a list, or a pointer to one.
func texts(value any) (list []string) {
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Slice {
		return []string{fmt.Sprint(v)}
	}
	for n := range v.Len() {
		list = append(list, fmt.Sprint(v.Index(n)))
	}
	return list
}
