// Package web serves some groups of routes as a function behind the HTTP API.
package web

import (
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/lambdahttp"
)

// Serve answers the routes of cfg.Groups. It does not return.
func Serve(f onaws.Function, cfg httpapi.Config) {
	cfg.Log, cfg.Rate = f.Log, f.Config.Rate
	api, err := httpapi.New(cfg)
	if err != nil {
		f.Log.Error("can't start", "error", err)
		os.Exit(1)
	}
	lambda.Start(lambdahttp.HTTP(api))
}
