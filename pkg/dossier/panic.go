package dossier

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Panicked returns an error for a recovered value, with the stack for the log. The value is left
// out unless the runtime made it: it could be somebody's data.
func Panicked(p any) error {
	if e, ok := p.(runtime.Error); ok {
		return fmt.Errorf("panic: %w\n%s", e, debug.Stack())
	}
	return fmt.Errorf("panic with a %T\n%s", p, debug.Stack())
}
