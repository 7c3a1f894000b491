package standalone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// operatorSocket is the socket in the data folder on which the process takes operator commands.
// Whoever may open the folder is the operator.
const operatorSocket = "operator.sock"

// operatorHandler answers the operator's requests. An error is a text with status 500, or 404.
func (p *Process) operatorHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /backup", p.serveBackup)
	mux.HandleFunc("GET /companies", func(w http.ResponseWriter, r *http.Request) {
		list, err := p.companies(r.Context())
		respond(w, list, err)
	})
	mux.HandleFunc("POST /companies", func(w http.ResponseWriter, r *http.Request) {
		company, err := p.newCompany(r.Context(), r.FormValue("group"), r.FormValue("name"))
		respond(w, company, err)
	})
	mux.HandleFunc("POST /keys", func(w http.ResponseWriter, r *http.Request) {
		key, err := p.newAdministratorKey(r.Context(), r.FormValue("company"), r.FormValue("name"))
		respond(w, key, err)
	})
	mux.HandleFunc("POST /shards", func(w http.ResponseWriter, r *http.Request) {
		count, err := strconv.Atoi(r.FormValue("count"))
		if err != nil {
			http.Error(w, "count: a number is needed", http.StatusBadRequest)
			return
		}
		set, err := p.store.SetListShards(r.Context(), r.FormValue("company"), count)
		respond(w, set, err)
	})
	mux.HandleFunc("POST /signin", func(w http.ResponseWriter, r *http.Request) {
		link, err := p.newSignInLink(r.Context(), r.FormValue("company"))
		respond(w, map[string]string{"address": p.signInAddress(link)}, err)
	})
	return mux
}

func respond(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, dossier.ErrNotFound):
		http.Error(w, "There is no such company, or group. The command companies lists them.",
			http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.MarshalWrite(w, v, json.Deterministic(true)) // the caller is gone
	}
}

// serveBackup streams a backup. After the first byte an error can only cut the stream off, which
// the reader notices: the manifest is missing.
func (p *Process) serveBackup(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-tar")
	if err := p.Backup(r.Context(), w); err != nil {
		p.log.ErrorContext(r.Context(), "backup failed", "error", err)
		panic(http.ErrAbortHandler)
	}
}

// companies returns every company, of all groups.
func (p *Process) companies(ctx context.Context) ([]dossier.Company, error) {
	list := []dossier.Company{}
	err := p.engine.Each(ctx, func(i kv.Item) error {
		c, ok, err := store.CompanyOf(i)
		if ok {
			list = append(list, c)
		}
		return err
	})
	return list, err
}

// newAdministratorKey makes a key with every scope, so that losing the last key does not lose the
// company.
func (p *Process) newAdministratorKey(ctx context.Context,
	company, name string) (dossier.Key, error) {
	if err := p.known(ctx, func(c dossier.Company) bool { return c.ID == company }); err != nil {
		return dossier.Key{}, err
	}
	return p.store.CreateKey(ctx, company, dossier.KeyInput{
		Kind:      dossier.KindAdministrator,
		KeyUpdate: dossier.KeyUpdate{Name: name, Scopes: dossier.Scopes},
	})
}

func (p *Process) newCompany(ctx context.Context, group, name string) (dossier.Company, error) {
	if group != "" {
		if err := p.known(ctx, func(c dossier.Company) bool {
			return c.GroupID == group
		}); err != nil {
			return dossier.Company{}, err
		}
	}
	return p.store.CreateCompany(ctx, group, name)
}

func (p *Process) newSignInLink(ctx context.Context, company string) (string, error) {
	if err := p.known(ctx, func(c dossier.Company) bool { return c.ID == company }); err != nil {
		return "", err
	}
	return p.store.CreateSignInLink(ctx, company, "")
}

// signInAddress returns the address of the console that takes a sign-in link. On the stopped store
// it is the address that the process will have by its settings.
func (p *Process) signInAddress(link string) string {
	return cmp.Or(p.cfg.URL, "http://"+p.cfg.Addr) + "/console/signin#" + link
}

// known returns ErrNotFound unless there is such a company. Ids that an operator types may have any
// form; the store takes those of entities.
func (p *Process) known(ctx context.Context, is func(dossier.Company) bool) error {
	list, err := p.companies(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, is) {
		return dossier.ErrNotFound
	}
	return nil
}

// serveOperator answers on the socket until stop is called. The caller holds the table, so that a
// socket that is there already is one that a killed process left.
func (p *Process) serveOperator() (stop func(), err error) {
	path := filepath.Join(p.cfg.Data, operatorSocket)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open the operator's socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: p.operatorHandler(), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelWarn)}
	go func() { _ = server.Serve(listener) }() // ends with Close
	return func() { _ = server.Close() }, nil
}

// Operate calls do with a client for the operator of the data folder: of the running process, or,
// if none runs, of the stopped store. Any host name in an address will do.
func Operate(cfg app.Config, log *slog.Logger, do func(*http.Client) error) (err error) {
	path := filepath.Join(cfg.Data, operatorSocket)
	if _, err := os.Stat(filepath.Join(cfg.Data, tableFile)); err != nil {
		return fmt.Errorf("there is no table in %s: is DOSSIER_DATA right?", cfg.Data)
	}
	running, dialErr := net.Dial("unix", path)
	if dialErr == nil {
		_ = running.Close() // it was only a question
	} else {
		p, err := Open(cfg, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		stop, err := p.serveOperator()
		if err != nil {
			return err
		}
		defer stop()
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		},
	}
	defer transport.CloseIdleConnections()
	return do(&http.Client{Transport: transport})
}
