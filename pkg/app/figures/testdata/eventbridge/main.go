// Command eventbridge measures the share of the SDK in a start with an EventBridge client: it reads
// one item, and a client of EventBridge is there, which is not called.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"

	"github.com/dossierhq/dossier/pkg/app/figures/testdata/item"
)

func main() {
	cfg := item.Config()
	table, bus := dynamodb.NewFromConfig(cfg), eventbridge.NewFromConfig(cfg)
	lambda.Start(func(ctx context.Context, event map[string]any) (map[string]any, error) {
		err := item.Get(ctx, table)
		if err == nil && event["ring"] != nil {
			_, err = bus.PutEvents(ctx, &eventbridge.PutEventsInput{})
		}
		return map[string]any{"statusCode": 200}, err
	})
}
