package check

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// TestSandbox has a child try what it must not be able to do. It holds on kernels with Landlock and
// seccomp, as those of the supported platforms are.
func TestSandbox(t *testing.T) {
	t.Parallel()
	got, err := newChecker(Config{}).Probe(t.Context())
	want := childproto.Sandbox{NoFiles: true, NoNetwork: true, NoPrograms: true, NoPrivileges: true}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}
