// Package command holds the commands of the program dossier. Arguments and settings are checked
// before anything is done: each that is wrong is named, with the nearest that is right.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/dossierhq/dossier/pkg/app"
)

// Process is the surroundings of one run.
type Process struct {
	Args     []string // without the program's name
	Environ  []string // NAME=value, as os.Environ returns it
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Err is a terminal: errors are plain text instead of JSON lines
}

// commands is the command line, as kong reads it.
type commands struct {
	Version kong.VersionFlag `help:"Print the version and exit."`

	Serve     serve            `cmd:"" help:"Run the service until it is interrupted."`
	Backup    backup           `cmd:"" help:"Copy the table and all parts, also while the service runs."`
	Restore   restore          `cmd:"" help:"Bring a backup into an empty data folder."`
	Key       key              `cmd:"" help:"Make keys."`
	Company   company          `cmd:"" help:"Make companies, and spread their lists."`
	Companies companies        `cmd:"" help:"List all companies."`
	Signin    signin           `cmd:"" help:"Make a link that signs in once, within ten minutes."`
	Plan      planSettings     `cmd:"" help:"Say what apply would change."`
	Apply     applySettings    `cmd:"" help:"Change the settings of a company to what a file says."`
	Export    export           `cmd:"" help:"Write settings or candidates of a company as a file."`
	Import    importCandidates `cmd:"" help:"Bring in candidates, with documents they have, from a CSV file."`
	Schema    schema           `cmd:"" help:"Print the JSON Schema of the settings file, for editors."`
	Demo      playDemo         `cmd:"" help:"Play the main job in this terminal, on data that is deleted after."`
}

const description = `Dossier, the service in one process.

Its settings are environment variables: DOSSIER_DATA is the data folder [./.dossier], DOSSIER_ADDR the
address it listens on [127.0.0.1:8080]. docs/operating.md lists them all.`

// The exit codes.
const (
	succeeded = 0
	failed    = 1
	misused   = 2 // an argument or a setting is wrong
)

// session holds the context, settings and log of one command.
type session struct {
	ctx context.Context
	cfg app.Config
	log *slog.Logger
	Process
}

// Run runs the command that the arguments name and returns the program's exit code.
func Run(ctx context.Context, p Process) (code int) {
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case exited:
			code = int(stop)
		default:
			panic(stop)
		}
	}()
	parser, err := kong.New(&commands{}, kong.Name("dossier"), kong.Description(description),
		kong.Writers(p.Out, p.Err), kong.Exit(func(code int) {
			panic(exited(code))
		}), kong.Vars{"version": app.Version()})
	if err != nil {
		return p.report(failed, err)
	}
	chosen, err := parser.Parse(p.Args)
	if err != nil {
		return p.report(misused, err)
	}
	cfg, err := app.FromEnv(lookup(p.Environ))
	if err = errors.Join(app.CheckNames(p.Environ), err); err != nil {
		return p.report(misused, err)
	}
	err = chosen.Run(&session{ctx, cfg, app.LogTo(p.Err, cfg.LogLevel), p})
	if chosen.Command() != "serve" {
		p.Terminal = true // a person reads it, also in the output of a build
	}
	if wrong := (misuse{}); errors.As(err, &wrong) {
		return p.report(misused, err)
	} else if err != nil {
		return p.report(failed, err)
	}
	return succeeded
}

// exited carries the exit code of --help and --version out of kong.
type exited int

// report writes an error, each line of its text on its own: joined errors have one line each. What
// is not for people is a log.
func (p Process) report(code int, err error) int {
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); p.Terminal {
			_, _ = fmt.Fprintln(p.Err, "dossier:", line) // nobody is left to tell
		} else {
			app.LogTo(p.Err, slog.LevelInfo).Error(line)
		}
	}
	return code
}

// lookup returns the last value of a variable, like os.Getenv.
func lookup(environ []string) func(string) string {
	values := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
