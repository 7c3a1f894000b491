//go:build unix && !linux

package check

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// isolate puts the child into a process group of its own, which is killed as a whole.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
}

// limit has the kernel bound the process it is called in. Here it can't bound its memory.
func limit(_ int64, cpu time.Duration) error {
	seconds := uint64(cpu / time.Second)
	for resource, value := range map[int]uint64{
		unix.RLIMIT_CPU:    seconds,
		unix.RLIMIT_NOFILE: 32,
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  0,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

// resident can't be told without a call of the system's own: the Go runtime's soft limit and the time must do.
func resident(int) int64 { return 0 }
