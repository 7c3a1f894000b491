// Command eventbridge is what the SDK takes of a start by itself where there is something to ring with too: one item is asked for, and
// a client of EventBridge is there, which is not called.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
)

func main() {
	cfg := aws.Config{
		Region: os.Getenv("AWS_REGION"), BaseEndpoint: aws.String(os.Getenv("AWS_ENDPOINT_URL")),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY")}, nil
		}),
	}
	table, bus := dynamodb.NewFromConfig(cfg), eventbridge.NewFromConfig(cfg)
	lambda.Start(func(ctx context.Context, event map[string]any) (map[string]any, error) {
		_, err := table.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String("t"),
			Key:       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}, "sk": &types.AttributeValueMemberS{Value: "b"}},
		})
		if err == nil && event["ring"] != nil {
			_, err = bus.PutEvents(ctx, &eventbridge.PutEventsInput{})
		}
		return map[string]any{"statusCode": 200}, err
	})
}
