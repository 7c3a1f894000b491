// Package pages serves the pages for people as a function behind the HTTP API. It has the whole API
// in process, which the pages call.
package pages

import (
	"context"
	"net/http"
	"os"
	"sync"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
	"github.com/dossierhq/dossier/pkg/web"
)

// Parts is the store that pages load parts from and send them to.
type Parts interface {
	// Origin returns the scheme and host of the store's links and forms.
	Origin(ctx context.Context) (string, error)
}

// Serve answers the pages on an API, which is made while the first event is fetched. It does not
// return.
func Serve(f aws.Function, parts Parts, configure func() httpapi.Config) {
	ready := sync.OnceValue(func() http.Handler {
		site, err := site(f, parts, configure())
		if err != nil {
			f.Log.Error("cannot start", "error", err)
			os.Exit(1)
		}
		return httpapi.BehindProxies(f.Config.Proxies, site)
	})
	go ready()
	lambda.Start(lambdahttp.Gateway(ready))
}

// site returns the pages. Sessions and candidates' tokens are no JWTs, so the API takes none here.
func site(f aws.Function, parts Parts, cfg httpapi.Config) (*web.Site, error) {
	cfg.Log, cfg.Rate, cfg.LogKey = f.Log, f.Config.Rate, []byte(f.Config.LogKey)
	cfg.Requests = cfg.Store
	api, err := httpapi.New(cfg)
	if err != nil {
		return nil, err
	}
	origin, err := parts.Origin(context.Background())
	if err != nil {
		return nil, err
	}
	return web.New(web.Config{API: api, Parts: []string{origin}, Secure: true, URL: f.Config.URL,
		Log: f.Log})
}
