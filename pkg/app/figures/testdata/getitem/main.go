// Command getitem measures the share of the SDK in a start: it reads one item and links nothing of
// ours.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dossierhq/dossier/pkg/app/figures/testdata/item"
)

func main() {
	table := dynamodb.NewFromConfig(item.Config())
	lambda.Start(func(ctx context.Context, _ map[string]any) (map[string]any, error) {
		return map[string]any{"statusCode": 200}, item.Get(ctx, table)
	})
}
