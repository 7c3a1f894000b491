// Package openapitest holds answers against the OpenAPI document. It is for tests alone: no binary
// links it.
package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
	"github.com/pb33f/libopenapi-validator/helpers"
	"github.com/pb33f/libopenapi-validator/requests"
	"github.com/pb33f/libopenapi-validator/responses"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	"github.com/pb33f/libopenapi/datamodel/high/base"

	validator "github.com/pb33f/libopenapi-validator"

	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
)

// Validator knows the document. It is safe for concurrent use.
type Validator struct {
	mu        sync.Mutex // one answer at a time
	requests  requests.RequestBodyValidator
	responses responses.ResponseBodyValidator
	schemas   schema_validation.SchemaValidator
	failure   *base.Schema // of every error
}

// build reads the document once for the whole test binary: it takes seconds.
var build = sync.OnceValues(func() (*Validator, error) {
	doc, err := libopenapi.NewDocument(openapi.Document)
	if err != nil {
		return nil, err
	}
	model, err := doc.BuildV3Model()
	if err != nil {
		return nil, err
	}
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions())
	if len(errs) > 0 {
		return nil, errs[0]
	}
	failure, ok := model.Model.Components.Schemas.Get("Error")
	if !ok {
		return nil, fmt.Errorf("the document has no schema Error")
	}
	return &Validator{
		requests:  v.GetRequestBodyValidator(),
		responses: v.GetResponseBodyValidator(),
		schemas:   schema_validation.NewSchemaValidator(config.WithFormatAssertions()),
		failure:   failure.Schema(),
	}, nil
})

// New returns the validator of the committed document. The first call of a process builds it.
func New(t testing.TB) *Validator {
	t.Helper()
	v, err := build()
	if err != nil {
		t.Fatalf("the OpenAPI document can't be used: %v", err)
	}
	return v
}

// Check fails the test if the response does not match the document: a status that the operation
// does not list, a required header that is missing, a body that violates its schema. An address or
// method that the document does not know must get 404 or 405 in the shape of an error. Check also
// fails if a request got 200 whose body the document does not allow. The bodies of req and resp are
// not read.
func (v *Validator) Check(t testing.TB, req *http.Request, reqBody []byte, resp *http.Response,
	respBody []byte) {
	t.Helper()
	for _, problem := range v.problems(req, reqBody, resp, respBody) {
		t.Errorf(
			"%s %s: answered %d, off the OpenAPI document: %s\n\trequest: %.2000s\n\tanswer: %.2000s",
			req.Method, req.URL.RequestURI(), resp.StatusCode, problem, reqBody, respBody)
	}
}

func (v *Validator) problems(req *http.Request, reqBody []byte, resp *http.Response,
	respBody []byte) []string {
	switch req.Method {
	case http.MethodOptions: // it comes with every address and is not in the document
		return nil
	case http.MethodHead:
		if len(respBody) > 0 {
			return []string{"HEAD has no body"}
		}
		return nil
	}
	asked, answered := withBody(req, reqBody), *resp
	answered.Body = io.NopCloser(bytes.NewReader(respBody))
	if len(respBody) == 0 {
		return []string{"an answer has a body"}
	}
	if !json.Valid(respBody) {
		return []string{"the answer is not JSON"}
	}
	// The library renders schemas when it first needs them, without a lock of its own.
	v.mu.Lock()
	defer v.mu.Unlock()
	_, errs := v.responses.ValidateResponseBody(asked, &answered)
	if len(errs) > 0 && errs[0].ValidationType == helpers.PathValidation {
		return v.unknown(resp, respBody)
	}
	if resp.StatusCode == http.StatusOK && len(reqBody) > 0 && mayHaveBody(req.Method) {
		_, more := v.requests.ValidateRequestBody(withBody(req, reqBody))
		for _, e := range more {
			e.Message = "the request was taken, but: " + e.Message
		}
		errs = append(errs, more...)
	}
	return texts(errs)
}

// unknown checks the response at an address or to a method that the document does not know.
func (v *Validator) unknown(resp *http.Response, body []byte) []string {
	if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed {
		return []string{"the document has no such operation"}
	}
	_, errs := v.schemas.ValidateSchemaBytes(v.failure, body)
	problems := texts(errs)
	if resp.StatusCode == http.StatusMethodNotAllowed && resp.Header.Get("Allow") == "" {
		problems = append(problems, "405 without Allow")
	}
	return problems
}

// mayHaveBody reports whether a body of that method is read at all.
func mayHaveBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPatch
}

func withBody(req *http.Request, body []byte) *http.Request {
	r := req.Clone(req.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return r
}

func texts(errs []*errors.ValidationError) []string {
	var out []string
	for _, e := range errs {
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s", e.Message, e.Reason)
		for _, s := range e.SchemaValidationErrors {
			fmt.Fprintf(&b, "\n\t- %s: %s", s.FieldPath, s.Reason)
		}
		out = append(out, b.String())
	}
	return out
}
