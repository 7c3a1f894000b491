//go:build unix

package child

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// limit has the kernel bound the memory (if it can), the time and the files of this process.
func limit(memory int64, cpu time.Duration) error {
	limits := map[int]uint64{
		unix.RLIMIT_CPU:    uint64(cpu / time.Second),
		unix.RLIMIT_NOFILE: 32,
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  0,
	}
	if err := limitMemory(limits, memory); err != nil {
		return err
	}
	for resource, value := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

// used returns the CPU that the process has used, in nanoseconds.
func used() int64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0 // the parent knows it at the end
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
