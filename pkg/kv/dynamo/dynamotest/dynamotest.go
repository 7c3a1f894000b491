// Package dynamotest gives tests a table of their own on DynamoDB Local.
//
// The first test of a binary starts one server on a free port; it ends with the binary, however
// that ends. `make tools` fetches it. With -short, which `make unit` sets, these tests are left
// out.
package dynamotest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dossierhq/dossier/pkg/kv/dynamo"
)

// New returns an engine on an empty table of its own, which is dropped with the test. The options
// change the engine's client only.
func New(t testing.TB, options ...func(*dynamodb.Options)) *dynamo.Engine {
	t.Helper()
	return dynamo.New(Client(t, options...), Table(t))
}

// Client returns a client of the server.
func Client(t testing.TB, options ...func(*dynamodb.Options)) *dynamodb.Client {
	t.Helper()
	if testing.Short() {
		t.Skip("needs DynamoDB Local; `make test` runs it")
	}
	endpoint, err := server()
	if err != nil {
		t.Fatal(err)
	}
	return dynamodb.New(dynamodb.Options{
		Region:       "eu-central-1",
		BaseEndpoint: &endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	}, options...)
}

// Table makes an empty table and returns its name. It is dropped with the test.
func Table(t testing.TB) string {
	t.Helper()
	client, name := Client(t), "dossier-"+strings.ToLower(rand.Text())
	if _, err := client.CreateTable(t.Context(), CreateTableInput(name)); err != nil {
		t.Fatalf("create a table: %v", err)
	}
	t.Cleanup(func() {
		if _, err := client.DeleteTable(context.Background(),
			&dynamodb.DeleteTableInput{TableName: &name}); err != nil {
			t.Errorf("delete the table: %v", err)
		}
	})
	return name
}

// CreateTableInput is the table as template.yaml describes it.
func CreateTableInput(name string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema: keys("pk", "sk")}
	for _, attribute := range []string{"pk", "sk", "open", "due", "list", "sort", "look", "rank",
		"group", "place"} {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: &attribute,
				AttributeType: types.ScalarAttributeTypeS})
	}
	for _, index := range []struct {
		name, sort string
		projection types.ProjectionType
	}{
		{"open", "due", types.ProjectionTypeKeysOnly}, {"list", "sort", types.ProjectionTypeAll},
		{"look", "rank", types.ProjectionTypeAll}, {"group", "place", types.ProjectionTypeKeysOnly},
	} {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &index.name, KeySchema: keys(index.name, index.sort),
			Projection: &types.Projection{ProjectionType: index.projection},
		})
	}
	return in
}

func keys(partition, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &partition, KeyType: types.KeyTypeHash},
		{AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}
