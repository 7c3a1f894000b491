// Package web serves some groups of routes as a function behind the HTTP API.
package web

import (
	"net/http"
	"os"
	"sync"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
)

// maxList is how long a list may be. Lambda carries 6 MB, and the text of JSON may double on its way there.
const maxList = 3_000_000

// Serve answers the routes of the groups of a configuration, which is made while the first event is fetched. It does not return.
func Serve(f onaws.Function, configure func() httpapi.Config) {
	ready := sync.OnceValue(func() http.Handler {
		cfg := configure()
		cfg.Log, cfg.Rate, cfg.MaxList = f.Log, f.Config.Rate, maxList
		api, err := api(f, cfg)
		if err != nil {
			f.Log.Error("can't start", "error", err)
			os.Exit(1)
		}
		return api
	})
	go ready()
	lambda.Start(lambdahttp.Gateway(ready))
}

// api makes the API; JWTs of an issuer are accepted where one is set.
func api(f onaws.Function, cfg httpapi.Config) (*httpapi.API, error) {
	if f.Config.OIDCIssuer != "" {
		verifier, err := oidc.New(oidc.Config{Issuer: f.Config.OIDCIssuer, Audience: f.Config.OIDCAudience})
		if err != nil {
			return nil, err
		}
		cfg.OIDC = verifier
	}
	return httpapi.New(cfg)
}
