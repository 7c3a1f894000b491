package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/app/settingsfile"
)

// remote names the installation that a command works on. Its key is the variable DOSSIER_KEY.
type remote struct {
	URL string `help:"Address of the installation [DOSSIER_URL, or http://127.0.0.1:8080]."`
}

// client returns a client of the installation.
func (r remote) client(s *session) (*client.Client, error) {
	if s.cfg.Key == "" {
		return nil, errors.New("set DOSSIER_KEY to a key of the company, dsr_…")
	}
	return client.New(cmp.Or(r.URL, s.cfg.URL, "http://127.0.0.1:8080"), s.cfg.Key)
}

// plan reads a settings file and compares it with the installation.
func (r remote) plan(s *session, file string) (*settingsfile.Plan, error) {
	c, err := r.client(s)
	if err != nil {
		return nil, err
	}
	settings, err := settingsfile.Read(file, func(name string) (string, bool) {
		value := lookup(s.Environ)(name)
		return value, value != ""
	})
	if err != nil {
		return nil, misuse{err}
	}
	plan, err := settingsfile.NewPlan(s.ctx, c, settings)
	if wrong := (settingsfile.FileErrors{}); errors.As(err, &wrong) {
		return nil, misuse{err}
	}
	return plan, err
}

// misuse is an error about a file: it is the caller's to mend, like an argument.
type misuse struct{ error }

type planSettings struct {
	remote
	File  string `arg:"" help:"The settings, a YAML file."`
	Check bool   `help:"Exit with 1 if there is anything to change."`
}

// Run prints what an apply of the file would change, and what that would do to past documents.
func (p planSettings) Run(s *session) error {
	plan, err := p.plan(s, p.File)
	if err != nil {
		return err
	}
	if err := plan.Print(s.ctx, s.Out); err != nil {
		return err
	}
	if err := plan.Drift(); err != nil {
		return fmt.Errorf("an apply would refuse this:\n%w", err)
	}
	if p.Check && !plan.Empty() {
		return errors.New("the installation is not as the file says")
	}
	return nil
}

type applySettings struct {
	remote
	File      string `arg:"" help:"The settings, a YAML file."`
	Overwrite bool   `help:"Also change what was not as the last apply left it."`
	Secrets   string `help:"A new file for the signing secrets that are made." placeholder:"FILE"`
}

// Run changes the installation to what the file says.
func (a applySettings) Run(s *session) error {
	plan, err := a.plan(s, a.File)
	if err != nil {
		return err
	}
	if err := plan.Drift(); err != nil && !a.Overwrite {
		return fmt.Errorf("nothing was changed: export, or apply with --overwrite:\n%w", err)
	}
	made := plan.Secrets()
	if len(made) > 0 && a.Secrets == "" {
		return misuse{
			fmt.Errorf(
				"nothing was changed: name a new file with --secrets for the signing secrets of %s",
				strings.Join(made, ", ")),
		}
	}
	keep := func(string, string) error { return nil } // nothing has one
	if len(made) > 0 {
		f, err := os.OpenFile(a.Secrets, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return misuse{err}
		}
		kept := false
		defer func() {
			_ = f.Close() // each secret is synced
			if !kept {
				_ = os.Remove(a.Secrets) // so that the next apply can have the name
			}
		}()
		keep = func(path, secret string) error {
			kept = true
			_, err := fmt.Fprintf(f, "%s\t%s\n", path, secret)
			return errors.Join(err, f.Sync())
		}
	}
	if err := plan.Apply(s.ctx, s.Out, keep); err != nil {
		return err
	}
	if plan.Empty() {
		_, err = fmt.Fprintln(s.Out, "Nothing to change.")
	}
	return err
}

type export struct {
	Settings   exportSettings   `cmd:"" default:"withargs" help:"Write the settings of the company as YAML."`
	Candidates exportCandidates `cmd:"" help:"Write all candidates with their documents as CSV."`
}

type exportSettings struct {
	remote
	File string `arg:"" optional:"" help:"A new file. Without it, standard output."`
}

// Run writes the settings.
func (e exportSettings) Run(s *session) error {
	c, err := e.client(s)
	if err != nil {
		return err
	}
	if e.File != "" {
		return settingsfile.ExportTo(s.ctx, c, e.File)
	}
	text, err := settingsfile.Export(s.ctx, c)
	if err == nil {
		_, err = s.Out.Write(text)
	}
	return err
}

type schema struct{}

// Run prints the JSON Schema of the settings file.
func (schema) Run(s *session) error {
	text, err := json.MarshalIndent(settingsfile.Schema(), "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(s.Out, "%s\n", text)
	}
	return err
}
