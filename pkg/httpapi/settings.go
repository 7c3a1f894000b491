package httpapi

import (
	"errors"
	"net/http"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// Targets says in a sentence why an address can't be that of an endpoint, or nil.
type Targets interface {
	CheckURL(raw string) error
}

// canReach returns what the routes of integrations and document types lack.
func (cfg Config) canReach() error {
	if (cfg.asks("integrations") || cfg.asks("documenttypes")) && (cfg.Targets == nil || cfg.NewSecret == nil) {
		return errors.New("httpapi: no targets, or no secrets for them")
	}
	if cfg.asks("integrations") && cfg.Prober == nil {
		return errors.New("httpapi: no prober")
	}
	return nil
}

// asks reports whether a group is to be answered. It goes by the name: naming a group links its handlers.
func (cfg Config) asks(group string) bool {
	return slices.ContainsFunc(cfg.Groups, func(g Group) bool { return g.name == group })
}

// resource is what the five usual routes of one kind of settings do.
type resource struct {
	list, create, read, change, remove func(*request) (any, error)
}

// rows are the five usual routes under a path.
func (res resource) rows(path, readScope, writeScope string, filters ...string) []route {
	one := path + "/{id}"
	return []route{
		{method: http.MethodGet, path: path, scope: readScope, paging: paged, filters: filters, handle: res.list},
		{method: http.MethodPost, path: path, scope: writeScope, handle: res.create},
		{method: http.MethodGet, path: one, scope: readScope, handle: res.read},
		{method: http.MethodPatch, path: one, scope: writeScope, handle: res.change},
		{method: http.MethodDelete, path: one, scope: writeScope, handle: res.remove},
	}
}

// list answers a page of what find reads.
func list[T any](r *request, find func(after string, limit int) ([]T, string, error)) (any, error) {
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	items, next, err := find(after, size)
	return listed{items, next}, err
}

// create decodes and checks the body and answers what save made of it: a first revision.
func create[C, T any](r *request, check func(*dossier.Problems, C), save func(C) (T, error), serverSet ...string) (any, error) {
	in, err := decode[C](r, serverSet...)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	check(&p, in)
	if err := p.Err(); err != nil {
		return nil, err
	}
	made, err := save(in)
	return versioned{made, 1}, err
}

// read answers one resource at its revision.
func read[T any](v T, rev store.Rev, err error) (any, error) { return versioned{v, int64(rev)}, err }

// change applies the body as a merge patch to what is stored, checks the result, and answers what save made of it.
func change[C, T any](r *request, check func(*dossier.Problems, C),
	save func(want store.Rev, patch func(C) (C, error)) (T, store.Rev, error), serverSet ...string) (any, error) {
	want, _, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	return read(save(store.Rev(want), func(current C) (C, error) {
		next, err := decodePatch(r, current, serverSet...)
		if err != nil {
			return next, err
		}
		var p dossier.Problems
		check(&p, next)
		return next, p.Err()
	}))
}

// company is the id of the company whose data the request is about: that of the credential, always.
func (r *request) company() string { return r.principal.CompanyID }
