// Command bare is the function that all others are compared with: aws-lambda-go and nothing else.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(func(context.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"statusCode": 200}, nil
	})
}
