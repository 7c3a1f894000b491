package bolt_test

import (
	"path/filepath"
	"testing"

	"github.com/dossierhq/dossier/pkg/table"
	"github.com/dossierhq/dossier/pkg/table/bolt"
	"github.com/dossierhq/dossier/pkg/table/tabletest"
)

func open(t *testing.T, path string) *bolt.Engine {
	t.Helper()
	e, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

func TestContract(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, func(t *testing.T) table.Engine { return open(t, filepath.Join(t.TempDir(), "table")) })
}
