package dossier

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Panicked is the error of what recover returned, with the stack for the log. The value is kept out
// unless the runtime made it: it could be somebody's data.
func Panicked(p any) error {
	if e, ok := p.(runtime.Error); ok {
		return fmt.Errorf("panic: %w\n%s", e, debug.Stack())
	}
	return fmt.Errorf("panic with a %T\n%s", p, debug.Stack())
}
