package command

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/demo"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/app/tracing"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

type serve struct{}

// Run serves until the context ends.
func (serve) Run(s *session) error {
	var err error
	if s.cfg.Tesseract, err = check.FindTesseract(s.cfg.Tesseract); err != nil {
		return fmt.Errorf("DOSSIER_TESSERACT: %w", err)
	}
	tracer, end := tracing.FromEnv(s.ctx, os.Getenv, app.Version(), s.log)
	defer end()
	if tracer != nil {
		s.cfg.Tracer = tracer
	}
	return standalone.Run(s.ctx, s.cfg, s.Out, s.log)
}

type backup struct {
	To string `arg:"" name:"dir" help:"An empty or new folder, or - for a tar archive on standard output."`
}

// Run streams a backup into the folder, or to standard output.
func (b backup) Run(s *session) error {
	return s.operate(http.MethodGet, "/backup", nil, func(body io.Reader) error {
		if b.To != "-" {
			return standalone.Unpack(body, b.To)
		}
		_, err := io.Copy(s.Out, body)
		return err
	})
}

type restore struct {
	From string `arg:"" name:"dir" help:"A folder that backup wrote."`
}

// Run restores the backup into the data folder.
func (r restore) Run(s *session) error {
	if err := standalone.Restore(r.From, s.cfg.Data); err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	_, err := fmt.Fprintf(s.Out, "%s is restored to %s.\n", r.From, s.cfg.Data)
	return err
}

type key struct {
	New newKey `cmd:"" help:"Make an administrator's key with every scope, for a company whose keys are lost."`
}

type newKey struct {
	Company string `required:"" help:"Id of the company, com_…"`
	Name    string `default:"Made by the operator" help:"Name of the key."`
}

// Run prints the new key.
func (k newKey) Run(s *session) error {
	var made dossier.Key
	if err := s.send(http.MethodPost, "/keys", url.Values{"company": {k.Company}, "name": {k.Name}},
		&made); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.Out, "admin key: %s\n", made.Secret)
	return err
}

type company struct {
	New    newCompany `cmd:"" help:"Make a company with its first administrator key."`
	Shards listShards `cmd:"" help:"Set the number of shards of a company's lists (docs/scaling.md)."`
}

type listShards struct {
	Company string `arg:"" help:"Id of the company, com_…"`
	Count   int    `arg:"" help:"Number of shards, up to 128. It can only grow."`
}

// Run prints the number of shards and from when new entries use them.
func (l listShards) Run(s *session) error {
	var set store.ListShards
	body := url.Values{"company": {l.Company}, "count": {strconv.Itoa(l.Count)}}
	if err := s.send(http.MethodPost, "/shards", body, &set); err != nil {
		return err
	}
	from := ""
	if !set.From.IsZero() {
		from = ", which new entries use from " + set.From.String()
	}
	_, err := fmt.Fprintf(s.Out, "The lists of %s have %d shards%s.\n", l.Company, set.Count, from)
	return err
}

type newCompany struct {
	Name  string `arg:"" help:"Name of the company."`
	Group string `help:"Id of the group it joins, grp_… [a new one]"`
}

// Run prints the new company and its first key.
func (c newCompany) Run(s *session) error {
	var problems dossier.Problems
	dossier.CompanyInput{Name: strings.TrimSpace(c.Name)}.Validate(&problems)
	for _, p := range problems.List() {
		return errors.New(p.Message)
	}
	var made dossier.Company
	body := url.Values{"name": {strings.TrimSpace(c.Name)}, "group": {c.Group}}
	if err := s.send(http.MethodPost, "/companies", body, &made); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.Out, "company: %s\ngroup: %s\nadmin key: %s\n", made.ID, made.GroupID,
		made.Key.Secret)
	return err
}

type companies struct{}

// Run prints one line for each company: its id, its group's id and its name.
func (companies) Run(s *session) error {
	var list []dossier.Company
	if err := s.send(http.MethodGet, "/companies", nil, &list); err != nil {
		return err
	}
	for _, c := range list {
		if _, err := fmt.Fprintf(s.Out, "%s\t%s\t%s\n", c.ID, c.GroupID, c.Name); err != nil {
			return err
		}
	}
	return nil
}

type playDemo struct{}

// Run plays the main job.
func (playDemo) Run(s *session) error { return demo.Run(s.ctx, s.Out) }

type signin struct {
	Company string `required:"" help:"Id of the company, com_…"`
}

// Run prints a link that signs in as the company's oldest administrator.
func (i signin) Run(s *session) error {
	var made struct {
		Address string `json:"address"`
	}
	if err := s.send(http.MethodPost, "/signin", url.Values{"company": {i.Company}}, &made); err !=
		nil {
		return err
	}
	_, err := fmt.Fprintf(s.Out, "sign in: %s\nThe link works once, for ten minutes.\n",
		made.Address)
	return err
}

// send sends a request to the operator's handler and decodes its JSON response.
func (s *session) send(method, path string, form url.Values, into any) error {
	return s.operate(method, path, form, func(body io.Reader) error {
		return json.UnmarshalRead(body, into)
	})
}

// operate sends a request to the running process, or to the stopped store, and hands over the body
// of a response with status 200.
func (s *session) operate(method, path string, form url.Values, read func(io.Reader) error) error {
	return standalone.Operate(s.cfg, s.log, func(client *http.Client) error {
		r, err := http.NewRequestWithContext(s.ctx, method, "http://operator"+path,
			strings.NewReader(form.Encode()))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := client.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }() // only read from
		if response.StatusCode != http.StatusOK {
			text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
			return errors.Join(errors.New(strings.TrimSpace(string(text))), err)
		}
		return read(response.Body)
	})
}
