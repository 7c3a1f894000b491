// Command provision is the function that makes a company in a new group, with its first
// administrator key, or spreads the lists of a company over shards. Someone with rights in the AWS
// account invokes it by hand; no route leads to it.
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// input is the name of a new company, or a company and the number of shards of its lists.
type input struct {
	Name      string `json:"name"`
	CompanyID string `json:"companyId"`
	Shards    int    `json:"shards"`
}

func main() {
	t := aws.New().Store(nil)
	lambda.Start(func(ctx context.Context, in input) (any, error) {
		if in.CompanyID != "" {
			return t.SetListShards(ctx, in.CompanyID, in.Shards)
		}
		if in.Name = strings.TrimSpace(in.Name); in.Name == "" ||
			len([]rune(in.Name)) > dossier.MaxName {
			return dossier.Company{}, errors.New("name: 1 to 200 characters are needed")
		}
		return t.CreateCompany(ctx, "", in.Name)
	})
}
