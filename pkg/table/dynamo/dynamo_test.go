package dynamo_test

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/table"
	"github.com/dossierhq/dossier/pkg/table/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/table/tabletest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, func(t *testing.T) table.Engine { return dynamotest.New(t) })
}
