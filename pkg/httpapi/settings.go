package httpapi

import (
	"errors"
	"net/http"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// Targets decides which addresses may be called. CheckURL is a dossier.CheckURL.
type Targets interface {
	CheckURL(raw string) error
}

// validate returns an error if something is missing that the routes of integrations and document
// types need.
func (cfg Config) validate() error {
	if (cfg.serves("integrations") || cfg.serves("documenttypes")) &&
		(cfg.Targets == nil || cfg.NewSecret == nil) {
		return errors.New("httpapi: no targets, or no secrets for them")
	}
	if cfg.serves("integrations") && cfg.Prober == nil {
		return errors.New("httpapi: no prober")
	}
	if cfg.serves("settings") && cfg.Targets == nil {
		return errors.New("httpapi: no targets for sign-in providers")
	}
	return nil
}

// serves reports whether a group is served. It compares names, because naming a group would link
// its handlers.
func (cfg Config) serves(group string) bool {
	return slices.ContainsFunc(cfg.Groups, func(g Group) bool { return g.name == group })
}

// resource holds the handlers of the five usual routes of one kind of settings.
type resource struct {
	list, create, read, change, remove func(*request) (any, error)
}

// rows returns the five usual routes under a path.
func (res resource) rows(path, readScope, writeScope string, filters ...string) []route {
	one := path + "/{id}"
	return []route{
		{method: http.MethodGet, path: path, scope: readScope, paging: paged, filters: filters,
			handle: res.list},
		{method: http.MethodPost, path: path, scope: writeScope, handle: res.create},
		{method: http.MethodGet, path: one, scope: readScope, handle: res.read},
		{method: http.MethodPatch, path: one, scope: writeScope, handle: res.change},
		{method: http.MethodDelete, path: one, scope: writeScope, handle: res.remove},
	}
}

// list answers a page of the items that find reads.
func list[T any](r *request, find func(after string, limit int) ([]T, string, error)) (any, error) {
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	items, next, err := find(after, size)
	return pageResult{items, next}, err
}

// decodeValid decodes the body and validates it.
func decodeValid[C any](r *request, validate func(C, *dossier.Problems),
	serverSet ...string) (C, error) {
	in, err := decode[C](r, serverSet...)
	if err != nil {
		return in, err
	}
	var p dossier.Problems
	validate(in, &p)
	return in, p.Err()
}

// create decodes and validates the body and answers what save made of it: a first revision.
func create[C, T any](r *request, validate func(C, *dossier.Problems), save func(C) (T, error),
	serverSet ...string) (any, error) {
	in, err := decodeValid(r, validate, serverSet...)
	if err != nil {
		return nil, err
	}
	made, err := save(in)
	return entityResult{made, 1}, err
}

// read answers one resource at its revision.
func read[T any](v T, rev store.Rev, err error) (any, error) {
	return entityResult{v, int64(rev)}, err
}

// change applies the body as a merge patch to the stored resource, validates the result, and
// answers what save made of it.
func change[C, T any](r *request, validate func(C, *dossier.Problems),
	save func(want store.Rev, patch func(C) (C, error)) (T, store.Rev, error),
	serverSet ...string) (any, error) {
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
		validate(next, &p)
		return next, p.Err()
	}))
}

// company returns the id of the company whose data the request is about, which is always that of
// the credential.
func (r *request) company() string { return r.principal.CompanyID }
