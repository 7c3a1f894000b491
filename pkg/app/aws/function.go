// Package aws holds what every function on AWS has: its settings, its log and the table. The other
// clients come from the packages that use them, so that a function links only its own. The SDK's
// loading of shared configuration is not used: a function has all it needs in its environment, and
// loading costs start time.
package aws

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/kv/dynamo"
	"github.com/dossierhq/dossier/pkg/store"
)

// Function holds the settings of one function.
type Function struct {
	Config app.Config
	Log    *slog.Logger
	AWS    sdk.Config
}

// New reads the environment; an invalid setting ends the process.
func New() Function {
	cfg, err := app.FromEnv(os.Getenv)
	log := slog.New(invocations{app.Log(cfg.LogLevel).Handler()})
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	f := Function{Config: cfg, Log: log, AWS: fromEnv(os.Getenv)}
	go f.connect()
	return f
}

// connect opens the connection that the first call to the table will use, while the rest of the
// function starts: the handshake takes most of a first call. DynamoDB answers the request as a
// health check, which needs no rights and costs nothing. An error here is left to the first call.
func (f Function) connect() {
	ctx, stop := context.WithTimeout(context.Background(), callTimeout)
	defer stop()
	endpoint, err := dynamodb.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx,
		dynamodb.EndpointParameters{Region: &f.AWS.Region, Endpoint: f.AWS.BaseEndpoint})
	if err != nil {
		return
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint.URI.String(), nil)
	if err != nil {
		return
	}
	if response, err := f.AWS.HTTPClient.Do(r); err == nil {
		// a connection is reused once its response is read
		_, _ = io.CopyN(io.Discard, response.Body, 1<<10)
		_ = response.Body.Close()
	}
}

// callTimeout bounds one request to an AWS service.
const callTimeout = 5 * time.Second

// fromEnv reads what Lambda puts into the environment. AWS_ENDPOINT_URL points elsewhere, for
// tests.
func fromEnv(getenv func(string) string) sdk.Config {
	cfg := sdk.Config{
		Region:     getenv("AWS_REGION"),
		HTTPClient: awshttp.NewBuildableClient().WithTimeout(callTimeout),
		Credentials: sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) {
			return sdk.Credentials{
				AccessKeyID:     getenv("AWS_ACCESS_KEY_ID"),
				SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"),
				SessionToken:    getenv("AWS_SESSION_TOKEN"), Source: "environment",
			}, nil
		}),
	}
	if endpoint := getenv("AWS_ENDPOINT_URL"); endpoint != "" {
		cfg.BaseEndpoint = sdk.String(endpoint)
	}
	return cfg
}

// Store returns the store on the table of the stack. notifier, which may be nil, is told of new
// tasks.
func (f Function) Store(notifier store.Notifier) *store.Store {
	engine := dynamo.New(dynamodb.NewFromConfig(f.AWS), f.Config.Table)
	cfg := store.Config{Notifier: notifier, Lease: f.Config.Lease, Sweep: f.Config.Sweep,
		OpenShards: f.Config.OpenShards, LateForms: true}
	if f.Config.Seal != nil {
		cfg.Seal = f.Config.Seal
	}
	return store.New(engine, cfg)
}
