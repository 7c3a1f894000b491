package check

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// isolate puts the child into a process group of its own, which is killed as a whole, and with its parent.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
}

// limit has the kernel bound the process it is called in. The address space is left alone, for Go reserves far more of
// it than it uses; what counts is memory that can be written. The parent watches what is resident; this is the stop for
// memory that grows faster than it looks.
func limit(memory int64, cpu time.Duration) error {
	used, err := writable()
	if err != nil {
		return err
	}
	seconds := uint64(cpu / time.Second)
	for resource, value := range map[int]uint64{
		unix.RLIMIT_DATA:   used + 2*uint64(memory),
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

// writable is how much private memory of the process can be written, in bytes, as RLIMIT_DATA counts it.
func writable() (uint64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(b)
	if len(fields) < 6 {
		return 0, fmt.Errorf("unknown form of statm")
	}
	pages, err := strconv.ParseUint(string(fields[5]), 10, 64)
	return pages * uint64(os.Getpagesize()), err
}

// resident is how many bytes of memory a process has in RAM, 0 when it has ended.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
