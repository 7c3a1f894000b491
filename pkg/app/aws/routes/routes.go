// Package routes serves groups of routes as a function behind the HTTP API.
package routes

import (
	"net/http"
	"os"
	"sync"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
)

// maxList bounds a list in bytes. Lambda carries 6 MB, and escaping may double JSON on its way
// there.
const maxList = 3_000_000

// Serve answers the routes of a configuration, which is made while the first event is fetched. It
// does not return.
func Serve(f aws.Function, configure func() httpapi.Config) {
	ready := sync.OnceValue(func() http.Handler {
		cfg := configure()
		cfg.Log, cfg.Rate, cfg.MaxList = f.Log, f.Config.Rate, maxList
		cfg.LogKey, cfg.Requests = []byte(f.Config.LogKey), cfg.Store
		api, err := api(f, cfg)
		if err != nil {
			f.Log.Error("cannot start", "error", err)
			os.Exit(1)
		}
		return httpapi.BehindProxies(f.Config.Proxies, api)
	})
	go ready()
	lambda.Start(lambdahttp.Gateway(ready))
}

// api returns the API; it accepts JWTs if an issuer is set.
func api(f aws.Function, cfg httpapi.Config) (*httpapi.API, error) {
	if f.Config.OIDCIssuer != "" {
		verifier, err := oidc.New(oidc.Config{Issuer: f.Config.OIDCIssuer,
			Audience: f.Config.OIDCAudience})
		if err != nil {
			return nil, err
		}
		cfg.OIDC = verifier
	}
	return httpapi.New(cfg)
}
