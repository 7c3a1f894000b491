package dynamo_test

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t *testing.T) kv.Engine { return dynamotest.New(t) })
}
