package kvtest_test

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(*testing.T) kv.Engine { return kvtest.NewMemory() })
}
