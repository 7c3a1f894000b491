package child

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// lacking is the zeroth argument of a process that becomes a Launcher on a kernel that lacks the
// system call of the first argument.
const lacking = "dossier-lacking"

// init does not return in a process whose zeroth argument is lacking.
func init() {
	if len(os.Args) < 3 || os.Args[0] != lacking {
		return
	}
	fmt.Fprintln(os.Stderr, becomeWithout(os.Args[1], os.Args[2:]))
	os.Exit(1)
}

func becomeWithout(call string, args []string) error {
	number, err := strconv.ParseUint(call, 10, 32)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	without := append(onCalls([]uint32{uint32(number)},
		unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)), bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
	self, failed := os.Executable()
	if err := errors.Join(failed, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
		filter(without)); err != nil {
		return err
	}
	return unix.Exec(self, append([]string{childproto.Launcher}, args...), nil)
}

// TestLackingKernel starts programs in the place of Tesseract on kernels that lack parts of the
// sandbox. Without Landlock, which Lambda's kernel may lack, a program reads the files of its user.
// Without seccomp none is started.
func TestLackingKernel(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	call := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d && echo connected",
		server.Addr().(*net.TCPAddr).Port)
	const none = unix.SYS_REBOOT // not called
	for name, test := range map[string]struct {
		lacks   int
		program []string
		starts  bool // the program starts
		works   bool // and is not denied what it does
	}{
		"OK":      {none, []string{"/bin/cat", "/usr/bin/env"}, true, true},
		"ErrFile": {none, []string{"/bin/cat", "/etc/passwd"}, true, false},
		"no Landlock OK": {unix.SYS_LANDLOCK_CREATE_RULESET,
			[]string{"/bin/cat", "/etc/passwd"}, true, true},
		"no Landlock ErrNetwork": {unix.SYS_LANDLOCK_CREATE_RULESET,
			[]string{"/bin/bash", "-c", call}, true, false},
		"no seccomp Err": {unix.SYS_SECCOMP, []string{"/bin/cat", "/usr/bin/env"}, false,
			false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Args = append([]string{lacking, strconv.Itoa(test.lacks), "536870912", "60"},
				test.program...)
			out, err := cmd.Output()
			started := slices.Equal(out[:min(len(out), 1)], []byte{childproto.Ready})
			if started != test.starts || (err == nil) != test.works {
				t.Errorf("started %t, ended with %v, wrote %d bytes", started, err, len(out))
			}
			if !test.starts && cmd.ProcessState.ExitCode() != childproto.NotStarted {
				t.Errorf("exit status %d", cmd.ProcessState.ExitCode())
			}
		})
	}
}
