package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

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
