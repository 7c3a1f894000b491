// Package httpapi serves the HTTP interface. It knows no AWS. Its files:
//
//   - A request, in order: api.go (the steps), route.go and routes.go (the table of routes and
//     scopes), auth.go (authentication), limits.go (rates), query.go and body.go, decode.go with
//     explain.go and nulls.go (strict JSON, every mistake at once), idempotency.go.
//   - A response: visible.go (what the caller may see), response.go (encoding, limits of bytes,
//     streamed lists), error.go (the one renderer of errors) with notfound.go, log.go (the one
//     log line).
//   - What a caller may give: give.go.
//   - Settings, each a resource of five routes (settings.go): documenttypes.go, scenarios.go,
//     forms.go, presets.go, customfields.go, pages.go, integrations.go, keys.go,
//     signinproviders.go.
//   - The rest: candidates.go, requests.go with the upload files (candidate document types),
//     messages.go, tokens.go, overview.go and public.go, logs.go (deliveries), initrequest.go,
//     simulate.go, ruleversions.go, companies.go, sessions.go, signin.go (at a company's own
//     provider), service.go and document.go (the OpenAPI document).
//
// The inputs of requests, their validation and limits are in pkg/dossier. The texts of a resource
// in the OpenAPI document, and the samples of its routes, are in openapi_<resource>_test.go;
// TestOpenAPI writes the document with -update.
package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/time/rate"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
)

// Verifier verifies JWTs of the configured OIDC issuer and returns their principal. A JWT that it
// does not accept is UNAUTHORIZED; an issuer that can't be reached is UNAVAILABLE.
type Verifier interface {
	Verify(ctx context.Context, raw string) (dossier.Principal, error)
}

// People asks sign-in providers who somebody is. A provider that does not answer is UNAVAILABLE.
type People interface {
	// Begin returns the address at the provider that a browser goes to.
	Begin(ctx context.Context, with dossier.SignInExchange) (url string, err error)
	// Finish returns the person for whom the provider gave a browser the code. What is not
	// accepted is UNAUTHORIZED or FORBIDDEN.
	Finish(ctx context.Context, with dossier.SignInExchange, code string) (dossier.SignedIn, error)
}

// Config holds the settings of an API. Defaults for unset fields are in brackets.
type Config struct {
	Store  *store.Store
	Keys   credentials // where keys and tokens are found [Table]
	Groups []Group     // which routes to answer, beside /healthz [no others]
	// Version is the program's, as /healthz answers it ["unknown"].
	Version string
	Log     *slog.Logger // one line for each request [slog.Default]
	// LogKey makes the labels of clients in the log from their addresses [random]. The processes
	// of one installation have the same.
	LogKey []byte
	// Observe gets each answered request [nobody]. It must not wait.
	Observe func(Served)
	Tracer  trace.Tracer     // makes a span of each request [there are none]
	Now     func() time.Time // [time.Now]
	Rate    float64          // requests per second of one key or token in this process [50]
	Burst   int              // of the same [100]
	// CompanyRate and CompanyBurst are the same for all keys of a company together, and once more
	// for the tokens of its candidates [four times those of a key].
	CompanyRate  float64
	CompanyBurst int
	Requests     RequestCounter // makes them limits of all processes together [of each]
	// SimulationShare is the time that simulations of one company may take, in seconds per second,
	// and SimulationBurst the time after a quiet one [0.25 and 20 s]. Requests makes
	// them limits of all processes together.
	SimulationShare float64
	SimulationBurst time.Duration
	// GuestRate and GuestBurst are the same for one address that calls without a key [1 and 20].
	GuestRate  float64
	GuestBurst int
	// FailureRate and FailureBurst are the failed authentications of one address [10 and 100]. An
	// address with more of them is refused until some time has passed.
	FailureRate  float64
	FailureBurst int
	// BodyTime bounds the time in which a request body has to arrive, UploadTime that of an upload
	// [20 s and 2 min].
	BodyTime, UploadTime time.Duration
	// MaxList limits the bytes of a list; a page ends sooner then [3 MB]. Unless it is set, a list
	// of messages without page[size] is streamed whole.
	MaxList int
	OIDC    Verifier // nil: no JWT is accepted
	People  People   // nil: signing in at a provider is UNAVAILABLE
	Blobs   Blobs    // of parts; needed for GroupDocuments
	// runs the rules of a manual validation [the notified worker, a moment later]
	Rules RuleRunner
	// What the routes of integrations and document types need: which addresses may be reached, who
	// tries one, and new signing secrets.
	Targets   Targets
	Prober    Prober
	NewSecret func() string
	// OpenAPI is the response of /openapi.json [nothing: 404]. It is large, and linked only into a
	// binary that sets it.
	OpenAPI []byte
}

// API is the http.Handler of the routes of some groups.
type API struct {
	cfg         Config
	store       *store.Store
	caller      *caller
	limits      *limits
	companies   *limits          // by company
	together    *companyLimit    // the same, of all processes
	guests      *limits          // by address
	pages       *limits          // by registration page
	simulations *simulationLimit // of rules, by company
	samples     *slots           // sent to addresses of a company's choice, by company
	providers   *slots           // people who sign in at a company's providers, by company
	failures    *limits          // failed authentications, by address
	document    func() *document // Config.OpenAPI, compressed when it is first asked for
	stored      storedResponses
	underWay    atomic.Int64 // bytes of the responses that are being sent
	streams     bool         // uncut lists are streamed
	paths       []*endpoint
	mux         *http.ServeMux
}

// New makes the API. It returns an error, and nothing starts, for a route without a scope and for a
// route that is there twice.
func New(cfg Config) (*API, error) {
	if cfg.Store == nil {
		return nil, errors.New("httpapi: no table")
	}
	if cfg.Keys == nil {
		cfg.Keys = cfg.Store
	}
	if cfg.Blobs == nil && cfg.serves("documents") {
		return nil, errors.New("httpapi: no blobs")
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	a := &API{store: cfg.Store}
	return a.build(cfg, cfg.Store, a.routes(cfg.Groups))
}

// withDefaults sets the defaults of unset fields.
func (cfg Config) withDefaults() Config {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	cfg.Version = cmp.Or(cfg.Version, "unknown")
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if len(cfg.LogKey) == 0 {
		cfg.LogKey = newLogKey()
	}
	cfg.BodyTime = cmp.Or(cfg.BodyTime, 20*time.Second)
	cfg.UploadTime = cmp.Or(cfg.UploadTime, 2*time.Minute)
	cfg.SimulationShare = cmp.Or(cfg.SimulationShare, defaultSimulationShare)
	cfg.SimulationBurst = cmp.Or(cfg.SimulationBurst, defaultSimulationBurst)
	const companyShare = 4
	for _, limit := range []struct {
		rate         *float64
		burst        *int
		defaultRate  float64
		defaultBurst int
	}{
		{&cfg.Rate, &cfg.Burst, 50, 100},
		{&cfg.CompanyRate, &cfg.CompanyBurst, companyShare * cmp.Or(cfg.Rate, 50),
			companyShare * cmp.Or(cfg.Burst, 100)},
		{&cfg.GuestRate, &cfg.GuestBurst, 1, 20},
		{&cfg.FailureRate, &cfg.FailureBurst, 10, 100},
	} {
		if *limit.rate <= 0 {
			*limit.rate = limit.defaultRate
		}
		if *limit.burst <= 0 {
			*limit.burst = limit.defaultBurst
		}
	}
	return cfg
}

// build wires the framework to a table of routes and to the store of responses.
func (a *API) build(cfg Config, stored storedResponses, routes []route) (*API, error) {
	cfg = cfg.withDefaults()
	a.streams = cfg.MaxList == 0
	cfg.MaxList = cmp.Or(cfg.MaxList, defaultMaxList)
	a.cfg = cfg
	a.caller = newCaller(cfg.Keys, cfg.OIDC, cfg.Now)
	a.limits = newLimits(rate.Limit(cfg.Rate), cfg.Burst)
	a.companies = newLimits(rate.Limit(cfg.CompanyRate), cfg.CompanyBurst)
	a.together = newCompanyLimit(cfg)
	a.failures = newLimits(rate.Limit(cfg.FailureRate), cfg.FailureBurst)
	a.document = sync.OnceValue(func() *document { return newDocument(a.cfg.OpenAPI) })
	a.guests = newLimits(rate.Limit(cfg.GuestRate), cfg.GuestBurst)
	a.pages = newLimits(rate.Limit(cfg.GuestRate), 5*cfg.GuestBurst)
	a.simulations = newSimulationLimit(cfg)
	a.samples = &slots{limit: maxSamples, taken: map[string]int{}}
	a.providers = &slots{limit: maxSignIns, taken: map[string]int{}}
	a.stored = stored
	var err error
	if a.paths, err = endpoints(routes); err != nil {
		return nil, err
	}
	a.mux, err = a.newMux()
	return a, err
}

// newMux registers one pattern for each path; the methods of a path are told apart by its endpoint.
// Two patterns of which neither is the more specific make the mux panic, which is an error of the
// route table like the others.
func (a *API) newMux() (mux *http.ServeMux, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("httpapi: %v", p)
		}
	}()
	mux = http.NewServeMux()
	for _, e := range a.paths {
		mux.HandleFunc(e.path, func(w http.ResponseWriter, r *http.Request) { a.serve(e, w, r) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.serve(nil, w, r) })
	return mux, nil
}

// ServeHTTP answers one request. A path that the mux would tidy up and redirect is no address of
// this API.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if outer, ok := w.(*recorder); ok { // this package writes the line
		outer.isAPI, w = true, outer.ResponseWriter
	}
	if r.RequestURI == "*" || !strings.HasPrefix(r.URL.Path, "/") ||
		path.Clean(r.URL.Path) != r.URL.Path || r.Method == http.MethodConnect {
		a.serve(nil, w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// serve answers a request to an endpoint, nil where the path has none, and writes its log line.
func (a *API) serve(e *endpoint, w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		request:  &request{Request: r, id: requestID(r, a.cfg.Now())},
		endpoint: e,
		w:        w,
		start:    a.cfg.Now(),
	}
	end := a.startSpan(e, x)
	x.response = a.respond(e, x)
	size := int64(len(x.response.body))
	defer a.underWay.Add(-size)
	if a.underWay.Add(size) > maxUnderWay && x.err == nil {
		x.err = errBusy
		x.response = a.render(x, errBusy)
	}
	broken := x.write()
	if broken != nil {
		x.err = fmt.Errorf("stream a list: %w", broken)
	}
	a.log(e, x)
	end(trace.Outcome{Err: broken, Failed: x.response.status >= http.StatusInternalServerError,
		Status: x.response.status, Code: x.response.code})
	x.drain()
	if broken != nil {
		panic(http.ErrAbortHandler) // the client has to see that the list is not complete
	}
}

// respond runs the steps of a request and renders the result. A panic is an unknown error.
func (a *API) respond(e *endpoint, x *exchange) (resp response) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			x.err = dossier.Panicked(p)
			resp = a.render(x, x.err)
		}
	}()
	resp, err := a.run(e, x)
	if err != nil {
		x.err = err
		return a.render(x, err)
	}
	return resp
}

// run routes, authenticates, authorizes and decodes a request, then calls its handler.
func (a *API) run(e *endpoint, x *exchange) (response, error) {
	if e == nil || !validParams(e, x.Request) {
		return response{}, dossier.ErrNotFound
	}
	if x.Method == http.MethodOptions {
		return e.options(), nil
	}
	rt := e.find(x.Method)
	if rt == nil {
		x.allow = e.allow
		return response{}, dossier.Errorf(dossier.CodeMethodNotAllowed,
			"This address supports the methods %s.",
			e.allow)
	}
	x.route = rt
	if err := a.authorize(x); err != nil {
		return response{}, err
	}
	if err := x.readQuery(); err != nil {
		return response{}, err
	}
	if err := x.restrictToOwn(); err != nil {
		return response{}, err
	}
	if err := a.readBody(x); err != nil {
		return response{}, err
	}
	ctx := store.WithCorrelation(x.Context(), x.id)
	if x.principal.Kind != "" {
		ctx = store.WithActor(ctx, x.principal.Actor())
	}
	ctx, kept, err := a.idempotent(ctx, x.request)
	if err != nil {
		return response{}, err
	}
	if kept != nil {
		return x.done(kept)
	}
	x.Request = x.WithContext(ctx)
	if !a.streams {
		x.limit = maxUncut
	}
	result, err := rt.handle(x.request)
	if again := (*store.Replayed)(nil); errors.As(err, &again) {
		return x.done(again.Response)
	}
	if err != nil {
		return response{}, err
	}
	return a.fitToLimit(x.request, result)
}

// requestID returns the client's id of the request where it is a plain short text, else a new one.
func requestID(r *http.Request, now time.Time) string {
	if id := r.Header.Get("X-Request-Id"); validRequestID(id) {
		return id
	}
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

func validRequestID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '.' && c != '_' && c != '-' && c != '=' { // API Gateway's end with one
			return false
		}
	}
	return true
}
