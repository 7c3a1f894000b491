package child

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// launch takes limits upon the process and becomes the program that recognizes text, which reads
// hostile pictures, too. It does not return.
func launch(args []string) {
	if err := become(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(childproto.NotStarted)
}

// become runs the program of the arguments in this process, whose environment has nothing but the
// number of threads.
func become(args []string) error {
	if len(args) < 3 {
		return errors.New("no program given")
	}
	memory, seconds, err := limits(args)
	if err != nil {
		return err
	}
	program := args[2:]
	if err := limit(memory, seconds); err != nil {
		return err
	}
	if err := confineProgram(program[0]); err != nil {
		return err
	}
	if err := unix.Access(program[0], unix.X_OK); err != nil {
		return err
	}
	if _, err := os.Stdout.Write([]byte{childproto.Ready}); err != nil {
		return err
	}
	return unix.Exec(program[0], program, []string{"OMP_THREAD_LIMIT=1"})
}
