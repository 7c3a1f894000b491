package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limitMemory adds the limit of memory that can be written. The address space has none, since Go
// reserves far more of it than it uses. The parent watches the resident memory; this limit stops
// memory that grows faster than the parent looks.
func limitMemory(limits map[int]uint64, memory int64) error {
	used, err := writable()
	limits[unix.RLIMIT_DATA] = used + 2*uint64(memory)
	return err
}

// writable returns the private memory of the process that can be written, in bytes, as RLIMIT_DATA
// counts it.
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
