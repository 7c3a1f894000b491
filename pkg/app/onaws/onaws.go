// Package onaws is what every function on AWS has: its settings, its log, and the table. Each client that not every function needs is
// a package of its own beside it. The SDK's own loading of shared configuration is not used: a function has all it needs in its
// environment, and loading costs start time.
package onaws

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/kv/dynamo"
	"github.com/dossierhq/dossier/pkg/store"
)

// Function is one function's settings.
type Function struct {
	Config app.Config
	Log    *slog.Logger
	AWS    aws.Config
}

// New reads the environment; a setting that can't be read ends the process.
func New() Function {
	log := slog.New(invocations{app.Log().Handler()})
	cfg, err := app.FromEnv(os.Getenv)
	if err != nil {
		log.Error("can't start", "error", err)
		os.Exit(1)
	}
	f := Function{Config: cfg, Log: log, AWS: fromEnv(os.Getenv)}
	go f.connect()
	return f
}

// connect opens the connection that the first call to the table will use, while the rest of the function starts: the handshake is
// most of what a first call takes. DynamoDB answers the request as a health check: it needs no rights and costs nothing. What goes
// wrong with it, the first call will say.
func (f Function) connect() {
	ctx, stop := context.WithTimeout(context.Background(), callTimeout)
	defer stop()
	endpoint, err := dynamodb.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx, dynamodb.EndpointParameters{Region: &f.AWS.Region, Endpoint: f.AWS.BaseEndpoint})
	if err != nil {
		return
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint.URI.String(), nil)
	if err != nil {
		return
	}
	if answer, err := f.AWS.HTTPClient.Do(r); err == nil {
		_, _ = io.CopyN(io.Discard, answer.Body, 1<<10) // a connection is used again once its answer is read
		_ = answer.Body.Close()
	}
}

// callTimeout bounds one request to an AWS service.
const callTimeout = 5 * time.Second

// fromEnv is what Lambda puts into the environment of a function. AWS_ENDPOINT_URL points elsewhere, for tests.
func fromEnv(getenv func(string) string) aws.Config {
	cfg := aws.Config{
		Region:     getenv("AWS_REGION"),
		HTTPClient: awshttp.NewBuildableClient().WithTimeout(callTimeout),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"),
				SessionToken: getenv("AWS_SESSION_TOKEN"), Source: "environment",
			}, nil
		}),
	}
	if endpoint := getenv("AWS_ENDPOINT_URL"); endpoint != "" {
		cfg.BaseEndpoint = aws.String(endpoint)
	}
	return cfg
}

// Table is the table of the stack, with who rings when work is opened; nil is nobody.
func (f Function) Store(doorbell store.Notifier) *store.Store {
	engine := dynamo.New(dynamodb.NewFromConfig(f.AWS), f.Config.Table)
	return store.New(engine, store.Config{Notifier: doorbell, Lease: f.Config.Lease, Sweep: f.Config.Sweep})
}
