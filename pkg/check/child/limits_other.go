//go:build unix && !linux

package child

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

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
