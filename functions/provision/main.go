// Command provision is the function that makes a company in a new group, with its first
// administrator key. Someone with rights in the AWS account invokes it by hand; no route leads to
// it.
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/dossier"
)

type input struct {
	Name string `json:"name"`
}

func main() {
	t := aws.New().Store(nil)
	lambda.Start(func(ctx context.Context, in input) (dossier.Company, error) {
		if in.Name = strings.TrimSpace(in.Name); in.Name == "" ||
			len([]rune(in.Name)) > dossier.MaxName {
			return dossier.Company{}, errors.New("name: 1 to 200 characters are needed")
		}
		return t.CreateCompany(ctx, "", in.Name)
	})
}
